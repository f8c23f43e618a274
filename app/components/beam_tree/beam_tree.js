// Searches as trees, one above the other. Selecting, stepping and playing happen here; Python is told where one rests.
// @ts-check

import { tell } from "../base/bus.js"
import { component, onResize } from "../base/component.js"
import { drawLane, follow, mark, paint } from "./lanes.js"
import { showBoard, showChoices, showChosen } from "./panel.js"
import { outcome } from "./steps.js"
import { atStep, drawn, nats, neighbour, piecesTo, planted, probability, winnerAt } from "./tree.js"
import { nameOf, one } from "../base/tokens.js"

/** @import { PlantedLane, TreeNode } from "./tree.js" */
/** @import { View } from "./lanes.js" */

/**
 * @typedef {object} BeamTree
 * @property {string} signature
 * @property {Box} box
 * @property {string[]} fates
 * @property {string[]} signs
 * @property {Record<string, Piece>} pieces
 * @property {Lane[]} lanes
 * @property {Place} told
 * @property {number} turn
 * @property {boolean} pruned
 * @property {boolean} full
 * @property {boolean} present
 */

/**
 * @typedef {object} Box
 * @property {number} width
 * @property {number} height
 * @property {number} gap
 * @property {number} drop
 */

/**
 * @typedef {object} Piece
 * @property {string} mark
 * @property {string} text
 * @property {string} full
 * @property {number} part
 * @property {number} parts
 * @property {boolean} special
 * @property {string} short
 */

/**
 * @typedef {object} Lane
 * @property {string} name
 * @property {string} title
 * @property {string} how
 * @property {string} note
 * @property {string} ended
 * @property {number | null} parts
 * @property {boolean} closable
 * @property {Known[][]} steps
 * @property {NodeRow[]} nodes
 * @property {Found[]} found
 */

/**
 * @typedef {object} Known
 * @property {string} text
 * @property {number} entropy
 * @property {[number, number][]} next
 */

/**
 * @typedef {object} Found
 * @property {string} text
 * @property {number} total
 * @property {number} score
 * @property {boolean} finished
 * @property {number} length
 */

/**
 * @typedef {object} Place
 * @property {string} lane
 * @property {number} step
 * @property {number} index
 */

/** @typedef {(number | null)[]} NodeRow in the order of `FIELDS` */
/** @typedef {{ lane: PlantedLane, node: TreeNode }} At */

/**
 * @typedef {object} Own
 * @property {boolean} open whether what may follow is listed
 * @property {ReturnType<typeof setInterval> | null} playing
 * @property {ReturnType<typeof setTimeout>} waiting
 * @property {PlantedLane[]} lanes
 * @property {View[]} views
 * @property {At} at what is selected; none before the first message, and where no search has candidates
 * @property {string} sent the place that Python knows
 * @property {boolean} acted
 */
/** @typedef {import("../base/component.js").State<BeamTree> & Own} State */
/** @typedef {(state: State, verb: string, lane: PlantedLane, node?: TreeNode | null, piece?: number | null) => void} Act */

const PACE = 900
// Milliseconds that one rests on a node before Python is told.
const REST = 120
const KEYS = "Arrow keys walk, Enter opens what may follow, space plays."
const HAS_KEYS = "a, button, input, textarea, select, [role=tree], [contenteditable=true]"

export default component(".search", { own: () => ({ open: false, playing: null }), start, build, draw })

/** @param {State} state */
function start(state) {
  onResize(state, state.root, () => state.views.forEach((view) => paint(state, view)))
  // In front of a class the keys work without a click into the tree first.
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const own = /** @type {Element} */ (event.composedPath()[0]).closest?.(HAS_KEYS)
    if (state.data.present && state.at && !own) press(state, viewOf(state), event)
  }
  document.addEventListener("keydown", listener)
  state.ends.push(() => {
    stop(state)
    clearTimeout(state.waiting)
    document.removeEventListener("keydown", listener)
  })
}

/** @param {State} state @param {BeamTree | undefined} before */
function draw(state, before) {
  const { data } = state
  if (before?.turn === data.turn) return
  state.sent = nameOfPlace(data.told)
  select(state, find(state, data.told), { quiet: true })
  // The button that was pressed may be gone.
  if (state.acted && state.at) viewOf(state).scroll.focus({ preventScroll: true })
  state.acted = false
}

/** @param {State} state */
function build(state) {
  const { data } = state
  stop(state)
  state.lanes = data.lanes.map((lane) => planted(lane, data.fates))
  state.views = state.lanes.map((lane) => drawLane(state, lane, { press, choose, act }))
  state.part("lanes").replaceChildren(...state.views.map(({ section }) => section))
  state.root.classList.toggle("present", data.present)
  state.part("key").textContent = data.present ? `${KEYS} ${LEGEND}` : LEGEND
  listen(state)
  select(state, find(state, state.at && placeOfNode(state.at)), { quiet: true })
  if (data.present) state.views[0].scroll.focus({ preventScroll: true })
  state.root.dataset.painted = data.signature
}

const LEGEND =
  "Thick: the way to the best translation. Full frame: kept. Dashed: pruned. Round: finished; round and dashed: " +
  "displaced. Dotted: cut off. Struck out: excluded. Below a piece: its probability; the score so far."

/** @param {State} state */
function listen(state) {
  const { part } = state
  part("back").onclick = () => step(state, -1)
  part("next").onclick = () => step(state, 1)
  part("play").onclick = () => play(state)
  part("slider").oninput = () => go(state, Number(part("slider").value) - 1)
  part("choices").onkeydown = (event) => inChoices(state, event)
}

// A node with the lane it belongs to.
/** @param {State} state @param {Place | undefined} told */
function find(state, told) {
  const lane = told && state.lanes.find(({ name }) => name === told.lane)
  const node = lane && lane.columns[told.step]?.find(({ index }) => index === told.index)
  if (node) return { lane, node }
  const [first] = state.lanes
  const start = winnerAt(first, 0) ?? first.nodes[0]
  return start ? { lane: first, node: start } : null
}

/** @param {At} at */
function placeOfNode({ lane, node }) {
  return { lane: lane.name, step: node.step, index: node.index }
}

/** @param {Place} place */
function nameOfPlace({ lane, step, index }) {
  return `${lane}.${step}.${index}`
}

// `quiet`: Python knows of it, or need not. `now`: it is told at once.
/** @param {State} state @param {At | null} at @param {{ quiet?: boolean, now?: boolean }} [options] */
function select(state, at, { quiet = false, now = false } = {}) {
  if (!at) return
  const moved = state.at?.node !== at.node
  state.at = at
  if (moved) state.open = false
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
  showChosen(state, { act, open: () => open(state, !state.open) })
  showChoices(state, { act })
  showBoard(state, { choose })
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
function choose(state, lane, node) {
  stop(state)
  select(state, { lane, node }, { now: true })
}

/** @param {State} state @param {number} to */
function go(state, to) {
  stop(state)
  select(state, { lane: state.at.lane, node: atStep(state.at.lane, state.at.node, to) })
}

/** @param {State} state @param {number} by */
function step(state, by) {
  const { lane, node } = state.at
  const to = node.step + by
  if (to < 0 || to >= lane.columns.length) return
  go(state, to)
}

/** @param {State} state */
function play(state) {
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

/** @param {State} state */
function stop(state) {
  clearInterval(state.playing ?? undefined)
  state.playing = null
  state.part("play").textContent = "Play"
}

/** @param {State} state @param {View} view @param {KeyboardEvent} event */
function press(state, view, event) {
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

/** @param {State} state @param {boolean} wanted */
function open(state, wanted) {
  state.open = wanted
  stop(state)
  showChoices(state, { act })
  state.views.forEach((view) => mark(state, view))
  showChosen(state, { act, open: () => open(state, !state.open) })
  if (wanted) one(state.part("choices"), "button:not([disabled])")?.focus({ preventScroll: true })
  if (!wanted) viewOf(state).scroll.focus({ preventScroll: true })
}

// The tree in which a node is selected, as it is drawn.
/** @param {State} state */
function viewOf(state) {
  return /** @type {View} */ (state.views.find(({ lane }) => lane === state.at.lane))
}

/** @param {State} state @param {KeyboardEvent} event */
function inChoices(state, event) {
  if (event.key === "Escape") {
    open(state, false)
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const button = /** @type {Element} */ (event.target)
    const now = button.closest("li")
    const other = event.key === "ArrowDown" ? now?.nextElementSibling : now?.previousElementSibling
    if (other) one(other, `.${button.className}`)?.focus()
  } else return
  event.preventDefault()
  event.stopPropagation()
}

/**
 * Something that Python has to do: force or forbid a piece behind a node, or the node's own piece; close a lane.
 *
 * @param {State} state
 * @param {string} verb
 * @param {PlantedLane} lane
 * @param {TreeNode | null} [node]
 * @param {number | null} [piece]
 */
function act(state, verb, lane, node = null, piece = null) {
  stop(state)
  state.acted = true
  const path = node ? piecesTo(lane, node) : []
  state.send("wanted", { verb, lane: lane.name, path: piece === null ? path : [...path, piece] })
}
