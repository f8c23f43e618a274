import assert from "node:assert/strict"
import { test } from "node:test"

import { colourOf, css, gradient, inkOn, levelPixels, parse, seenThrough, pixels, placeOn, table } from "../../app/components/base/colour.js"

test("a table runs evenly through its stops", () => {
  const grey = table(["#000000", "#FFFFFF"])
  assert.equal(grey.length, 256 * 3)
  assert.deepEqual(colourOf(grey, 0), [0, 0, 0])
  assert.deepEqual(colourOf(grey, 1), [255, 255, 255])
  assert.deepEqual(colourOf(grey, 100 / 255), [100, 100, 100])

  const three = table(["#000000", " #ff0000", "#0000ff"])
  assert.deepEqual(colourOf(three, 1), [0, 0, 255])
  const [red, , blue] = colourOf(three, 0.25)
  assert.ok(Math.abs(red - 128) <= 1 && blue === 0)
})

test("values out of range take the ends", () => {
  const grey = table(["#000000", "#FFFFFF"])
  assert.deepEqual(colourOf(grey, -1), [0, 0, 0])
  assert.deepEqual(colourOf(grey, 1.5), [255, 255, 255])
})

test("one opaque pixel a value", () => {
  const grey = table(["#000000", "#FFFFFF"])
  assert.deepEqual([...pixels(grey, new Float32Array([0, 1]))], [0, 0, 0, 255, 255, 255, 255, 255])
})

test("bytes have the colours of their table", () => {
  const colours = table(["#123456", "#ff0000", "#FFFFFF"])
  const values = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  assert.deepEqual(levelPixels(colours, values, 255), pixels(colours, Float32Array.from(values, (byte) => byte / 255)))
})

test("ink can be read on every colour", () => {
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  for (let code = 0; code < 4096; code += 7) {
    const colour = [(code >> 8) * 17, ((code >> 4) & 15) * 17, (code & 15) * 17]
    const [dark, light] = [luminance(colour), luminance(parse(inkOn(colour)))].sort((a, b) => a - b)
    assert.ok((light + 0.05) / (dark + 0.05) >= 4.5, css(colour))
  }
})

test("a scale from left to right", () => {
  assert.equal(gradient(["#FFFFFF", "#000000"]), "linear-gradient(to right, #FFFFFF, #000000)")
})

test("a signed scale has 0 in its middle and ends at the same number on either side", () => {
  const at = placeOn(true, 0.4)
  assert.deepEqual([-0.4, 0, 0.4].map(at), [0, 0.5, 1])
  assert.deepEqual([0, 0.2, 0.4].map(placeOn(false, 0.4)), [0, 0.5, 1])
  assert.equal(placeOn(true, 0)(0), 0.5)
  assert.equal(placeOn(false, 0)(0), 0)
})

test("columns that are hidden are seen through", () => {
  const found = seenThrough(new Uint8ClampedArray(16).fill(255), [false, true])
  assert.deepEqual([3, 7, 11, 15].map((at) => found[at]), [255, 0, 255, 0])
  assert.ok(seenThrough(new Uint8ClampedArray(8).fill(255), []).every((value) => value === 255))
})
