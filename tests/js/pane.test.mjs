import assert from "node:assert/strict"
import { test } from "node:test"

import { SPAN, contains, described, firstPane, holding, inPane, placedAt, showing } from "../../app/components/base/pane.js"

const size = { rows: 200, columns: 30 }
const pane = firstPane(size, true)

test("a short map is shown whole, a long one from its beginning", () => {
  assert.deepEqual(firstPane(size, false), { top: 0, left: 0, rows: 200, columns: 30 })
  assert.deepEqual(pane, { top: 0, left: 0, rows: SPAN, columns: SPAN })
})

test("a pane stays inside its map", () => {
  assert.deepEqual(placedAt(pane, 50.4, 7, size), { ...pane, top: 50, left: 6 })
  assert.equal(placedAt(pane, 500, 0, size).top, 200 - SPAN)
  assert.equal(placedAt(pane, -3, 0, size).top, 0)
})

test("a pane moves as little as needed", () => {
  const middle = { top: 50, left: 10, rows: 40, columns: 10 }
  assert.deepEqual(holding(middle, { row: 60, column: null }), middle)
  assert.deepEqual(holding(middle, { row: 49, column: 20 }), { ...middle, top: 49, left: 11 })
  assert.deepEqual(holding(middle, { row: 90, column: 3 }), { ...middle, top: 51, left: 3 })
})

test("a cell that is outside comes to the middle of the pane", () => {
  const middle = { top: 50, left: 10, rows: 40, columns: 10 }
  assert.equal(showing(middle, { row: 60, column: 12 }, size), middle)
  assert.deepEqual(showing(middle, { row: 150, column: 12 }, size), { ...middle, top: 130, left: 7 })
  assert.ok(contains(showing(middle, { row: 199, column: 29 }, size), { row: 199, column: 29 }))
  assert.ok(!contains(middle, { row: 90, column: 12 }))
})

test("what a pane shows is that part of the map", () => {
  const values = Float32Array.from({ length: 12 }, (_, at) => at)
  const found = inPane({ rows: 3, columns: 4, values }, { top: 1, left: 2, rows: 2, columns: 2 })
  assert.deepEqual([found.rows, found.columns, ...found.values], [2, 2, 6, 7, 10, 11])
})

test("what is pooled and what is exact is said, counted from 1", () => {
  const said = described({ ...pane, top: 8 }, size, 2, "weight")
  assert.match(said, /pooled: all 200 × 30 weights, each cell the largest of 2 × 2/)
  assert.match(described(pane, size, 2, "difference"), /differences, each cell the farthest from 0 of 2 × 2/)
  assert.match(said, /exactly: rows 9 to 32, keys 1 to 24\./)
})

test("a map that is scrolled says what of it is in sight", () => {
  const words = described({ top: 3.4, left: 0, rows: 10.2, columns: 30 }, size, 1, "weight")
  assert.match(words, /^Of 200 × 30 weights, rows 4 to 14, keys 1 to 30 are in sight/)
})
