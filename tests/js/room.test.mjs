import assert from "node:assert/strict"
import { test } from "node:test"

import { roomUnder } from "../../app/components/base/room.js"

test("a picture has what is left of the screen, or nearly all of it where it is scrolled to", () => {
  assert.equal(roomUnder(300, 800), 500)
  assert.equal(roomUnder(519, 800), 281)
  assert.equal(roomUnder(900, 800), 704)
})
