// How one goes through the trees: selecting, stepping, playing, and the keys.
// @ts-check

import { tell } from "../base/bus.js"
import { nameOf } from "../base/tokens.js"
import { open, show, stop, viewOf } from "./asking.js"
import { follow, mark } from "./lanes.js"
import { showBoard } from "./panel.js"
import { outcome } from "./steps.js"
import { atStep, drawn, nats, neighbour, probability, winnerAt } from "./tree.js"

/** @import { Aim, At, Place, State } from "./beam_tree.js" */
/** @import { View } from "./lanes.js" */
/** @import { PlantedLane, TreeNode } from "./tree.js" */

const PACE = 900
// Milliseconds that one rests on a node before Python is told.
const REST = 120

/** @param {At} at */
export function placeOfNode({ lane, node }) {
  return { lane: lane.name, step: node.step, index: node.index }
}

/** @param {Place} place */
export function nameOfPlace({ lane, step, index }) {
  return `${lane}.${step}.${index}`
}

// `quiet`: Python knows of it, or need not. `now`: it is told at once.
/** @param {State} state @param {At | null} at @param {{ quiet?: boolean, now?: boolean }} [options] */
export function select(state, at, { quiet = false, now = false } = {}) {
  if (!at) return
  const moved = state.at?.node !== at.node
  state.at = at
  if (moved) state.open = false
  state.aim = null
  state.views.forEach((each) => mark(state, each))
  follow(state, viewOf(state))
  const { node, lane } = at
  const steps = lane.columns.length
  state.part("slider").max = `${steps}`
  state.part("slider").value = `${node.step + 1}`
  state.part("slider").setAttribute("aria-valuetext", `Step ${node.step + 1} of ${steps}`)
  state.part("now").textContent = `Step ${node.step + 1} of ${steps}`
  state.part("back").disabled = node.step === 0
  state.part("next").disabled = node.step === steps - 1
  show(state)
  showBoard(state, { choose, aim })
  tell("node", nameOfPlace(placeOfNode(at)))
  if (!quiet) report(state, now)
}

/** @param {State} state @param {boolean} now */
function report(state, now) {
  clearTimeout(state.waiting)
  const send = () => {
    const place = placeOfNode(state.at)
    if (state.playing || nameOfPlace(place) === state.sent) return
    state.sent = nameOfPlace(place)
    state.send("picked", place)
  }
  if (now) send()
  else state.waiting = setTimeout(send, REST)
}

/** @param {State} state @param {PlantedLane} lane @param {TreeNode} node */
export function choose(state, lane, node) {
  stop(state)
  select(state, { lane, node }, { now: true })
}

// A piece that the search has not looked at is chosen, to be forced or forbidden.
/** @param {State} state @param {Aim} at */
function aim(state, at) {
  stop(state)
  state.aim = at
  show(state)
}

/** @param {State} state @param {number} to */
export function go(state, to) {
  stop(state)
  select(state, { lane: state.at.lane, node: atStep(state.at.lane, state.at.node, to) })
}

/** @param {State} state @param {number} by */
export function step(state, by) {
  const { lane, node } = state.at
  const to = node.step + by
  if (to < 0 || to >= lane.columns.length) return
  go(state, to)
}

/** @param {State} state */
export function play(state) {
  if (state.playing) {
    stop(state)
    return report(state, true)
  }
  const { lane } = state.at
  const advance = () => {
    const { node } = state.at
    if (node.step + 1 < lane.columns.length) {
      return select(state, { lane, node: atStep(lane, node, node.step + 1) }, { quiet: true })
    }
    stop(state)
    return report(state, true)
  }
  if (state.at.node.step === lane.columns.length - 1) select(state, { lane, node: winnerAt(lane, 0) ?? lane.nodes[0] }, { quiet: true })
  state.playing = setInterval(advance, PACE)
  state.part("play").textContent = "Pause"
  return undefined
}

/** @param {State} state @param {View} view @param {KeyboardEvent} event */
export function press(state, view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !state.at) return
  const { key } = event
  if (key === " ") play(state)
  else if (key === "Enter") open(state, true)
  else if (key === "Escape" && state.open) open(state, false)
  else if (!walk(state, view, key)) return
  event.preventDefault()
  event.stopPropagation()
}

// An arrow key; true: it was one. Above the first and below the last node of a step the next tree begins.
/** @param {State} state @param {View} view @param {string} key */
function walk(state, view, key) {
  if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key)) return false
  stop(state)
  const { pruned } = state.data
  const { lane } = view
  const node = state.at.lane === lane ? state.at.node : lane.nodes[0]
  let next = node && neighbour(lane, node, key, pruned)
  let inside = lane
  if (!next && (key === "ArrowUp" || key === "ArrowDown")) {
    const other = state.views[state.views.indexOf(view) + (key === "ArrowUp" ? -1 : 1)]
    const column = other && node ? drawn(other.lane, node.step, pruned) : []
    next = column[key === "ArrowUp" ? column.length - 1 : 0]
    if (next) {
      inside = other.lane
      other.scroll.focus({ preventScroll: true })
    }
  }
  if (next) {
    select(state, { lane: inside, node: next })
    speak(state)
  }
  return true
}

/** @param {State} state */
function speak(state) {
  const { lane, node } = state.at
  const words = `${nameOf(state.data.pieces[node.piece])}, probability ${probability(node.logProb)}, score ${nats(node.score)}`
  state.part("spoken").textContent = `${lane.title}, step ${node.step + 1}: ${words}, ${outcome(node)}`
}
