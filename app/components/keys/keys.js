// Keys of the whole page, for Python to act on. What is pressed while it is still busy is sent together afterwards.
// @ts-check

import { component } from "../base/component.js"
import { EDITABLE } from "../base/pointer.js"
import { element } from "../base/tokens.js"

/**
 * @typedef {object} Keys
 * @property {string[]} handled
 * @property {string} leave
 * @property {string[]} hints
 * @property {number} turn
 */

/** @typedef {import("../base/component.js").State<Keys> & { waiting: string[], busy: boolean }} State */

export default component(".presenter", { own: () => ({ waiting: [] }), start, draw })

/** @param {State} state */
function start(state) {
  const listener = (/** @type {KeyboardEvent} */ event) => press(state, event)
  document.addEventListener("keydown", listener, true)
  state.ends.push(() => document.removeEventListener("keydown", listener, true))
}

/** @param {State} state */
function draw(state) {
  state.busy = false
  state.part("hints").replaceChildren(...state.data.hints.map((hint) => element("span", "hint", hint)))
  state.part("leave").onclick = () => add(state, state.data.leave)
  flush(state)
}

/** @param {State} state @param {KeyboardEvent} event */
function press(state, event) {
  const typed = /** @type {Element} */ (event.composedPath()[0]).closest?.(EDITABLE)
  if (event.ctrlKey || event.metaKey || event.altKey || typed) return
  const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
  if (name === "?") state.root.classList.toggle("quiet")
  else if (state.data.handled.includes(name)) add(state, name)
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** @param {State} state @param {string} name */
function add(state, name) {
  state.waiting.push(name)
  flush(state)
}

/** @param {State} state */
function flush(state) {
  if (state.busy || !state.waiting.length) return
  state.busy = true
  state.send("pressed", state.waiting.splice(0))
}
