// A token on the page. Its text comes from outside, so it is only ever set as text.

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
export function nameOf(label) {
  return label.parts > 1 ? `${label.full} (byte ${label.part} of ${label.parts})` : label.full
}

// For each label its number, counted from 1, where another one looks the same; "" where it is alone.
export function numbersOf(labels) {
  const names = labels.map(nameOf)
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return names.map((name, index) => (counts.get(name) > 1 ? `#${index + 1}` : ""))
}

export function element(tag, className = "", text = "") {
  const node = document.createElement(tag)
  if (className) node.className = className
  if (text) node.textContent = text
  return node
}

// Three significant digits.
export function digits(value) {
  const size = Math.abs(value)
  if (size === 0) return "0.00"
  return (size < 0.0001 ? value.toExponential(2) : value.toPrecision(3)).replaceAll("-", "−")
}
