// The two columns of tokens: which part of them is shown, what is selected there, and the keys.
// @ts-check

import { tell } from "../base/bus.js"
import { arrow, rove } from "../base/component.js"
import { NOWHERE, UNPAINTED, placeOf, tokenOfRow } from "../base/matrix.js"
import { contains, described, holding, overview, samePane, showing } from "../base/pane.js"
import { within } from "../base/pointer.js"
import { digits, element, nameOf, one, tokenNode } from "../base/tokens.js"
import { draw, highlight } from "./canvas.js"
import { linksAt, numbersAt, tokenOfColumn } from "./links.js"
import { hidden, list, speak } from "./panel.js"

/** @import { Place, Token } from "../base/matrix.js" */
/** @import { Pane } from "../base/pane.js" */
/** @import { Label, Row } from "../base/tokens.js" */
/** @import { State } from "./lines.js" */

// The tokens of the part that is shown: the buttons at indices that are theirs in the sentence, the others missing.
/** @param {State} state */
export function label(state) {
  const { data, pane, part } = state
  const some = (all, start, count, make) =>
    all.map((item, index) => (index >= start && index < start + count ? make(state, item, index) : null))
  state.queries = some(data.rows, pane.top, pane.rows, query)
  state.keys = some(data.columns, pane.left, pane.columns, key)
  part("queries").replaceChildren(...state.queries.filter((node) => node !== null))
  part("keys").replaceChildren(...state.keys.filter((node) => node !== null))
  for (const side of ["queries", "keys"]) one(part(side), "button").tabIndex = 0
  const { size } = state
  overview(part("overview"), data.overview, data, { pane: () => state.pane, matrix: size, onMove: (to) => show(state, to) })
  const touched = state.links.all.filter(({ row, column }) => state.queries[row] || state.keys[column])
  state.drawn = touched.filter((link) => contains(pane, link))
  part("pooled").textContent = data.overview
    ? described(pane, size, data.overview.block, data.quantity) +
      ` ${touched.length - state.drawn.length} links lead out of it, drawn for a selected token.`
    : ""
}

/** @param {State} state @param {Pane} pane */
function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  select(state)
  draw(state)
}

/** @param {State} state @param {Row} tokens @param {number} row */
function query(state, { reads, predicts }, row) {
  const nodes = predicts
    ? [wrap("read", tokenNode(reads)), element("span", "arrow", "→"), tokenNode(predicts)]
    : [tokenNode(reads)]
  const name = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  return button(state, nodes, `${name}, row ${row + 1}`, { row, column: null }, tokenOfRow(state.data.kind, row))
}

/** @param {State} state @param {Label} label @param {number} column */
function key(state, label, column) {
  const token = tokenOfColumn(state.data.kind, column)
  return button(state, [tokenNode(label)], `${nameOf(label)}, key ${column + 1}`, { row: null, column }, token)
}

/** @param {string} className @param {Node} node */
function wrap(className, node) {
  const box = element("span", className)
  box.append(node)
  return box
}

/** @param {State} state @param {Node[]} nodes @param {string} name @param {Place} place @param {Token | null} token */
function button(state, nodes, name, place, token) {
  const node = element("button")
  node.type = "button"
  node.tabIndex = -1
  node.append(...nodes, element("span", "number"))
  node.setAttribute("aria-label", name)
  node.onmouseenter = () => point(state, place)
  node.onmouseleave = () => point(state, null)
  node.onfocus = () => node.matches(":focus-visible") && point(state, place, true)
  node.onblur = () => point(state, null)
  node.onclick = () => token && tell("pin", token)
  node.onkeydown = (event) => walk(state, event, place)
  return node
}

/** @param {State} state @param {Place | null} place @param {boolean} [aloud] */
function point(state, place, aloud = false) {
  state.hover = place
  select(state)
  if (aloud) speak(state)
}

/** @param {State} state @param {KeyboardEvent} event @param {Place} place */
function walk(state, event, { row, column }) {
  if (event.key === "Escape") return tell("pin", null)
  const way = arrow(event.key)
  const { pane, size } = state
  const [right, at] = [row === null, row ?? column ?? 0]
  if (!way || way[1] === (right ? 1 : -1)) return undefined
  const across = (start, count) => start + within(at - start, count)
  const beyond = right ? across(pane.top, pane.rows) : across(pane.left, pane.columns)
  const [keys, to] = way[0] ? [right, at + way[0]] : [!right, beyond]
  if (to < 0 || to >= (keys ? size.columns : size.rows)) return undefined
  event.preventDefault()
  show(state, holding(state.pane, keys ? { row: null, column: to } : { row: to, column: null }))
  const next = (keys ? state.keys : state.queries)[to]
  return next && rove((right ? state.keys : state.queries)[at], next)
}

/** @param {State} state */
export function select(state) {
  const { data, hover, links, part, size, token } = state
  state.place = hover ?? (token ? placeOf(data.kind, token, size) : NOWHERE)
  if (state.place.row !== null) state.place = { row: state.place.row, column: null }
  if (!hover && token?.pinned) {
    const pane = showing(state.pane, strongestAt(state), size)
    if (!samePane(pane, state.pane)) return show(state, pane)
  }
  const { keys, queries } = state
  const chosen = state.place.row !== null || state.place.column !== null
  const numbers = chosen ? numbersAt(links, state.place) : new Map()
  const [near, far] = state.place.row === null ? [keys, queries] : [queries, keys]
  near.forEach((node, index) => node && mark(node, index === (state.place.row ?? state.place.column), ""))
  far.forEach((node, index) => node && mark(node, false, numbers.has(index) ? digits(numbers.get(index)) : ""))
  part("rest").textContent = hidden(data, state.place.row)
  list(state, chosen ? linksAt(links, state.place) : [])
  tell("paint", painted(state, numbers))
  return highlight(state)
}

// The strongest link of the selected row or column; the beginning where there is none.
/** @param {State} state */
function strongestAt({ links, place }) {
  const chosen = place.row === null && place.column === null ? [] : linksAt(links, place)
  /** @type {Place & { weight: number }} */
  const beginning = { ...place, weight: 0 }
  return chosen.reduce((best, link) => (link.weight > best.weight ? link : best), beginning)
}

/** @param {HTMLElement} node @param {boolean} chosen @param {string} number */
function mark(node, chosen, number) {
  node.classList.toggle("chosen", chosen)
  const shown = one(node, ".number")
  if (shown.textContent !== number) shown.textContent = number
}

// Drawn links on the tokens of the sentence, as shares of the largest one the scale has.
/** @param {State} state @param {Map<number, number>} numbers */
function painted({ data, keys, place, queries }, numbers) {
  if (place.row === null && place.column === null) return UNPAINTED
  const far = place.row === null ? queries : keys
  const shares = far.map((_, index) => (numbers.get(index) ?? 0) / data.most)
  if (place.row === null) return { ...UNPAINTED, [data.kind === "encoder" ? "source" : "output"]: shares }
  return data.kind === "decoder" ? { ...UNPAINTED, output: shares.slice(1) } : { ...UNPAINTED, source: shares }
}
