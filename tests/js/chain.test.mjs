import assert from "node:assert/strict"
import { test } from "node:test"

import { rowOf } from "../../app/components/base/matrix.js"
import { productsOf, step } from "../../app/components/inside/chain.js"

const query = { rows: 2, columns: 2, values: new Float32Array([1, 2, -3, 4]) }
const key = { rows: 3, columns: 2, values: new Float32Array([5, 6, 7, -8, 0, 0.5]) }

test("the products of a query with every key", () => {
  const products = productsOf(query, key, 1)
  assert.deepEqual([products.rows, products.columns], [3, 2])
  assert.deepEqual([...products.values], [-15, 24, -21, -32, -0, 2])
  assert.deepEqual([...productsOf(query, key, 0).values], [5, 12, 7, -16, 0, 1])
})

test("arrow keys stay inside the table", () => {
  const size = { rows: 3, columns: 6 }
  assert.deepEqual(step({ row: 0, column: 5 }, "ArrowRight", size), { row: 0, column: 5 })
  assert.deepEqual(step({ row: 0, column: 5 }, "ArrowDown", size), { row: 1, column: 5 })
  assert.deepEqual(step({ row: 0, column: 0 }, "ArrowUp", size), { row: 0, column: 0 })
  assert.deepEqual(step({ row: 2, column: 3 }, "ArrowLeft", size), { row: 2, column: 2 })
})
