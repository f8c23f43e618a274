// Where the focus goes when a choice opens another page, when Back leads to the choice again, and forward. A focus that
// the visitor has put elsewhere meanwhile stays there.
// @ts-check

import { hear, tell } from "./bus.js"

/** @typedef {{ from: string, what: string, arrived: boolean }} Opened page it was opened from, and what was chosen */

const nowhere = () => !document.activeElement || document.activeElement === document.body

/** @returns {Opened | null} */
function last() {
  /** @type {Opened | null} */
  let found = null
  hear("opened", (opened) => (found = opened))()
  return found
}

// Something is opened from this page.
/** @param {string} what */
export function opening(what) {
  tell("opened", { from: location.pathname, what, arrived: false })
}

// The picture of a page takes the focus, where something on another page has just opened it.
/** @param {HTMLElement} node */
export function arrive(node) {
  const opened = last()
  if (!opened || opened.arrived || opened.from === location.pathname) return
  tell("opened", { ...opened, arrived: true })
  if (nowhere()) node.focus({ preventScroll: true })
}

// What was opened from this page, where Back has just led to it again.
export function returned() {
  const opened = last()
  if (!opened?.arrived || opened.from !== location.pathname) return null
  tell("opened", { ...opened, arrived: false })
  return nowhere() ? opened.what : null
}
