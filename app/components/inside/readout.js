// The exact numbers of a cell, as text.
// @ts-check

import { rowOf } from "../base/matrix.js"
import { digits, element, nameOf, tokenNode } from "../base/tokens.js"

/** @import { Cell } from "../base/matrix.js" */
/** @import { State } from "./inside.js" */

// The exact numbers of what is pointed at.
/** @param {State} state */
export function readout(state) {
  const { cell, data, hover, stages } = state
  if (hover) {
    const { matrix, name } = stages[hover.stage]
    const value = matrix.values[hover.row * matrix.columns + hover.column]
    return [tokenNode(data.columns[hover.column]), words(`${name}: ${number(value)}`)]
  }
  if (!cell) return []
  return [tokenNode(data.columns[cell.row]), words(equation(state, cell))]
}

/** @param {State} state @param {Cell} cell */
function equation({ data, key, products, query, row, stages }, cell) {
  if (cell.column >= data.width) {
    const { matrix, name } = stages[cell.column - data.width]
    return `${name}: ${number(matrix.values[row * matrix.columns + cell.row])}`
  }
  const factors = [rowOf(query, row), rowOf(key, cell.row)].map((vector) => digits(vector[cell.column]))
  return `dimension ${cell.column + 1}: ${factors.join(" × ")} = ${digits(rowOf(products, cell.row)[cell.column])}`
}

/** @param {State} state @param {Cell} cell */
export function spoken(state, cell) {
  const { data, numbers } = state
  return `${nameOf(data.columns[cell.row])} ${numbers.keys[cell.row]}`.trim() + `, ${equation(state, cell)}`
}

/** @param {number} value */
function number(value) {
  return value === -Infinity ? "−∞" : digits(value)
}

/** @param {string} text */
function words(text) {
  return element("span", "words", text)
}
