// One attention map in the browser, and what it says about the tokens of the sentence.

// Weights as they travel: little-endian float32 in base64, row by row; or as they are.
export function decode(weights, rows, columns) {
  if (weights instanceof Float32Array) return { rows, columns, values: weights }
  const bytes = Uint8Array.from(atob(weights), (char) => char.charCodeAt(0))
  return { rows, columns, values: new Float32Array(bytes.buffer) }
}

export function rowOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns)
}

export function columnOf({ rows, columns, values }, column) {
  return Float32Array.from({ length: rows }, (_, row) => values[row * columns + column])
}

// Indices of the largest values, largest first; equal ones in order.
export function largest(values, count) {
  const best = []
  values.forEach((value, index) => {
    if (best.length === count && value <= values[best[count - 1]]) return
    const place = best.findIndex((other) => value > values[other])
    best.splice(place < 0 ? best.length : place, 0, index)
    if (best.length > count) best.pop()
  })
  return best
}

// The row and column that a token of the sentence stands for. Row t of decoder and cross maps predicts output token t;
// column c of a decoder map is output token c - 1, read.
export function placeOf(kind, token, { rows, columns }) {
  const { side, index } = token
  const inside = (at, count) => (at < count ? at : null)
  if (kind === "cross") {
    return side === "source"
      ? { row: null, column: inside(index, columns) }
      : { row: inside(index, rows), column: null }
  }
  if ((kind === "encoder") !== (side === "source")) return { row: null, column: null }
  return { row: inside(index, rows), column: inside(kind === "encoder" ? index : index + 1, columns) }
}

// The token of the sentence that a row stands for.
export function tokenOfRow(kind, row) {
  return { side: kind === "encoder" ? "source" : "output", index: row }
}

// Weights to show on the tokens of the sentence: where a row looks or, for a column alone, who looks at it. They are
// shares of the largest one the colour scale has.
export function paintOf(kind, matrix, { row, column }, most = 1) {
  const nothing = { source: null, output: null }
  const shares = (values) => Array.from(values, (value) => value / most)
  if (row !== null) {
    const weights = shares(rowOf(matrix, row))
    return kind === "decoder" ? { ...nothing, output: weights.slice(1) } : { ...nothing, source: weights }
  }
  if (column === null) return nothing
  return { ...nothing, output: shares(columnOf(matrix, column)) }
}

// Pixels a cell: whole, as large as width and height allow, within what can be pointed at and what looks well.
export function cellSize(width, height, { rows, columns }, least = 16, most = 32) {
  return Math.max(least, Math.min(most, Math.floor(width / columns), Math.floor(height / rows)))
}
