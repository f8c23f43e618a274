import assert from "node:assert/strict"
import { test } from "node:test"

import { cellText, joined, largestOf, stretches, told } from "../../app/components/why/shades.js"

const label = (full) => ({ mark: "", text: full, full, part: 1, parts: 1, special: false })

test("source and prefix side by side", () => {
  const source = { rows: 2, columns: 2, values: new Float32Array([1, 2, 3, 4]) }
  const prefix = { rows: 2, columns: 1, values: new Float32Array([-5, 6]) }
  assert.deepEqual([...joined(source, prefix).values], [1, 2, -5, 3, 4, 6])
})

test("the largest size counts no sign", () => {
  assert.equal(largestOf([1, -3], [2]), 3)
  assert.equal(largestOf([], []), 0)
})

test("a sign stands where signs mean something", () => {
  assert.equal(told(0.5, true), "+0.500")
  assert.equal(told(-0.5, true), "−0.500")
  assert.equal(told(0.5, false), "0.500")
})

test("a cell in words", () => {
  const shading = { signed: true, unit: "nats", title: "Occlusion" }
  const text = cellText(label("<script>"), false, label("ja"), -1, shading)
  assert.equal(text, "Occlusion: <script> (already written) for ja: −1.00 nats")
})

test("a curve has a gap where there is no share", () => {
  assert.deepEqual(stretches([1, 0.5, null, 0]), [
    [
      [0.125, 0],
      [0.375, 0.5],
    ],
    [[0.875, 1]],
  ])
})
