import assert from "node:assert/strict"
import { test } from "node:test"

import { cellAt, shareAt, within, zoomOf } from "../../app/components/base/pointer.js"

test("a place in a node, whatever its size on the screen", () => {
  const node = { getBoundingClientRect: () => ({ left: 10, top: 20, width: 200, height: 50 }) }
  assert.deepEqual(shareAt(node, { clientX: 60, clientY: 45 }), { x: 0.25, y: 0.5 })
})

test("the cell under the pointer, the nearest one where it is outside", () => {
  const node = { getBoundingClientRect: () => ({ left: 10, top: 20, width: 200, height: 50 }) }
  assert.deepEqual(cellAt(node, { clientX: 60, clientY: 45 }, { rows: 5, columns: 8 }), { row: 2, column: 2 })
  assert.deepEqual(cellAt(node, { clientX: 999, clientY: 0 }, { rows: 5, columns: 8 }), { row: 0, column: 7 })
  assert.deepEqual([-1, 0, 2, 3].map((at) => within(at, 3)), [0, 0, 2, 2])
})

test("a browser that does not know of zoom has none", () => {
  assert.equal(zoomOf({}), 1)
  assert.equal(zoomOf({ currentCSSZoom: 1.5 }), 1.5)
})
