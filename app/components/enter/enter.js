// In a field of several lines Enter commits, as Ctrl+Enter does by itself, and Shift+Enter begins a line.
// @ts-check

import { component } from "../base/component.js"

/**
 * @typedef {object} Enter
 * @property {string} label
 */

/** @typedef {import("../base/component.js").State<Enter>} State */

export default component(".enter", { start, draw: () => {} })

/** @param {State} state */
function start(state) {
  const listener = (/** @type {KeyboardEvent} */ event) => press(state, event)
  document.addEventListener("keydown", listener, true)
  state.ends.push(() => document.removeEventListener("keydown", listener, true))
}

/** @param {State} state @param {KeyboardEvent} event */
function press({ data }, event) {
  const field = event.target
  if (!(field instanceof HTMLTextAreaElement) || field.ariaLabel !== data.label || !commits(event)) return
  event.preventDefault()
  event.stopPropagation()
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }))
}

// Enter alone: not the one that ends the choice of a letter where letters are put together from several keys.
/** @param {KeyboardEvent} event */
export function commits({ key, shiftKey, ctrlKey, metaKey, altKey, isComposing }) {
  return key === "Enter" && !(shiftKey || ctrlKey || metaKey || altKey || isComposing)
}
