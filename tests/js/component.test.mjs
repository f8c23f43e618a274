import assert from "node:assert/strict"
import { test } from "node:test"

import { hear, tell } from "../../app/components/base/bus.js"
import { arrow, component, followFocus, rove, unpaintAtEnd } from "../../app/components/base/component.js"

// A page with one component: what `parentElement` is to it.
function page(parts = {}) {
  const root = { querySelector: (selector) => parts[selector] ?? null }
  return { querySelector: (selector) => (selector === ".own" ? root : null) }
}

test("a state is made once for a place, built for every other signature and drawn for every message", () => {
  const calls = []
  const draw = component(".own", {
    own: () => ({ count: 0 }),
    start: (state) => calls.push(["start", state.data]),
    build: (state, before) => calls.push(["build", state.data.signature, before?.signature]),
    draw: (state, before) => calls.push(["draw", ++state.count, before?.signature]),
  })
  const parentElement = page()
  for (const signature of ["a", "a", "b"]) draw({ data: { signature }, parentElement, setTriggerValue() {} })
  assert.deepEqual(calls, [
    ["start", undefined], ["build", "a", undefined], ["draw", 1, undefined],
    ["draw", 2, "a"],
    ["build", "b", "a"], ["draw", 3, "a"],
  ])
  draw({ data: { signature: "b" }, parentElement: page(), setTriggerValue() {} })
  assert.deepEqual(calls.slice(6), [["start", undefined], ["build", "b", undefined], ["draw", 1, undefined]])
})

test("it finds its parts, tells Python by the newest way, and undoes at its end what it began", () => {
  const told = []
  const node = {}
  let state
  const draw = component(".own", {
    start: (made) => made.ends.push(() => told.push("first"), () => told.push("second")),
    draw: (made) => (state = made),
  })
  const parentElement = page({ ".title": node })
  draw({ data: {}, parentElement, setTriggerValue: () => told.push("old") })
  const end = draw({ data: {}, parentElement, setTriggerValue: (...sent) => told.push(sent) })
  assert.equal(state.part("title"), node)
  state.send("chosen", 3)
  end()
  assert.deepEqual(told, [["chosen", 3], "first", "second"])
})

test("it follows the focus once it has a message, and its paint goes at its end", () => {
  tell("focus", { side: "source", index: 1 })
  const seen = []
  const draw = component(".own", {
    own: () => ({ token: null }),
    start(state) {
      followFocus(state, ({ token }) => seen.push(token.index))
      unpaintAtEnd(state)
    },
    draw: ({ token }) => seen.push(`drawn ${token.index}`),
  })
  const end = draw({ data: {}, parentElement: page(), setTriggerValue() {} })
  tell("focus", { side: "source", index: 2 })
  tell("paint", { source: [1], output: null })
  end()
  tell("focus", { side: "source", index: 3 })
  assert.deepEqual(seen, ["drawn 1", 2])
  const end2 = hear("paint", (painted) => assert.deepEqual(painted, { source: null, output: null }))
  end2()
})

test("arrow keys go by rows and columns", () => {
  assert.deepEqual(["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"].map(arrow), [[1, 0], [-1, 0], [0, 1], [0, -1]])
  assert.equal(arrow("Enter"), undefined)
})

test("one element alone is reached by Tab", () => {
  const focused = []
  const [now, next] = [{ tabIndex: 0 }, { tabIndex: -1, focus: () => focused.push("next") }]
  rove(now, next)
  assert.deepEqual([now.tabIndex, next.tabIndex, focused], [-1, 0, ["next"]])
  rove(null, next)
  assert.equal(next.tabIndex, 0)
})
