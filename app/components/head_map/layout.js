// Where the map stands: the size of its cells, what of it is in sight, and the outlines of what is selected.
// @ts-check

import { cellSize } from "../base/matrix.js"
import { described, frame, overview } from "../base/pane.js"
import { zoomOf } from "../base/pointer.js"
import { roomBelow } from "../base/room.js"
import { variables } from "../base/tokens.js"

/** @import { Pane } from "../base/pane.js" */
/** @import { State } from "./head_map.js" */

// Pixels between map and panel, and between map and the edge of the screen; a map that has no room there has these at
// least, or a screen but for those above.
const GAP = 32
const EDGE = 24
const [LEAST, ABOVE] = [400, 320]

/** @param {State} state */
export function arrange(state) {
  const { pane, part, root } = state
  const panel = getComputedStyle(root).gridTemplateColumns.includes(" ") ? part("panel").offsetWidth + GAP : 0
  const room = roomBelow(part("scroll")) - EDGE
  const height = room - part("columns").offsetHeight
  state.size = cellSize(root.clientWidth - panel - part("rows").offsetWidth, height, pane)
  const type = state.size < 40 ? 13 : state.size < 56 ? 15 : 20
  variables(root, { cell: `${state.size}px`, columns: pane.columns, rows: pane.rows })
  variables(root, { room: `${Math.max(LEAST, room, window.innerHeight / zoomOf(root) - ABOVE)}px`, type: `${type}px` })
  outline(state)
  scrolled(state)
}

// What of a map is in sight where it has to be scrolled; null where all is.
/** @param {State} state @returns {Pane | null} */
function sight({ pane, part, size }) {
  const scroll = part("scroll")
  const [below, right] = [scroll.scrollHeight - scroll.clientHeight, scroll.scrollWidth - scroll.clientWidth]
  if (Math.max(below, right) < size / 2) return null
  const rows = Math.min(pane.rows, (scroll.clientHeight - part("columns").offsetHeight) / size)
  const columns = Math.min(pane.columns, (scroll.clientWidth - part("rows").offsetWidth) / size)
  return { top: scroll.scrollTop / size, left: scroll.scrollLeft / size, rows, columns }
}

// Beside a map that has to be scrolled stands the whole of it, small; an edge shows where it goes on.
/** @param {State} state */
export function scrolled(state) {
  const { data, matrix, part } = state
  const seen = sight(state)
  const [scroll, whole] = [part("scroll"), part("overview")]
  scroll.classList.toggle("below", seen !== null && seen.top + seen.rows < state.pane.rows - 0.1)
  scroll.classList.toggle("right", seen !== null && seen.left + seen.columns < state.pane.columns - 0.1)
  if (data.overview) return
  part("pooled").textContent = seen ? described(seen, matrix, 1, data.quantity) : ""
  if (seen && whole.dataset.of === data.signature) return frame(whole, seen, matrix)
  whole.dataset.of = seen ? data.signature : ""
  const { rows, columns, values } = matrix
  const onMove = (/** @type {Pane} */ { top, left }) => scroll.scrollTo(left * state.size, top * state.size)
  const pane = () => sight(state) ?? state.pane
  overview(whole, seen && { rows, columns, weights: values }, data, { pane, matrix, onMove })
}

/** @param {State} state */
export function outline({ cell, data, held, pane, part, place, size }) {
  if (!place) return
  const inside = (at, start, count) => (at !== null && at >= start && at < start + count ? at - start : null)
  const [row, column] = [inside(place.row, pane.top, pane.rows), inside(place.column, pane.left, pane.columns)]
  const set = (node, shown, axis, index) => {
    node.hidden = !shown
    if (shown) node.style.setProperty(axis, `${index * size}px`)
  }
  set(part("band.row"), row !== null, "top", row)
  set(part("band.column"), column !== null, "left", column)
  const at = (name, found) => {
    const [top, left] = found ? [inside(found.row, pane.top, pane.rows), inside(found.column, pane.left, pane.columns)] : [null, null]
    set(part(name), top !== null && left !== null, "top", top)
    set(part(name), top !== null && left !== null, "left", left)
  }
  at("ring", cell ?? held)
  at("was-set", data.set)
  mark(part("rows"), row)
  mark(part("columns"), column)
}

/** @param {Element} labels @param {number | null} index */
function mark(labels, index) {
  for (const [at, node] of [...labels.children].entries()) node.classList.toggle("chosen", at === index)
}
