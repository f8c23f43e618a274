import assert from "node:assert/strict"
import { test } from "node:test"

import { hear, tell } from "../../app/components/base/bus.js"
import { decimals, digits, nameOf, numbersOf, signed } from "../../app/components/base/tokens.js"

test("numbers that stand together have equally many decimals", () => {
  assert.deepEqual([-1.012, 0.000533, -0.00246, 12].map(decimals([-1.012, 12])), ["−1.01", "0.00", "0.00", "12.00"])
  assert.deepEqual([0.00942, -0.0004].map(decimals([0.00942, -0.0004])), ["0.0094", "−0.0004"])
  assert.equal(decimals([])(0), "0.00")
})

test("numbers have three significant digits", () => {
  const shown = [0, 1, 0.5, 0.123456, 0.0123456, 0.000123456, 0.0000123456, -1.2345].map(digits)
  assert.deepEqual(shown, ["0.00", "1.00", "0.500", "0.123", "0.0123", "0.000123", "1.23e−5", "−1.23"])
})

test("differences have three decimals and a sign, but for what is rounded to 0", () => {
  const shown = [0, 0.25, -0.1234, 0.0004, -0.0004, -0.0006].map(signed)
  assert.deepEqual(shown, ["0.000", "+0.250", "−0.123", "0.000", "0.000", "−0.001"])
})

test("byte pieces say which part of the character they are", () => {
  assert.equal(nameOf({ full: "▁Haus", part: 1, parts: 1 }), "▁Haus")
  assert.equal(nameOf({ full: "€", part: 2, parts: 3 }), "€ (byte 2 of 3)")
})

test("who listens late hears what was said last, and nothing after the end", () => {
  const heard = []
  tell("focus", 1)
  const end = hear("focus", (detail) => heard.push(detail))
  tell("focus", 2)
  tell("paint", 9)
  end()
  tell("focus", 3)
  assert.deepEqual(heard, [1, 2])
})

test("tokens that look the same are numbered", () => {
  const label = (full) => ({ full, part: 1, parts: 1 })
  assert.deepEqual(numbersOf(["▁the", "▁dog", "▁the"].map(label)), ["#1", "", "#3"])
})
