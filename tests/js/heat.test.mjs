import assert from "node:assert/strict"
import { test } from "node:test"

import { ticks } from "../../app/components/heat/ticks.js"
import { halves } from "../../app/components/base/mosaic.js"

test("round numbers, few of them, at their places", () => {
  assert.deepEqual(ticks(0, 256).map(({ at }) => at), [0, 50, 100, 150, 200, 250])
  assert.deepEqual(ticks(1, 24).map(({ name }) => name), ["5", "10", "15", "20"])
  assert.deepEqual(ticks(-3, 7).map(({ at, name }) => `${at} ${name}`), ["0 −3", "1 −2", "2 −1", "3 0", "4 1", "5 2", "6 3"])
  assert.deepEqual(ticks(0, 1), [{ at: 0, name: "0" }])
})

test("half-precision numbers from their bits", () => {
  const bits = Uint16Array.from([0x3c00, 0xbc00, 0x3555, 0x0001, 0x0000, 0x7e00, 0x7c00])
  const [one, minus, third, least, zero, none, most] = halves(bits)
  assert.deepEqual([one, minus, zero, most], [1, -1, 0, Infinity])
  assert.ok(Math.abs(third - 1 / 3) < 2e-4)
  assert.equal(least, 2 ** -24)
  assert.ok(Number.isNaN(none))
})
