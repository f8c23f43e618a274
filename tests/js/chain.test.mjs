import assert from "node:assert/strict"
import { test } from "node:test"

import { maskedOf, productsOf, scoresOf, step } from "../../app/components/inside/chain.js"
import { rowOf } from "../../app/components/base/matrix.js"

const query = { rows: 2, columns: 2, values: new Float32Array([1, 2, -3, 4]) }
const key = { rows: 3, columns: 2, values: new Float32Array([5, 6, 7, -8, 0, 0.5]) }

test("the products of a query with every key, and their sums", () => {
  const products = productsOf(query, key, 1)
  assert.deepEqual([products.rows, products.columns], [3, 2])
  assert.deepEqual([...products.values], [-15, 24, -21, -32, -0, 2])
  const scores = scoresOf(query, key)
  assert.deepEqual([...scores.values], [17, -9, 1, 9, -53, 2])
  for (const row of [0, 1]) {
    const { values } = productsOf(query, key, row)
    const sums = [0, 1, 2].map((at) => values[at * 2] + values[at * 2 + 1])
    assert.deepEqual([...rowOf(scores, row)], sums)
  }
})

test("only the decoder is kept from what comes later", () => {
  const square = { rows: 2, columns: 2, values: new Float32Array([1, 2, 3, 4]) }
  assert.deepEqual([...maskedOf("decoder", square).values], [1, -Infinity, 3, 4])
  assert.deepEqual([...maskedOf("encoder", square).values], [1, 2, 3, 4])
  assert.deepEqual([...maskedOf("cross", square).values], [1, 2, 3, 4])
})

test("arrow keys stay inside the table", () => {
  const size = { rows: 3, columns: 6 }
  assert.deepEqual(step({ row: 0, column: 5 }, "ArrowRight", size), { row: 0, column: 5 })
  assert.deepEqual(step({ row: 0, column: 5 }, "ArrowDown", size), { row: 1, column: 5 })
  assert.deepEqual(step({ row: 0, column: 0 }, "ArrowUp", size), { row: 0, column: 0 })
  assert.deepEqual(step({ row: 2, column: 3 }, "ArrowLeft", size), { row: 2, column: 2 })
})
