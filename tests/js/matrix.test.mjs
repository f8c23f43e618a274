import assert from "node:assert/strict"
import { test } from "node:test"

import {
  cellSize,
  columnOf,
  decode,
  largest,
  paintOf,
  placeOf,
  rowOf,
  tokenOfRow,
} from "../../app/components/base/matrix.js"

const base64 = (values) => Buffer.from(new Float32Array(values).buffer).toString("base64")
// Three rows (output tokens), four columns.
const matrix = decode(base64([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]), 3, 4)

test("weights arrive as they were sent", () => {
  assert.deepEqual([...rowOf(matrix, 1)], [10, 11, 12, 13])
  assert.deepEqual([...columnOf(matrix, 3)], [3, 13, 23])
  assert.equal(decode(base64([0.1]), 1, 1).values[0], Math.fround(0.1))
})

test("the largest come first, equal ones in order", () => {
  assert.deepEqual(largest([0.2, 0.5, 0.5, 0.1], 3), [1, 2, 0])
  assert.deepEqual(largest([1], 3), [0])
  assert.deepEqual(largest([0.2, -0.5, 0.4], 2), [1, 2], "of differences the farthest from 0")
})

test("cross maps: source tokens are columns, output tokens rows", () => {
  assert.deepEqual(placeOf("cross", { side: "source", index: 3 }, matrix), { row: null, column: 3 })
  assert.deepEqual(placeOf("cross", { side: "output", index: 2 }, matrix), { row: 2, column: null })
  assert.deepEqual(placeOf("cross", { side: "output", index: 3 }, matrix), { row: null, column: null })
})

test("encoder maps know source tokens alone, as row and column", () => {
  const square = { rows: 4, columns: 4 }
  assert.deepEqual(placeOf("encoder", { side: "source", index: 2 }, square), { row: 2, column: 2 })
  assert.deepEqual(placeOf("encoder", { side: "output", index: 2 }, square), { row: null, column: null })
})

test("decoder maps: a token is predicted in its row and read one column later; the last one is never read", () => {
  const square = { rows: 4, columns: 4 }
  assert.deepEqual(placeOf("decoder", { side: "output", index: 0 }, square), { row: 0, column: 1 })
  assert.deepEqual(placeOf("decoder", { side: "output", index: 3 }, square), { row: 3, column: null })
  assert.deepEqual(placeOf("decoder", { side: "source", index: 0 }, square), { row: null, column: null })
})

test("a row stands for the token it predicts or, in the encoder, is", () => {
  assert.deepEqual(tokenOfRow("encoder", 1), { side: "source", index: 1 })
  assert.deepEqual(tokenOfRow("cross", 1), { side: "output", index: 1 })
  for (const kind of ["cross", "decoder", "encoder"]) {
    assert.equal(placeOf(kind, tokenOfRow(kind, 2), { rows: 4, columns: 4 }).row, 2)
  }
})

test("the tokens of the sentence show where a row looks, or who looks at a column", () => {
  assert.deepEqual(paintOf("cross", matrix, { row: 1, column: null }), { source: [10, 11, 12, 13], output: null })
  assert.deepEqual(paintOf("cross", matrix, { row: null, column: 3 }), { source: null, output: [3, 13, 23] })
  assert.deepEqual(paintOf("cross", matrix, { row: null, column: null }), { source: null, output: null })
})

test("in the decoder the first column is the start symbol, which is no token of the sentence", () => {
  const square = decode(base64([1, 0, 0.25, 0.75]), 2, 2)
  assert.deepEqual(paintOf("decoder", square, { row: 1, column: null }), { source: null, output: [0.75] })
})

test("cells are whole pixels within bounds", () => {
  assert.equal(cellSize(1000, 1000, { rows: 5, columns: 5 }), 72)
  assert.equal(cellSize(205, 1000, { rows: 5, columns: 10 }), 20)
  assert.equal(cellSize(1000, 180, { rows: 10, columns: 5 }), 18)
  assert.equal(cellSize(100, 100, { rows: 100, columns: 100 }), 16)
})

test("a column that is hidden is not painted as a weight of 0", () => {
  const matrix = { rows: 1, columns: 3, values: Float32Array.from([0.5, 0.25, 0]) }
  const unseen = [false, false, true]
  assert.deepEqual(paintOf("cross", matrix, { row: 0, column: null }, 1, unseen).source, [0.5, 0.25, undefined])
  assert.deepEqual(paintOf("decoder", matrix, { row: 0, column: null }, 1, unseen).output, [0.25, undefined])
  assert.deepEqual(paintOf("cross", matrix, { row: null, column: 2 }, 1, unseen), { source: null, output: null })
})
