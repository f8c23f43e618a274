// The keys of the page, in a dialog that `?` opens and closes.
// @ts-check

import { component } from "../base/component.js"
import { EDITABLE } from "../base/pointer.js"
import { element } from "../base/tokens.js"

/**
 * @typedef {object} Help
 * @property {KeyHelp[]} rows
 */

/**
 * @typedef {object} KeyHelp
 * @property {string} where
 * @property {string} keys
 * @property {string} does
 */

/** @typedef {import("../base/component.js").State<Help>} State */

export default component(".help", { start, draw })

/** @param {State} state */
function start(state) {
  const dialog = /** @type {HTMLDialogElement} */ (/** @type {unknown} */ (state.part("dialog")))
  const turn = () => (dialog.open ? dialog.close() : dialog.showModal())
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const typed = /** @type {Element} */ (event.composedPath()[0]).closest?.(EDITABLE)
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || typed) return
    event.preventDefault()
    turn()
  }
  document.addEventListener("keydown", listener)
  state.ends.push(() => document.removeEventListener("keydown", listener))
  state.part("open").onclick = turn
}

/** @param {State} state */
function draw({ data, part }) {
  const rows = data.rows.map(({ where, keys, does }) => {
    const row = element("tr")
    const head = element("th", "", where)
    head.scope = "row"
    const cell = element("td")
    cell.append(element("kbd", "", keys))
    row.append(head, cell, element("td", "", does))
    return row
  })
  part("rows").replaceChildren(...rows)
}
