// The whole matrices and the table of one query, in colours.
// @ts-check

import { colourOf, css, gradient, inkOn, paintCanvas, pixels, placeOn, table, themeDiverging, themeScale } from "../base/colour.js"
import { rowOf } from "../base/matrix.js"
import { digits, element, one, tokenNode, variables } from "../base/tokens.js"
import { productsOf } from "./chain.js"

/** @import { Scale, State } from "./inside.js" */

// What does not depend on the query: whole matrices and scales, in the colours of the theme.
/** @param {State} state */
export function paint(state) {
  const { data, part, root, stages } = state
  const scales = { signed: themeDiverging(root), positive: themeScale(root) }
  state.colours = { signed: table(scales.signed), positive: table(scales.positive) }
  for (const { canvas, matrix, most, node, signed } of stages) {
    draw(canvas, matrix, shade(state, signed, most))
    variables(node, { aspect: Math.min(2, Math.max(0.5, matrix.columns / matrix.rows)) })
  }
  const bounds = [{ most: data.most.product, signed: true }, ...stages]
  for (const [at, node] of [...part("stages").children].entries()) {
    const { most, signed } = bounds[at]
    one(node, ".least").textContent = signed ? digits(-most) : "0.00"
    one(node, ".greatest").textContent = digits(most)
    one(node, ".bar").style.background = gradient(signed ? scales.signed : scales.positive)
  }
}

// The place of a value on its colour scale, from 0 to 1.
/** @param {State} state @param {boolean} signed @param {number} most */
function shade({ colours }, signed, most) {
  const at = placeOn(signed, most)
  return signed
    ? { entries: colours.signed, at: (value) => (value === -Infinity ? 0.5 : at(value)) }
    : { entries: colours.positive, at }
}

/** @param {HTMLCanvasElement} canvas @param {{ columns: number, values: Float32Array }} options @param {Scale} scale */
function draw(canvas, { columns, values }, { entries, at }) {
  paintCanvas(canvas, columns, pixels(entries, Array.from(values, at)))
}

// The table of one query.
/** @param {State} state @param {number} row */
export function fill(state, row) {
  const { data, key, part, query, stages } = state
  Object.assign(state, { row, shown: data.signature })
  state.products = productsOf(query, key, row)
  const { reads, predicts } = data.rows[row]
  const nodes = predicts ? [tokenNode(reads), element("span", "arrow", "→"), tokenNode(predicts)] : [tokenNode(reads)]
  const of = element("span", "words", `row ${row + 1} of ${data.rows.length}`)
  part("query").replaceChildren(element("span", "words", "Query"), ...nodes, of)
  const scale = shade(state, true, data.most.product)
  draw(one(part("field"), "canvas"), state.products, scale)
  const vector = part("vector")
  const values = rowOf(query, row)
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  part("bounds").textContent = `q, from ${digits(-largest)} to ${digits(largest)}`
  draw(vector, { columns: data.width, values }, shade(state, true, largest))
  // Weights stand in one column with equally many decimals; scores differ too much in size for that.
  for (const { cells, matrix, most, signed } of stages) {
    const { entries, at } = shade(state, signed, most)
    rowOf(matrix, row).forEach((value, column) => {
      const hidden = value === -Infinity
      const colour = colourOf(entries, at(value))
      cells[column].textContent = hidden ? "−∞" : signed ? digits(value) : value.toFixed(3)
      cells[column].classList.toggle("masked", hidden)
      cells[column].style.background = hidden ? "" : css(colour)
      cells[column].style.color = hidden ? "" : inkOn(colour)
    })
  }
}

/** @param {State} state @param {number | null} column */
export function outline(state, column) {
  const { cell, data, part, row, stages } = state
  for (const { cells, matrix, node } of stages) {
    variables(node, { at: row / matrix.rows, share: 1 / matrix.rows })
    cells.forEach((found) => found.classList.remove("ring"))
  }
  ;[...part("keys").children].forEach((node, at) => node.classList.toggle("chosen", at === column))
  const ring = part("ring")
  ring.hidden = !cell || cell.column >= data.width
  if (!cell) return
  if (ring.hidden) stages[cell.column - data.width].cells[cell.row].classList.add("ring")
  else variables(ring, { ...cell })
}
