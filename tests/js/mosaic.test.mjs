import assert from "node:assert/strict"
import { test } from "node:test"
import { deflateSync } from "node:zlib"

import { cut, floats, inflate, levels, nextTile, stillAsked, tileWidth } from "../../app/components/base/mosaic.js"

test("what was deflated comes back, and is cut into maps", async () => {
  const bytes = Uint8Array.from({ length: 12 }, (_, index) => index * 20)
  const found = await inflate(deflateSync(bytes).toString("base64"))
  assert.deepEqual([...found], [...bytes])
  assert.deepEqual(cut(found, 4).map((part) => [...part]), [[0, 20, 40, 60], [80, 100, 120, 140], [160, 180, 200, 220]])
})

test("maps that are unpacked are painted where they are still asked for, and on a wall that is on the page", () => {
  const asked = (signature, isConnected) => stillAsked({ data: { signature }, root: { isConnected } }, "maps")
  assert.ok(asked("maps", true))
  assert.ok(!asked("others", true))
  assert.ok(!asked("maps", false))
})

test("thousandths travel as low bytes, then high bytes", () => {
  assert.deepEqual([...levels(Uint8Array.of(0, 255, 232, 0, 0, 3))], [0, 255, 1000])
})

test("numbers without their lowest byte travel in three planes", () => {
  const numbers = Float32Array.of(0, 1, -0.5, 0.25)
  const bytes = new Uint8Array(numbers.buffer)
  const planes = Uint8Array.from([1, 2, 3].flatMap((place) => [0, 1, 2, 3].map((at) => bytes[4 * at + place])))
  assert.deepEqual([...floats(planes)], [...numbers])
})

test("arrow keys walk tiles in rows, to the nearest one of the next row", () => {
  const boxes = [0, 100, 200, 0, 100].map((left, index) => ({ left, top: index < 3 ? 0 : 50 }))
  assert.equal(nextTile(boxes, 0, "ArrowRight"), 1)
  assert.equal(nextTile(boxes, 2, "ArrowRight"), 3)
  assert.equal(nextTile(boxes, 0, "ArrowLeft"), null)
  assert.equal(nextTile(boxes, 1, "ArrowDown"), 4)
  assert.equal(nextTile(boxes, 2, "ArrowDown"), 4)
  assert.equal(nextTile(boxes, 3, "ArrowUp"), 0)
  assert.equal(nextTile(boxes, 4, "ArrowDown"), null)
  assert.equal(nextTile(boxes, 4, "Enter"), null)
})

test("tiles are as wide as lets all of them stand in the room", () => {
  const sizes = { gap: 8, text: 36, least: 88, most: 400 }
  assert.equal(tileWidth([8, 8], { width: 856, height: 1000 }, 1, sizes), 100)
  assert.equal(tileWidth([8, 8], { width: 600, height: 1000 }, 1, sizes), 144)
  assert.equal(tileWidth([8, 8], { width: 4000, height: 408 }, 1, sizes), 164)
  assert.equal(tileWidth([8, 8], { width: 4000, height: 408 }, 2, sizes), 328)
  assert.equal(tileWidth([2], { width: 4000, height: 4000 }, 1, sizes), 400)
  assert.equal(tileWidth([8, 8, 8], { width: 856, height: 200 }, 1, sizes), 88)
  assert.equal(tileWidth([1], { width: 60, height: 200 }, 1, sizes), 60)
  // One group may stand in several rows: four of six tiles are 242 wide here.
  assert.equal(tileWidth([24], { width: 1500, height: 1140 }, 1, sizes), 243)
})
