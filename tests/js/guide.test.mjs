import assert from "node:assert/strict"
import { test } from "node:test"

import { commits } from "../../app/components/enter/enter.js"
import { read } from "../../app/components/guide/guide.js"

test("what the browser remembers is read whatever stands there", () => {
  assert.deepEqual(read(null), { hidden: [], toured: false })
  assert.deepEqual(read('{"hidden":["head","inside"],"toured":true}'), { hidden: ["head", "inside"], toured: true })
  for (const text of ["", "{", "null", "[]", '{"hidden":"head","toured":1}', '{"hidden":[1]}']) {
    assert.deepEqual(read(text), { hidden: [], toured: false })
  }
})

test("Enter alone commits", () => {
  assert.ok(commits({ key: "Enter" }))
  for (const held of ["shiftKey", "ctrlKey", "metaKey", "altKey", "isComposing"]) assert.ok(!commits({ key: "Enter", [held]: true }))
  assert.ok(!commits({ key: "a" }))
})
