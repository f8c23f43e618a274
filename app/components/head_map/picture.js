// The map itself: the tokens at its edges, and the colours of its weights with their scale.
// @ts-check

import { colourOf, css, gradient, paintCanvas, pixels, scaleOf, seenThrough } from "../base/colour.js"
import { described, inPane, overview, samePane } from "../base/pane.js"
import { digits, element, nameOf, one, signed, tokenNode, variables } from "../base/tokens.js"
import { arrange } from "./layout.js"

/** @import { Pane } from "../base/pane.js" */
/** @import { Row } from "../base/tokens.js" */
/** @import { State } from "./head_map.js" */

// The tokens of the part that is shown.
/** @param {State} state */
export function label(state) {
  const { data, pane, part } = state
  const columns = data.columns.slice(pane.left, pane.left + pane.columns)
  part("columns").replaceChildren(...columns.map((text) => wrap("column-label", tokenNode(text))))
  part("rows").replaceChildren(...data.rows.slice(pane.top, pane.top + pane.rows).map(rowLabel))
  arrange(state)
}

/** @param {State} state @param {Pane} pane */
export function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  draw(state)
}

/** @param {Row} row */
function rowLabel({ reads, predicts }) {
  const row = wrap("row-label", tokenNode(reads))
  row.title = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  if (predicts) row.append(element("span", "arrow", "→"), tokenNode(predicts))
  return row
}

/** @param {string} className @param {Node} node */
function wrap(className, node) {
  const box = element("div", className)
  box.append(node)
  return box
}

/** @param {State} state */
export function draw(state) {
  const { data, matrix, pane, part, root } = state
  const { at, entries, stops } = (state.scale = scaleOf(root, data.quantity, data.most))
  const unseen = state.unseen.slice(pane.left, pane.left + pane.columns)
  const canvas = one(part("field"), "canvas")
  paintCanvas(canvas, pane.columns, seenThrough(pixels(entries, inPane(matrix, pane).values.map(at)), unseen))
  canvas.classList.toggle("hatched", unseen.includes(true))
  if (data.overview) {
    overview(part("overview"), data.overview, data, { pane: () => state.pane, matrix, onMove: (to) => show(state, to) })
    part("pooled").textContent = described(pane, matrix, data.overview.block, data.quantity)
  }
  part("bar").style.background = gradient(stops)
  const ticks = ticksOf(state)
  const ends = state.signed ? [ticks[0], ticks[2]] : ["0.00", digits(data.most)]
  part("legend").setAttribute("aria-label", `Colour scale of the ${data.quantity}s, from ${ends.join(" to ")}`)
  part("ticks").replaceChildren(...ticks.map((text) => element("span", "", text)))
  variables(root, { strong: css(colourOf(entries, 0.7)) })
}

// A signed scale ends at the same number on either side of 0.
/** @param {State} state */
function ticksOf({ data, signed: both }) {
  if (both) return [-data.most, 0, data.most].map((value) => (value ? signed(value) : "0"))
  return [0, 0.25, 0.5, 0.75, 1].map((share) => (share * data.most).toFixed(2))
}
