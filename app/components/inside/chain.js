// From one query to its weights: products with every key, their sums, and what becomes of these.
// @ts-check

import { rowOf } from "../base/matrix.js"

// One row a key, one column a dimension: the query's entries times the key's.
export function productsOf(query, key, row) {
  const wanted = rowOf(query, row)
  const values = key.values.map((value, at) => value * wanted[at % key.columns])
  return { rows: key.rows, columns: key.columns, values }
}

// One row a query, one column a key: the sums of the products.
export function scoresOf(query, key) {
  const [rows, columns, width] = [query.rows, key.rows, key.columns]
  const values = new Float32Array(rows * columns)
  for (let at = 0; at < values.length; at++) {
    const [first, second] = [Math.floor(at / columns) * width, (at % columns) * width]
    let sum = 0
    for (let i = 0; i < width; i++) sum += query.values[first + i] * key.values[second + i]
    values[at] = sum
  }
  return { rows, columns, values }
}

// Minus infinity where a row may not look: in the decoder, at what comes later.
export function maskedOf(kind, { rows, columns, values }) {
  const later = (at) => kind === "decoder" && at % columns > Math.floor(at / columns)
  return { rows, columns, values: values.map((value, at) => (later(at) ? -Infinity : value)) }
}

// Where an arrow key leads in a table; it stays inside.
export function step({ row, column }, key, { rows, columns }) {
  const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[key] ?? [0, 0]
  const inside = (at, count) => Math.min(count - 1, Math.max(0, at))
  return { row: inside(row + down, rows), column: inside(column + right, columns) }
}
