// What stands beside the map: the numbers of what is selected, and what can be done with a cell.
// @ts-check

import { colourOf, css } from "../base/colour.js"
import { columnOf, largest, rowOf } from "../base/matrix.js"
import { digits, element, nameOf, one, tokenNode, variables } from "../base/tokens.js"

/** @import { Cell, Place } from "../base/matrix.js" */
/** @import { Label } from "../base/tokens.js" */
/** @import { State } from "./head_map.js" */

const SHOWN = 7

// What can be done with the cell that was chosen, and what was done.
/** @param {State} state */
export function offer(state) {
  const { data, held, matrix, part } = state
  part("set").hidden = !held || !data.settable.length
  part("hint").textContent = data.settable.length && !held ? "Click a cell, or Enter, to set its weight." : ""
  if (held) part("cell").replaceChildren(...query(state, held.row), words("on"), ...key(state, held.column))
  const now = data.set && digits(matrix.values[data.set.row * matrix.columns + data.set.column])
  part("was").textContent = data.set ? `The dashed cell was set: ${now}; it was ${digits(data.set.before)}.` : ""
}

// The panel: where a row looks, who looks at a column, or the strongest links of the map.
/** @param {State} state */
export function read(state) {
  const { cell, matrix, place } = state
  const { rows, columns, values } = matrix
  const looks = (row, column) => [...query(state, row), words("looks at"), ...(column === null ? [] : key(state, column))]
  if (place.row !== null) {
    const weight = cell ? (state.unseen[cell.column] ? "hidden" : state.number(values[cell.row * columns + cell.column])) : ""
    subject(state, looks(place.row, cell ? cell.column : null), weight)
    list(state, rowOf(matrix, place.row), (column) => key(state, column), place.column)
  } else if (place.column !== null) {
    subject(state, [...key(state, place.column), words("is looked at by")], "")
    list(state, columnOf(matrix, place.column), (row) => query(state, row), null)
  } else {
    subject(state, [words(`${state.signed ? "Largest changes" : "Strongest"} of ${rows} × ${columns} links`)], "")
    list(state, values, (at) => looks(Math.floor(at / columns), at % columns), null)
    state.part("rest").textContent = ""
  }
  hidden(state, place)
}

/** @param {State} state @param {number} row */
function query({ numbers, queries }, row) {
  return numbered(queries[row], numbers.queries[row])
}

/** @param {State} state @param {number} column */
function key({ data, numbers }, column) {
  return numbered(data.columns[column], numbers.keys[column])
}

/** @param {Label} label @param {string} number */
function numbered(label, number) {
  return number ? [tokenNode(label), words(number)] : [tokenNode(label)]
}

/** @param {string} text */
function words(text) {
  return element("span", "words", text)
}

/** @param {State} state @param {Node[]} nodes @param {string} weight */
function subject({ root, part }, nodes, weight) {
  one(root, ".subject .link").replaceChildren(...nodes)
  part("weight").textContent = weight
}

/**
 * The largest weights, and among them always the chosen one.
 *
 * @param {State} state
 * @param {Float32Array} weights
 * @param {(index: number) => Node[]} nodesOf
 * @param {number | null} chosen
 */
function list({ data, matrix, number, part, place, scale, signed: both, unseen }, weights, nodesOf, chosen) {
  // A column that is hidden has no weight to be listed; of a column alone the list has rows.
  const column = place.row === null ? place.column : null
  const gone = (/** @type {number} */ index) => unseen[column ?? index % matrix.columns]
  const best = largest(weights, SHOWN).filter((index) => !gone(index))
  const shown = chosen === null || gone(chosen) || best.includes(chosen) ? best : [...best.slice(0, -1), chosen]
  const items = shown.map((index) => {
    const item = element("li", index === chosen ? "chosen" : "")
    const link = element("span", "link")
    link.append(...nodesOf(index))
    const bar = element("span", "share")
    variables(bar, { share: data.most && Math.abs(weights[index]) / data.most })
    if (both) variables(bar, { strong: css(colourOf(scale.entries, weights[index] < 0 ? 0.15 : 0.85)) })
    item.append(link, element("span", "number", number(weights[index])), bar)
    return item
  })
  part("links").replaceChildren(...items)
  const seen = weights.filter((_, index) => !gone(index)).length
  const others = seen - shown.length
  const rest = weights.reduce((sum, w) => sum + w, 0) - shown.reduce((sum, index) => sum + weights[index], 0)
  part("rest").textContent = others > 0 ? `${others} more: ${number(both ? rest : Math.max(0, rest))} together` : ""
}

// What stands on symbols that are hidden: of the row that is selected, else of a row on average.
/** @param {State} state @param {Place} place */
function hidden({ data, number, part, unseen }, { row }) {
  if (!data.hidden) return
  const mass = row === null ? data.hidden.reduce((sum, value) => sum + value, 0) / data.hidden.length : data.hidden[row]
  const hatched = unseen.includes(true) ? " (hatched)" : ""
  const text = `${number(mass)} ${row === null ? "of a row, on average, " : ""}on hidden symbols${hatched}`
  part("rest").append(element("span", "hidden", text))
}

/** @param {State} state @param {Cell} cell */
export function speak({ data, matrix, number, numbers, part }, { row, column }) {
  const { reads, predicts } = data.rows[row]
  const subject = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  const object = `${nameOf(data.columns[column])} ${numbers.keys[column]}`.trim()
  const weight = number(matrix.values[row * matrix.columns + column])
  part("spoken").textContent = `${subject} ${numbers.queries[row]}`.trim() + `, looks at ${object}: ${weight}`
}
