import assert from "node:assert/strict"
import { test } from "node:test"

import { arrive, opening, returned } from "../../app/components/base/arrival.js"

const body = {}
const picture = () => ({ count: 0, focus() { this.count++ } })
function on(pathname, activeElement = body) {
  globalThis.location = { pathname }
  globalThis.document = { body, activeElement }
}

test("what is opened takes the focus, and Back gives it to what opened it", () => {
  const node = picture()
  on("/overview")
  assert.equal(returned(), null)
  opening("2.1")
  arrive(node)
  assert.equal(node.count, 0, "the same page is no other page")
  on("/")
  arrive(node)
  arrive(node)
  assert.equal(node.count, 1)
  assert.equal(returned(), null)
  on("/overview")
  assert.equal(returned(), "2.1")
  assert.equal(returned(), null)
  on("/")
  arrive(node)
  assert.equal(node.count, 2, "forward leads there again")
})

test("a focus that the visitor has put elsewhere stays there", () => {
  const node = picture()
  on("/overview")
  opening("1.1")
  on("/", {})
  arrive(node)
  assert.equal(node.count, 0)
  on("/overview", {})
  assert.equal(returned(), null)
})
