import assert from "node:assert/strict"
import { test } from "node:test"

import { MARGIN, TOP, clipped, edge, fitted, place, scrollBy, sizeOf, stepsIn } from "../../app/components/beam_tree/layout.js"
import { BOX, lane } from "./toys/lane.mjs"

test("nodes stand in columns and rows, with or without pruned ones", () => {
  const found = lane()
  const [a, , c, , , f] = found.nodes
  assert.deepEqual(place(found, a, BOX, true), { x: MARGIN, y: TOP })
  assert.deepEqual(place(found, f, BOX, true), { x: MARGIN + 120, y: TOP + 80 })
  assert.deepEqual(place(found, f, BOX, false), { x: MARGIN + 120, y: TOP + 40 })
  assert.deepEqual(sizeOf(found, BOX, true), { width: 2 * MARGIN + 340, height: TOP + MARGIN + 110 })
  assert.deepEqual(sizeOf(found, BOX, false), { width: 2 * MARGIN + 340, height: TOP + MARGIN + 70 })
  assert.deepEqual(place(found, c, BOX, false), { x: MARGIN, y: TOP + 80 }, "selected though folded: below the others")
  assert.equal(edge({ x: 0, y: 0 }, { x: 120, y: 40 }, BOX), "M100 15C110 15 110 55 120 55")
})

test("only steps in the window are drawn, and two on either side", () => {
  assert.deepEqual(stepsIn(0, 500, BOX, 60), [0, 6])
  assert.deepEqual(stepsIn(2408, 500, BOX, 60), [18, 26])
  assert.deepEqual(stepsIn(9e9, 500, BOX, 3)[1], 2)
})

test("a node is scrolled into the window, with room around it", () => {
  assert.equal(scrollBy(100, 50, 0, 400, 20), 0)
  assert.equal(scrollBy(390, 50, 0, 400, 20), 60)
  assert.equal(scrollBy(10, 50, 100, 400, 20), -110)
  assert.equal(scrollBy(0, 300, 0, 200, 20), 100, "larger than the window: its end is seen")
})

test("nodes are as wide as all steps have room for", () => {
  const box = { width: 144, height: 36, gap: 42, drop: 10 }
  const room = (steps, width) => fitted(box, width, steps)
  assert.deepEqual(room(4, 1000), box, "no wider than that")
  for (const [steps, width] of [[13, 1005], [8, 1005], [13, 2000]]) {
    const { width: node, gap } = room(steps, width)
    assert.ok(2 * MARGIN + steps * (node + gap) - gap <= width, `${steps} steps in ${width}`)
    assert.ok(node >= 66)
  }
  assert.deepEqual(room(60, 1005), { ...box, width: 66, gap: 10 }, "no narrower than that")
  assert.deepEqual(room(0, 300).width, 144)
})

test("pieces are cut by what one sees as letters, and isolated", () => {
  const label = (text, mark = "") => ({ mark, text })
  const narrow = { width: 66, height: 36, gap: 10, drop: 10 }
  assert.equal(clipped(label("dog", "▁"), narrow), "▁\u2068dog\u2069")
  assert.equal(clipped(label("schläft", "▁"), narrow), "▁\u2068schläft\u2069")
  assert.equal(clipped(label("schlafen", "▁"), narrow), "▁\u2068schlaf…\u2069")
  assert.equal(clipped(label("schlafen", "▁"), { ...narrow, width: 144 }), "▁\u2068schlafen\u2069")
  assert.equal(clipped(label("e\u0301".repeat(8)), narrow), `\u2068${"e\u0301".repeat(8)}\u2069`)
  assert.equal(clipped(label("猫猫猫猫猫"), narrow), "\u2068猫猫猫…\u2069")
})
