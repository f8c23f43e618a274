// What a visitor can ask for: pieces to be forced or forbidden, from what may follow or typed, and lanes to be closed.
// @ts-check

import { one } from "../base/tokens.js"
import { mark } from "./lanes.js"
import { showChoices, showChosen } from "./panel.js"
import { piecesTo } from "./tree.js"

/** @import { State } from "./beam_tree.js" */
/** @import { View } from "./lanes.js" */
/** @import { PlantedLane, TreeNode } from "./tree.js" */

// Milliseconds without a key until what was typed is looked up.
const PAUSE = 150

/** @param {State} state */
export function stop(state) {
  clearInterval(state.playing ?? undefined)
  state.playing = null
  state.part("play").textContent = "Play"
}

/** @param {State} state @param {boolean} wanted */
export function open(state, wanted) {
  state.open = wanted
  stop(state)
  state.aim = null
  show(state)
  state.views.forEach((view) => mark(state, view))
  const first = one(state.part("choices"), "button:not([disabled])") ?? state.part("typed")
  if (wanted) first.focus({ preventScroll: true })
  if (!wanted) viewOf(state).scroll.focus({ preventScroll: true })
}

// The tree in which a node is selected, as it is drawn.
/** @param {State} state */
export function viewOf(state) {
  return /** @type {View} */ (state.views.find(({ lane }) => lane === state.at.lane))
}

// What is selected, and what may follow it.
/** @param {State} state */
export function show(state) {
  showChosen(state, { act, open: () => open(state, !state.open) })
  showChoices(state, { act })
}

// What was typed has been looked up.
/** @param {State} state */
export function answered(state) {
  if (state.open) showChoices(state, { act })
}

/** @param {State} state */
export function listenToChoices(state) {
  const [box, typed] = [state.part("choices"), state.part("typed")]
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  const ask = () => {
    clearTimeout(waiting)
    if (typed.value.trim() && typed.value !== state.data.offers.typed) state.send("typed", typed.value)
    else showChoices(state, { act })
  }
  typed.oninput = () => {
    clearTimeout(waiting)
    waiting = setTimeout(ask, PAUSE)
  }
  state.ends.push(() => clearTimeout(waiting))
  box.onkeydown = (event) => {
    const { key } = event
    if (key === "Escape") open(state, false)
    else if (key === "Enter" && event.target === typed) enter(state, ask)
    else if (key !== "ArrowDown" && key !== "ArrowUp") return
    else move(state, /** @type {Element} */ (event.target), key === "ArrowDown")
    event.preventDefault()
    event.stopPropagation()
  }
}

// Enter in the field: to the first piece that is offered, or ask for some.
/** @param {State} state @param {() => void} ask */
function enter(state, ask) {
  const typed = state.part("typed")
  if (!typed.value.trim()) state.part("empty").hidden = false
  else if (typed.value === state.data.offers.typed) one(state.part("choices"), "button:not([disabled])")?.focus()
  else ask()
}

// From row to row; above the first one is the field.
/** @param {State} state @param {Element} from @param {boolean} down */
function move(state, from, down) {
  const row = from.closest("li")
  if (!row) return one(state.part("choices"), "button:not([disabled])")?.focus()
  const other = down ? row.nextElementSibling : row.previousElementSibling
  if (other) return one(other, `.${from.className}`)?.focus()
  return down ? undefined : state.part("typed").focus()
}

/**
 * Something that Python has to do: force or forbid a piece behind a node, or the node's own piece; close a lane.
 *
 * @param {State} state
 * @param {string} verb
 * @param {PlantedLane} lane
 * @param {TreeNode | null} [node]
 * @param {number[]} [pieces]
 */
export function act(state, verb, lane, node = null, pieces = []) {
  stop(state)
  state.acted = true
  state.part("typed").value = ""
  const path = node ? piecesTo(lane, node) : []
  state.send("wanted", { verb, lane: lane.name, path: [...path, ...pieces] })
}
