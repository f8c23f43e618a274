import assert from "node:assert/strict"
import { test } from "node:test"

import { linksAt, numbersAt, sorted, tokenOfColumn, unpack } from "../../app/components/lines/links.js"

const links = sorted([
  ...unpack({ rows: [0, 0, 2], columns: [1, 2, 1], weights: [0.5, 0.25, 1] }, "#111111"),
  ...unpack({ rows: [0], columns: [1], weights: [0.75] }, "#222222"),
])

test("links of a row, of a column, or all", () => {
  assert.equal(linksAt(links, { row: null, column: null }).length, 4)
  assert.deepEqual(linksAt(links, { row: 1, column: null }), [])
  assert.deepEqual(linksAt(links, { row: null, column: 0 }), [])
  assert.deepEqual(linksAt(links, { row: 2, column: null }), [{ row: 2, column: 1, weight: 1, colour: "#111111" }])
  assert.deepEqual(linksAt(links, { row: null, column: 1 }).map(({ row }) => row), [0, 2, 0])
})

test("the numbers at the other side are the largest of all heads", () => {
  assert.deepEqual([...numbersAt(links, { row: 0, column: null })], [[1, 0.75], [2, 0.25]])
  assert.deepEqual([...numbersAt(links, { row: null, column: 1 })], [[0, 0.75], [2, 1]])
})

test("key columns are tokens of the sentence, but for the start symbol", () => {
  assert.deepEqual(tokenOfColumn("cross", 2), { side: "source", index: 2 })
  assert.deepEqual(tokenOfColumn("encoder", 2), { side: "source", index: 2 })
  assert.deepEqual(tokenOfColumn("decoder", 2), { side: "output", index: 1 })
  assert.equal(tokenOfColumn("decoder", 0), null)
})
