import assert from "node:assert/strict"
import { test } from "node:test"

import { curve, powers } from "../../app/components/sheet/counts.js"

test("a count that never occurred stands at the foot, the most at the top", () => {
  assert.equal(curve([99, 9, 0], 3, 99), "0,0 50,50 100,100")
})

test("a side that is shorter ends before the end", () => {
  assert.equal(curve([99, 99], 5, 99), "0,0 25,0")
  assert.equal(curve([1], 1, 1), "0,0")
})

test("every third power of ten is marked", () => {
  const labels = (most) => powers(most).map(({ label }) => label)
  assert.deepEqual(labels(1_343_540), ["1", "1,000", "1,000,000"])
  assert.deepEqual(labels(999), ["1"])
  assert.equal(powers(1000)[1].height, 100)
})
