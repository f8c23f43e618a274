import assert from "node:assert/strict"
import { test } from "node:test"

import { laneWidth, linksAt, linksUnder, numbersAt, sorted, strokes, tokenOfColumn, unpack } from "../../app/components/lines/links.js"

const [first, second] = strokes([0, 3], ["#111111", " #222222", "#333333"])
const links = sorted([
  ...unpack({ rows: [0, 0, 2], columns: [1, 2, 1], weights: [0.5, 0.25, 1] }, first),
  ...unpack({ rows: [0], columns: [1], weights: [0.75] }, second),
])
const top = { top: 0, left: 0 }

test("links of a row, of a column, or all", () => {
  assert.equal(linksAt(links, { row: null, column: null }).length, 4)
  assert.deepEqual(linksAt(links, { row: 1, column: null }), [])
  assert.deepEqual(linksAt(links, { row: null, column: 0 }), [])
  assert.deepEqual(linksAt(links, { row: 2, column: null }), [{ row: 2, column: 1, weight: 1, ...first }])
  assert.deepEqual(linksAt(links, { row: null, column: 1 }).map(({ row }) => row), [0, 2, 0])
})

test("the numbers at the other side are the largest of all heads", () => {
  assert.deepEqual([...numbersAt(links, { row: 0, column: null })], [[1, 0.75], [2, 0.25]])
  assert.deepEqual([...numbersAt(links, { row: null, column: 1 })], [[0, 0.75], [2, 1]])
})

test("heads are drawn side by side, around the middle", () => {
  assert.deepEqual(first, { head: 0, colour: "#111111", lane: -0.5 })
  assert.deepEqual(second, { head: 3, colour: "#111111", lane: 0.5 })
  assert.deepEqual(strokes([2], ["#111111", " #222222", "#333333"])[0], { head: 2, colour: "#333333", lane: 0 })
  assert.equal(laneWidth(1, 22), 4)
  assert.equal(laneWidth(8, 22), 2)
  for (const heads of [1, 4, 8, 16]) assert.ok(heads * laneWidth(heads, 22) <= 22)
})

test("a point on a line finds every head that links its tokens, strongest first", () => {
  const sizes = { lane: 0.1, reach: 0.15 }
  const at = (x, y, pane = top) => linksUnder(links.all, { x, y }, pane, sizes).map(({ head, weight }) => [head, weight])
  assert.deepEqual(at(0.5, 1), [[3, 0.75], [0, 0.5]])
  assert.deepEqual(at(0.5, 1.5 - 0.05), [[0, 0.25]])
  assert.deepEqual(at(0.5, 2), [[0, 1]])
  assert.deepEqual(at(0.5, 1, { top: 1, left: 1 }), [[0, 1]])
  assert.deepEqual(at(0.5, 5), [])
})

test("key columns are tokens of the sentence, but for the start symbol", () => {
  assert.deepEqual(tokenOfColumn("cross", 2), { side: "source", index: 2 })
  assert.deepEqual(tokenOfColumn("encoder", 2), { side: "source", index: 2 })
  assert.deepEqual(tokenOfColumn("decoder", 2), { side: "output", index: 1 })
  assert.equal(tokenOfColumn("decoder", 0), null)
})
