// The sentence strip: source and output as tokens. Hover and arrow keys show, click pins, Escape lets go.

import { colourOf, css, inkOn, table, themeScale } from "./colour.js"
import { element, nameOf, digits, tokenNode } from "./tokens.js"
import { hear, tell } from "./bus.js"

const SIDES = ["source", "output"]
const strips = new WeakMap()

export default function strip({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".strip")
  let state = strips.get(root)
  if (!state) {
    state = { hover: null, pin: null, buttons: {} }
    strips.set(root, state)
    state.unhear = [
      hear("paint", (painted) => paint(root, state, painted)),
      hear("pin", (token) => state.choose?.(token)),
    ]
  }
  state.choose = (token) => {
    if (same(token, state.pin)) return
    state.pin = token
    focus(state)
    setTriggerValue("pinned", { token })
  }
  if (state.signature !== data.signature) build(root, state, data)
  state.pin = data.pin
  facts(root, data)
  focus(state)
  root.onkeydown = (event) => walk(event, state)
  root.onmouseleave = () => show(state, null)
  return () => state.unhear.forEach((end) => end())
}

function build(root, state, data) {
  state.signature = data.signature
  state.hover = null
  for (const side of SIDES) {
    const { labels, notes, text } = data[side]
    const row = root.querySelector(`.${side}`)
    row.lang = data[side].language
    row.setAttribute("aria-label", `${row.dataset.name}: ${text}`)
    state.buttons[side] = labels.map((label, index) => button(state, { side, index }, label, notes[index]))
    row.replaceChildren(...state.buttons[side])
  }
  state.buttons.source[0].tabIndex = 0
}

function button(state, token, label, note) {
  const node = element("button")
  node.type = "button"
  node.tabIndex = -1
  node.append(tokenNode(label))
  node.classList.toggle("word", label.mark !== "" || label.special)
  node.classList.toggle("beyond", note.beyond)
  const words = [nameOf(label), `token ${token.index + 1}`]
  if (note.probability !== null) {
    node.style.setProperty("--probability", note.probability)
    words.push(`probability ${digits(note.probability)}`)
  }
  if (note.beyond) words.push("at a position never seen in training")
  node.title = words.join(" · ")
  node.setAttribute("aria-label", words.join(", "))
  node.onmouseenter = () => show(state, token)
  node.onfocus = () => node.matches(":focus-visible") && show(state, token)
  node.onblur = () => show(state, null)
  node.onclick = () => state.choose(same(token, state.pin) ? null : token)
  return node
}

function facts(root, data) {
  const parts = data.facts.map(({ text, warning }) => {
    const node = element("span", "fact", text)
    if (warning) node.append(element("strong", "", warning))
    return node
  })
  root.querySelector(".facts").replaceChildren(...parts)
  const copy = root.querySelector(".copy")
  copy.onclick = async () => {
    await navigator.clipboard.writeText(`${location.origin}${location.pathname}?${data.link}`)
    copy.textContent = "Link copied"
    setTimeout(() => (copy.textContent = "Copy link"), 2000)
  }
  copy.hidden = data.link === null || !navigator.clipboard
}

function show(state, token) {
  if (same(token, state.hover)) return
  state.hover = token
  focus(state)
}

function focus(state) {
  const chosen = state.hover ?? state.pin
  for (const side of SIDES) {
    state.buttons[side].forEach((node, index) => {
      node.classList.toggle("focus", same(chosen, { side, index }))
      node.setAttribute("aria-pressed", same(state.pin, { side, index }))
    })
  }
  tell("focus", chosen && { ...chosen, pinned: !state.hover })
}

function paint(root, state, painted) {
  // Where nothing is painted the strip may be about to leave the page, and have no theme any more.
  const colours = (painted.source || painted.output) && table(themeScale(root))
  for (const side of SIDES) {
    state.buttons[side]?.forEach((node, index) => {
      const weight = painted[side]?.[index]
      const colour = weight === undefined ? null : colourOf(colours, weight)
      node.style.background = colour ? css(colour) : ""
      node.style.color = colour ? inkOn(colour) : ""
      node.classList.toggle("painted", colour !== null)
    })
  }
}

function walk(event, state) {
  if (event.key === "Escape") return state.choose(null)
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!step && event.key !== "ArrowDown" && event.key !== "ArrowUp") return undefined
  const buttons = SIDES.map((side) => state.buttons[side])
  const now = event.target.closest("button")
  const row = buttons.findIndex((side) => side.includes(now))
  if (row < 0) return undefined
  event.preventDefault()
  const next = step
    ? buttons[row][buttons[row].indexOf(now) + step]
    : nearest(buttons[event.key === "ArrowDown" ? 1 : 0], now)
  if (!next) return undefined
  now.tabIndex = -1
  next.tabIndex = 0
  return next.focus()
}

function nearest(buttons, node) {
  const middle = (item) => item.getBoundingClientRect().left + item.getBoundingClientRect().width / 2
  return buttons.reduce((best, item) =>
    Math.abs(middle(item) - middle(node)) < Math.abs(middle(best) - middle(node)) ? item : best,
  )
}

function same(a, b) {
  return a?.side === b?.side && a?.index === b?.index
}
