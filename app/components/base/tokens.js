// A token on the page. Its text comes from outside, so it is only ever set as text.
// @ts-check

/**
 * @typedef {object} Label
 * @property {string} mark
 * @property {string} text
 * @property {string} full
 * @property {number} part
 * @property {number} parts
 * @property {boolean} special
 */

/**
 * @typedef {object} Row
 * @property {Label} reads
 * @property {Label | null} predicts
 */

/** @param {Label} label */
export function tokenNode(label) {
  const node = element("span", "token")
  if (label.mark) node.append(element("span", "mark", label.mark))
  if (label.text) node.append(element("bdi", "text", label.text))
  if (label.parts > 1) node.append(element("span", "count", `${label.part}/${label.parts}`))
  node.classList.toggle("special", label.special)
  node.classList.toggle("more", label.part > 1)
  node.title = nameOf(label)
  return node
}

// The token in words, for hover and for screen readers.
/** @param {Label} label */
export function nameOf(label) {
  return label.parts > 1 ? `${label.full} (byte ${label.part} of ${label.parts})` : label.full
}

// For each label its number, counted from 1, where another one looks the same; "" where it is alone.
/** @param {Label[]} labels */
export function numbersOf(labels) {
  const names = labels.map(nameOf)
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return names.map((name, index) => (counts.get(name) > 1 ? `#${index + 1}` : ""))
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag)
  if (className) node.className = className
  if (text) node.textContent = text
  return node
}

// Three significant digits.
/** @param {number} value */
export function digits(value) {
  const size = Math.abs(value)
  if (size === 0) return "0.00"
  return (size < 0.0001 ? value.toExponential(2) : value.toPrecision(3)).replaceAll("-", "−")
}

// How to write numbers that stand together: with equally many decimals, two or as many as the largest needs.
/** @param {number[]} values @returns {(value: number) => string} */
export function decimals(values) {
  const most = Math.max(0, ...values.map(Math.abs))
  const places = most ? Math.max(2, 1 - Math.floor(Math.log10(most))) : 2
  return (value) => {
    const size = Math.abs(value).toFixed(places)
    return value < 0 && Number(size) ? `−${size}` : size
  }
}

// Three decimals with a sign; what is rounded to 0 has none.
/** @param {number} value */
export function signed(value) {
  const size = Math.abs(value).toFixed(3)
  if (Number(size) === 0) return size
  return `${value < 0 ? "−" : "+"}${size}`
}

/** @typedef {HTMLInputElement & HTMLCanvasElement} Part an element, of whatever kind it is */

// The first element in a node that a selector finds, known to be there.
/** @param {ParentNode} node @param {string} selector */
export function one(node, selector) {
  return /** @type {Part} */ (node.querySelector(selector))
}

/** @param {Element} node @param {Record<string, string | number | boolean>} values */
export function attributes(node, values) {
  for (const [name, value] of Object.entries(values)) node.setAttribute(name, String(value))
}

// Numbers for the stylesheet: `share` is its `--share`.
/** @param {HTMLElement | SVGElement} node @param {Record<string, string | number>} values */
export function variables(node, values) {
  for (const [name, value] of Object.entries(values)) node.style.setProperty(`--${name}`, String(value))
}

const SVG = "http://www.w3.org/2000/svg"

// An element of a picture.
/**
 * @param {string} tag
 * @param {string} [className]
 * @param {Record<string, string | number>} [values]
 * @param {string} [text]
 */
export function shape(tag, className = "", values = {}, text = "") {
  const node = document.createElementNS(SVG, tag)
  if (className) node.setAttribute("class", className)
  attributes(node, values)
  if (text) node.textContent = text
  return node
}
