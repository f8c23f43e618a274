// Keys of the whole page, for Python to act on. What is pressed while it is still busy is sent together afterwards.

import { element } from "./tokens.js"

const EDITABLE = "input, textarea, select, [contenteditable=true]"
const states = new WeakMap()

export default function keys({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".presenter")
  let state = states.get(root)
  if (!state) {
    state = { root, waiting: [] }
    states.set(root, state)
    state.listener = (event) => press(state, event)
    document.addEventListener("keydown", state.listener, true)
  }
  Object.assign(state, { data, busy: false, send: (names) => setTriggerValue("pressed", names) })
  root.querySelector(".hints").replaceChildren(...data.hints.map((hint) => element("span", "hint", hint)))
  root.querySelector(".leave").onclick = () => add(state, data.leave)
  flush(state)
  return () => document.removeEventListener("keydown", state.listener, true)
}

function press(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.composedPath()[0].closest?.(EDITABLE)) return
  const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
  if (name === "?") state.root.classList.toggle("quiet")
  else if (state.data.handled.includes(name)) add(state, name)
  else return
  event.preventDefault()
  event.stopPropagation()
}

function add(state, name) {
  state.waiting.push(name)
  flush(state)
}

function flush(state) {
  if (state.busy || !state.waiting.length) return
  state.busy = true
  state.send(state.waiting.splice(0))
}
