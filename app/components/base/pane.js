// The part of a long map that is shown exactly, its pane; and the picture of the whole map in which the pane is moved.
// @ts-check

import { paintCanvas, pixels, scaleOf } from "./colour.js"
import { arrow } from "./component.js"
import { decode } from "./matrix.js"
import { element, one } from "./tokens.js"
import { shareAt } from "./pointer.js"

/** @import { Cell, Matrix, Place, Quantity, Size } from "./matrix.js" */

/**
 * @typedef {object} Overview
 * @property {number} block
 * @property {number} rows
 * @property {number} columns
 * @property {string} weights
 */

/** @typedef {{ top: number, left: number, rows: number, columns: number }} Pane */

export const SPAN = 24
const STRIDE = 8

// All of a short map; the beginning of a long one.
/** @param {Size} size @param {Overview | null} long */
export function firstPane({ rows, columns }, long) {
  const count = (all) => (long ? Math.min(SPAN, all) : all)
  return { top: 0, left: 0, rows: count(rows), columns: count(columns) }
}

// The pane moved so that it begins at a row and column, or as near as the map allows.
/** @param {Pane} pane @param {number} row @param {number} column @param {Size} size */
export function placedAt(pane, row, column, { rows, columns }) {
  const inside = (at, size, all) => Math.max(0, Math.min(Math.round(at), all - size))
  return { ...pane, top: inside(row, pane.rows, rows), left: inside(column, pane.columns, columns) }
}

// The pane moved as little as needed for a row and a column to be in it; null asks for nothing.
/** @param {Pane} pane @param {Place} place */
export function holding(pane, { row, column }) {
  const reach = (at, start, size) => (at === null ? start : Math.min(at, Math.max(start, at - size + 1)))
  return { ...pane, top: reach(row, pane.top, pane.rows), left: reach(column, pane.left, pane.columns) }
}

// The pane with a cell in its middle, unless it is in it already.
/** @param {Pane} pane @param {Place} place @param {Size} matrix */
export function showing(pane, { row, column }, matrix) {
  if (samePane(holding(pane, { row, column }), pane)) return pane
  return placedAt(pane, (row ?? 0) - pane.rows / 2, (column ?? 0) - pane.columns / 2, matrix)
}

/** @param {Pane} pane @param {Cell} cell */
export function contains({ top, left, rows, columns }, { row, column }) {
  return row >= top && row < top + rows && column >= left && column < left + columns
}

/** @param {Pane} a @param {Pane} b */
export function samePane(a, b) {
  return a.top === b.top && a.left === b.left
}

// The cells that a pane shows, as a map of their own.
/** @param {Matrix} matrix @param {Pane} pane */
export function inPane(matrix, { top, left, rows, columns }) {
  const values = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    const start = (top + row) * matrix.columns + left
    values.set(matrix.values.subarray(start, start + columns), row * columns)
  }
  return { rows, columns, values }
}

/** @param {Pane} pane @param {Size} matrix @param {number} block @param {Quantity} quantity */
export function described({ top, left, rows, columns }, matrix, block, quantity) {
  const range = (start, size) => `${Math.floor(start) + 1} to ${Math.ceil(start + size)}`
  if (block === 1) {
    return (
      `Of ${matrix.rows} × ${matrix.columns} ${quantity}s, rows ${range(top, rows)}, keys ${range(left, columns)} are in ` +
      "sight: scroll, drag the frame, or move it with the arrow keys."
    )
  }
  return (
    `The sentence is long. The small picture is pooled: all ${matrix.rows} × ${matrix.columns} ${quantity}s, each cell ` +
    `the ${quantity === "difference" ? "farthest from 0" : "largest"} of ${block} × ${block}. ` +
    `Shown exactly: rows ${range(top, rows)}, keys ${range(left, columns)}. ` +
    "Drag the frame, or move it with the arrow keys."
  )
}

/**
 * Draw the whole map, pooled, into a node, and let the pane be moved there.
 *
 * @param {HTMLElement} node
 * @param {Size & { weights: string | Float32Array } | null} pooled
 * @param {{ quantity: Quantity, most: number }} scale
 * @param {{ pane: () => Pane, matrix: Size, onMove: (pane: Pane) => void }} options
 */
export function overview(node, pooled, { quantity, most }, { pane, matrix, onMove }) {
  node.hidden = !pooled
  if (!pooled) return node.replaceChildren()
  if (!node.firstChild) node.append(element("canvas"), element("div", "pane"))
  const canvas = one(node, "canvas")
  const { entries, at } = scaleOf(node, quantity, most)
  paintCanvas(canvas, pooled.columns, pixels(entries, decode(pooled.weights, pooled.rows, pooled.columns).values.map(at)))
  canvas.style.aspectRatio = `${pooled.columns / pooled.rows}`
  frame(node, pane(), matrix)
  const centre = (event) => {
    const [{ x, y }, { rows, columns }] = [shareAt(canvas, event), pane()]
    onMove(placedAt(pane(), y * matrix.rows - rows / 2, x * matrix.columns - columns / 2, matrix))
  }
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId)
    centre(event)
  }
  canvas.onpointermove = (event) => event.buttons && centre(event)
  node.onkeydown = (event) => {
    const way = arrow(event.key)
    if (!way) return
    event.preventDefault()
    onMove(placedAt(pane(), pane().top + way[0] * STRIDE, pane().left + way[1] * STRIDE, matrix))
  }
  return undefined
}

// Show where the pane is.
/** @param {HTMLElement} node of the whole map @param {Pane} pane @param {Size} size */
export function frame(node, pane, { rows, columns }) {
  const box = one(node, ".pane")
  box.style.top = `${(100 * pane.top) / rows}%`
  box.style.left = `${(100 * pane.left) / columns}%`
  box.style.height = `${(100 * pane.rows) / rows}%`
  box.style.width = `${(100 * pane.columns) / columns}%`
}
