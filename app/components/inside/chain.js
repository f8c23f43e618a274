// The products of one query with every key, and how arrow keys walk the table of them.
// @ts-check

import { rowOf } from "../base/matrix.js"

// One row a key, one column a dimension: the query's entries times the key's.
export function productsOf(query, key, row) {
  const wanted = rowOf(query, row)
  const values = key.values.map((value, at) => value * wanted[at % key.columns])
  return { rows: key.rows, columns: key.columns, values }
}

// Where an arrow key leads in a table; it stays inside.
export function step({ row, column }, key, { rows, columns }) {
  const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[key] ?? [0, 0]
  const inside = (at, count) => Math.min(count - 1, Math.max(0, at))
  return { row: inside(row + down, rows), column: inside(column + right, columns) }
}
