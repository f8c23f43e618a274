import assert from "node:assert/strict"
import { test } from "node:test"

import { shareAt, zoomOf } from "../../app/components/base/pointer.js"

test("a place in a node, whatever its size on the screen", () => {
  const node = { getBoundingClientRect: () => ({ left: 10, top: 20, width: 200, height: 50 }) }
  assert.deepEqual(shareAt(node, { clientX: 60, clientY: 45 }), { x: 0.25, y: 0.5 })
})

test("a browser that does not know of zoom has none", () => {
  assert.equal(zoomOf({}), 1)
  assert.equal(zoomOf({ currentCSSZoom: 1.5 }), 1.5)
})
