// One attention map in the browser, and what it says about the tokens of the sentence.
// @ts-check

/** @typedef {"encoder" | "decoder" | "cross"} Kind of attention */
/** @typedef {"weight" | "contribution" | "difference"} Quantity */
/** @typedef {{ rows: number, columns: number }} Size */
/** @typedef {Size & { values: Float32Array }} Matrix */
/** @typedef {{ row: number, column: number }} Cell */
/** @typedef {{ side: "source" | "output", index: number, pinned?: boolean }} Token of the sentence strip */
/** @typedef {{ row: number | null, column: number | null }} Place of a map: a cell, a row or a column */
/** @typedef {{ queries: string[], keys: string[] }} Numbers of tokens that look alike */
/** @typedef {{ source: (number | undefined)[] | null, output: (number | undefined)[] | null }} Painted weights on tokens */

/** @type {Painted} */
export const UNPAINTED = { source: null, output: null }

/** @type {Place} */
export const NOWHERE = { row: null, column: null }

// Weights as they travel: little-endian float32 in base64, row by row; or as they are.
/** @param {string | Float32Array} weights @param {number} rows @param {number} columns */
export function decode(weights, rows, columns) {
  if (weights instanceof Float32Array) return { rows, columns, values: weights }
  const bytes = Uint8Array.from(atob(weights), (char) => char.charCodeAt(0))
  return { rows, columns, values: new Float32Array(bytes.buffer) }
}

/** @param {Matrix} matrix @param {number} row */
export function rowOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns)
}

/** @param {Matrix} matrix @param {number} column */
export function columnOf({ rows, columns, values }, column) {
  return Float32Array.from({ length: rows }, (_, row) => values[row * columns + column])
}

// Indices of the largest values, largest first; equal ones in order. Their signs do not count.
/** @param {Float32Array} values @param {number} count */
export function largest(values, count) {
  const best = []
  const sizes = values.map(Math.abs)
  sizes.forEach((value, index) => {
    if (best.length === count && value <= sizes[best[count - 1]]) return
    const place = best.findIndex((other) => value > sizes[other])
    best.splice(place < 0 ? best.length : place, 0, index)
    if (best.length > count) best.pop()
  })
  return best
}

// The row and column that a token of the sentence stands for. Row t of decoder and cross maps predicts output token t;
// column c of a decoder map is output token c - 1, read.
/** @param {Kind} kind @param {Token} token @param {Size} size */
export function placeOf(kind, token, { rows, columns }) {
  const { side, index } = token
  const inside = (at, count) => (at < count ? at : null)
  if (kind === "cross") {
    return side === "source"
      ? { row: null, column: inside(index, columns) }
      : { row: inside(index, rows), column: null }
  }
  if ((kind === "encoder") !== (side === "source")) return NOWHERE
  return { row: inside(index, rows), column: inside(kind === "encoder" ? index : index + 1, columns) }
}

// The token of the sentence that a row stands for.
/** @returns {Token} @param {Kind} kind @param {number} row */
export function tokenOfRow(kind, row) {
  return { side: kind === "encoder" ? "source" : "output", index: row }
}

// Weights to show on the tokens of the sentence: where a row looks or, for a column alone, who looks at it. They are
// shares of the largest one the colour scale has. A column that is hidden has none.
/** @returns {Painted} @param {Kind} kind @param {Matrix} matrix @param {Place} place @param {number} [most] @param {boolean[]} [unseen] */
export function paintOf(kind, matrix, { row, column }, most = 1, unseen = []) {
  const shares = (values) => Array.from(values, (value) => value / most)
  if (row !== null) {
    const weights = shares(rowOf(matrix, row)).map((share, at) => (unseen[at] ? undefined : share))
    return kind === "decoder" ? { ...UNPAINTED, output: weights.slice(1) } : { ...UNPAINTED, source: weights }
  }
  if (column === null || unseen[column]) return UNPAINTED
  return { ...UNPAINTED, output: shares(columnOf(matrix, column)) }
}

// Pixels a cell: whole, as large as width and height allow, within what can be pointed at and what looks well.
/** @param {number} width @param {number} height @param {Size} size @param {number} [least] @param {number} [most] */
export function cellSize(width, height, { rows, columns }, least = 16, most = 72) {
  return Math.max(least, Math.min(most, Math.floor(width / columns), Math.floor(height / rows)))
}
