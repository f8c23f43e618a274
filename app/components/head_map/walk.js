// How one goes through the map: pointing, choosing a cell to set it, and the keys.
// @ts-check

import { tell } from "../base/bus.js"
import { arrow } from "../base/component.js"
import { NOWHERE, columnOf, largest, paintOf, placeOf, rowOf, tokenOfRow } from "../base/matrix.js"
import { holding, showing } from "../base/pane.js"
import { cellAt, within } from "../base/pointer.js"
import { outline, scrolled } from "./layout.js"
import { offer, read, speak } from "./panel.js"
import { show } from "./picture.js"

/** @import { Cell, Matrix, Place } from "../base/matrix.js" */
/** @import { State } from "./head_map.js" */

/** @param {State} state */
export function listen(state) {
  const field = state.part("field")
  field.onpointermove = (event) => point(state, cellOf(state, event))
  field.onpointerleave = () => point(state, null)
  field.onclick = (event) => choose(state, cellOf(state, event))
  const scroll = state.part("scroll")
  scroll.onkeydown = (event) => walk(state, event)
  scroll.onblur = () => point(state, null)
  scroll.onscroll = () => scrolled(state)
  state.part("set").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const weight = state.part("value").valueAsNumber
    if (state.held && weight >= 0 && weight <= 1) state.send("set", { ...state.held, weight })
  }
}

// Pin the row, and have the cell ready to be set where it can be.
/** @param {State} state @param {Cell} cell */
function choose(state, cell) {
  const { data, part, matrix } = state
  const [first, last] = data.settable[cell.row] ?? [0, -1]
  state.held = cell.column >= first && cell.column <= last && !state.unseen[cell.column] ? cell : null
  if (state.held) part("value").value = matrix.values[cell.row * matrix.columns + cell.column].toFixed(2)
  pin(state, cell.row)
  select(state)
}

/** @param {State} state @param {MouseEvent} event */
function cellOf({ pane, part }, event) {
  const { row, column } = cellAt(part("field"), event, pane)
  return { row: pane.top + row, column: pane.left + column }
}

/** @param {State} state @param {Cell | null} cell */
function point(state, cell) {
  if (cell?.row === state.cell?.row && cell?.column === state.cell?.column) return
  state.cell = cell
  select(state)
}

/** @param {State} state @param {number} row */
function pin({ data }, row) {
  tell("pin", tokenOfRow(data.kind, row))
}

/** @param {State} state @param {KeyboardEvent} event */
function walk(state, event) {
  const { matrix } = state
  if (event.key === "Escape") {
    state.held = null
    point(state, null)
    return tell("pin", null)
  }
  if (event.key === "Enter" && state.cell) return choose(state, state.cell)
  const step = arrow(event.key)
  if (!step) return undefined
  event.preventDefault()
  const { row, column } = state.cell ?? { row: state.pane.top, column: state.pane.left }
  const move = (at, by, count) => within(at + (state.cell ? by : 0), count)
  const cell = { row: move(row, step[0], matrix.rows), column: move(column, step[1], matrix.columns) }
  show(state, holding(state.pane, cell))
  point(state, cell)
  state.part("ring").scrollIntoView({ block: "nearest", inline: "nearest" })
  return speak(state, cell)
}

/** @param {State} state */
export function select(state) {
  const { cell, data, matrix, pane, token } = state
  state.place = cell ?? (token ? placeOf(data.kind, token, matrix) : NOWHERE)
  if (!cell && token?.pinned) show(state, showing(pane, strongestAt(matrix, state.place), matrix))
  outline(state)
  offer(state)
  // The strip has a scale of weights alone.
  if (!state.signed) tell("paint", paintOf(data.kind, matrix, state.place, data.most, state.unseen))
  read(state)
}

// The cell of the largest weight in a row, or in a column.
/** @param {Matrix} matrix @param {Place} place */
function strongestAt(matrix, { row, column }) {
  if (row !== null) return { row, column: largest(rowOf(matrix, row), 1)[0] }
  return column === null ? { row: 0, column: 0 } : { row: largest(columnOf(matrix, column), 1)[0], column }
}
