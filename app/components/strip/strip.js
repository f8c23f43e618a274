// The sentence strip: source and output as tokens. Hover and arrow keys show, click pins, Escape lets go.
// @ts-check

import { hear, tell } from "../base/bus.js"
import { colourOf, css, inkOn, table, themeScale } from "../base/colour.js"
import { component, onResize, rove } from "../base/component.js"
import { within } from "../base/pointer.js"
import { attributes, digits, element, nameOf, tokenNode, variables } from "../base/tokens.js"

/** @import { Label } from "../base/tokens.js" */
/** @import { Painted, Token } from "../base/matrix.js" */

/**
 * @typedef {object} Strip
 * @property {string} signature
 * @property {Sentence} source
 * @property {Sentence} output
 * @property {Fact[]} facts
 * @property {Pin | null} pin
 * @property {string | null} link
 */

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {string} language
 * @property {Label[]} labels
 * @property {Note[]} notes
 * @property {boolean} cut_off
 */

/**
 * @typedef {object} Note
 * @property {number | null} probability
 * @property {boolean} beyond
 */

/**
 * @typedef {object} Fact
 * @property {string} text
 * @property {string} warning
 */

/**
 * @typedef {object} Pin
 * @property {"source" | "output"} side
 * @property {number} index
 */

/** @typedef {Record<"source" | "output", HTMLElement[]>} Buttons */
/** @typedef {import("../base/component.js").State<Strip> & { hover: Token | null, pin: Token | null, buttons: Buttons }} State */

/** @type {("source" | "output")[]} */
const SIDES = ["source", "output"]

export default component(".strip", {
  own: () => ({ hover: null, pin: null, buttons: { source: [], output: [] } }),
  start,
  build,
  draw,
})

/** @param {State} state */
function start(state) {
  const { root } = state
  state.ends.push(
    hear("paint", (painted) => paint(state, painted)),
    hear("pin", (token) => state.data && choose(state, token)),
  )
  onResize(state, root, () => reach(state))
  root.onkeydown = (event) => walk(event, state)
  root.onmouseleave = () => show(state, null)
}

/** @param {State} state */
function draw(state) {
  state.pin = state.data.pin
  facts(state)
  focus(state)
}

// A long sentence can be scrolled without a pointer.
/** @param {State} state */
function reach({ part }) {
  for (const side of SIDES) {
    const row = part(side)
    if (row.scrollHeight > row.clientHeight + 1) row.tabIndex = 0
    else row.removeAttribute("tabindex")
  }
}

/** @param {State} state @param {Token | null} token */
function choose(state, token) {
  if (same(token, state.pin)) return
  state.pin = token
  focus(state)
  state.send("pinned", { token })
}

/** @param {State} state */
function build(state) {
  const { data } = state
  state.hover = null
  for (const side of SIDES) {
    const { labels, language, notes, text, cut_off } = data[side]
    const row = state.part(side)
    row.lang = language
    row.setAttribute("aria-label", `${row.dataset.name}: ${text}${cut_off ? " (cut off)" : ""}`)
    state.buttons[side] = labels.map((label, index) => button(state, { side, index }, label, notes[index]))
    row.replaceChildren(...state.buttons[side], ...(cut_off ? [element("span", "cut-off", "cut off")] : []))
  }
  state.buttons.source[0].tabIndex = 0
  reach(state)
}

/** @param {State} state @param {Token} token @param {Label} label @param {Note} note */
function button(state, token, label, note) {
  const node = element("button")
  node.type = "button"
  node.tabIndex = -1
  node.append(tokenNode(label))
  node.classList.toggle("word", label.mark !== "" || label.special)
  node.classList.toggle("beyond", note.beyond)
  const words = [nameOf(label), `token ${token.index + 1}`]
  if (note.probability !== null) {
    variables(node, { probability: note.probability })
    words.push(`probability ${digits(note.probability)}`)
  }
  if (note.beyond) words.push("at a position never seen in training")
  node.title = words.join(" · ")
  node.setAttribute("aria-label", words.join(", "))
  node.onmouseenter = () => show(state, token)
  node.onfocus = () => node.matches(":focus-visible") && show(state, token)
  node.onblur = () => show(state, null)
  node.onclick = () => choose(state, same(token, state.pin) ? null : token)
  return node
}

/** @param {State} state */
function facts({ data, part }) {
  const parts = data.facts.map(({ text, warning }) => {
    const node = element("span", "fact", text)
    if (warning) node.append(element("strong", "", warning))
    return node
  })
  part("facts").replaceChildren(...parts)
  const copy = part("copy")
  copy.onclick = async () => {
    await navigator.clipboard.writeText(`${location.origin}${location.pathname}?${data.link}`)
    copy.textContent = "Link copied"
    setTimeout(() => (copy.textContent = "Copy link"), 2000)
  }
  copy.hidden = data.link === null || !navigator.clipboard
}

/** @param {State} state @param {Token | null} token */
function show(state, token) {
  if (same(token, state.hover)) return
  state.hover = token
  focus(state)
}

/** @param {State} state */
function focus(state) {
  const chosen = state.hover ?? state.pin
  for (const side of SIDES) {
    state.buttons[side].forEach((node, index) => {
      node.classList.toggle("focus", same(chosen, { side, index }))
      attributes(node, { "aria-pressed": same(state.pin, { side, index }) })
    })
  }
  tell("focus", chosen && { ...chosen, pinned: !state.hover })
}

/** @param {State} state @param {Painted} painted */
function paint({ buttons, root }, painted) {
  // A strip that has left the page, or is about to where nothing is painted, has no theme any more.
  if (!root.isConnected) return
  const colours = painted.source || painted.output ? table(themeScale(root)) : null
  for (const side of SIDES) {
    buttons[side].forEach((node, index) => {
      const weight = painted[side]?.[index]
      const colour = colours && weight !== undefined ? colourOf(colours, weight) : null
      node.style.background = colour ? css(colour) : ""
      node.style.color = colour ? inkOn(colour) : ""
      node.classList.toggle("painted", colour !== null)
    })
  }
}

/** @param {KeyboardEvent} event @param {State} state */
function walk(event, state) {
  if (event.key === "Escape") return choose(state, null)
  const to = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key]
  if (!to && event.key !== "ArrowDown" && event.key !== "ArrowUp") return undefined
  const buttons = SIDES.map((side) => state.buttons[side])
  const now = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("button"))
  const row = buttons.findIndex((side) => side.includes(now))
  if (row < 0) return undefined
  event.preventDefault()
  const next = to
    ? buttons[row][within(buttons[row].indexOf(now) + to, buttons[row].length)]
    : nearest(buttons[event.key === "ArrowDown" ? 1 : 0], now)
  if (!next) return undefined
  return rove(now, next)
}

/** @param {HTMLElement[]} buttons @param {HTMLElement} node */
function nearest(buttons, node) {
  const middle = (item) => item.getBoundingClientRect().left + item.getBoundingClientRect().width / 2
  return buttons.reduce((best, item) =>
    Math.abs(middle(item) - middle(node)) < Math.abs(middle(best) - middle(node)) ? item : best,
  )
}

/** @param {Token | null} a @param {Token | null} b */
function same(a, b) {
  return a?.side === b?.side && a?.index === b?.index
}
