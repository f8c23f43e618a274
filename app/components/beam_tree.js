// Searches as trees, one above the other. Selecting, stepping and playing happen here; Python is told where one rests.

import { tell } from "./bus.js"
import { drawLane, follow, mark, paint } from "./lanes.js"
import { showBoard, showChoices, showChosen } from "./panel.js"
import { outcome } from "./steps.js"
import { atStep, drawn, nats, neighbour, piecesTo, planted, probability, winnerAt } from "./tree.js"
import { nameOf } from "./tokens.js"

const PACE = 900
// Milliseconds that one rests on a node before Python is told.
const REST = 120
const KEYS = "Arrow keys walk, Enter opens what may follow, space plays."
const HAS_KEYS = "a, button, input, textarea, select, [role=tree], [contenteditable=true]"
const states = new WeakMap()

export default function beamTree({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".search")
  let state = states.get(root)
  if (!state) {
    state = { root, part: (name) => root.querySelector(`.${name}`), open: false, playing: null, turn: null }
    states.set(root, state)
    state.resize = new ResizeObserver(() => state.views?.forEach((view) => paint(state, view)))
    state.resize.observe(root)
    // In front of a class the keys work without a click into the tree first.
    state.listener = (event) => {
      const own = event.composedPath()[0].closest?.(HAS_KEYS)
      if (state.data.present && state.at && !own) press(state, viewOf(state), event)
    }
    document.addEventListener("keydown", state.listener)
  }
  state.send = (name, value) => setTriggerValue(name, value)
  if (state.data?.signature !== data.signature) build(state, data)
  if (state.turn !== data.turn) {
    state.turn = data.turn
    state.sent = nameOfPlace(data.told)
    select(state, find(state, data.told), { quiet: true })
    // The button that was pressed may be gone.
    if (state.acted && state.at) viewOf(state).scroll.focus({ preventScroll: true })
    state.acted = false
  }
  return () => {
    stop(state)
    clearTimeout(state.waiting)
    state.resize.disconnect()
    document.removeEventListener("keydown", state.listener)
  }
}

function build(state, data) {
  stop(state)
  state.data = data
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

function listen(state) {
  const { part } = state
  part("back").onclick = () => step(state, -1)
  part("next").onclick = () => step(state, 1)
  part("play").onclick = () => play(state)
  part("slider").oninput = (event) => go(state, Number(event.target.value) - 1)
  part("choices").onkeydown = (event) => inChoices(state, event)
}

// A node with the lane it belongs to.
function find(state, told) {
  const lane = state.lanes.find(({ name }) => name === told?.lane)
  const node = lane?.columns[told.step]?.find(({ index }) => index === told.index)
  if (node) return { lane, node }
  const [first] = state.lanes
  const start = winnerAt(first, 0) ?? first.nodes[0]
  return start ? { lane: first, node: start } : null
}

function placeOfNode({ lane, node }) {
  return { lane: lane.name, step: node.step, index: node.index }
}

function nameOfPlace({ lane, step, index }) {
  return `${lane}.${step}.${index}`
}

// `quiet`: Python knows of it, or need not. `now`: it is told at once.
function select(state, at, { quiet = false, now = false } = {}) {
  if (!at) return
  const moved = state.at?.node !== at.node
  state.at = at
  if (moved) state.open = false
  state.views.forEach((each) => mark(state, each))
  follow(state, viewOf(state))
  const { node, lane } = at
  const steps = lane.columns.length
  state.part("slider").max = steps
  state.part("slider").value = node.step + 1
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

function choose(state, lane, node) {
  stop(state)
  select(state, { lane, node }, { now: true })
}

function go(state, to) {
  stop(state)
  select(state, { lane: state.at.lane, node: atStep(state.at.lane, state.at.node, to) })
}

function step(state, by) {
  const { lane, node } = state.at
  const to = node.step + by
  if (to < 0 || to >= lane.columns.length) return
  go(state, to)
}

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

function stop(state) {
  clearInterval(state.playing)
  state.playing = null
  state.part("play").textContent = "Play"
}

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

function speak(state) {
  const { lane, node } = state.at
  const words = `${nameOf(state.data.pieces[node.piece])}, probability ${probability(node.logProb)}, score ${nats(node.score)}`
  state.part("spoken").textContent = `${lane.title}, step ${node.step + 1}: ${words}, ${outcome(node)}`
}

function open(state, wanted) {
  state.open = wanted
  stop(state)
  showChoices(state, { act })
  state.views.forEach((view) => mark(state, view))
  showChosen(state, { act, open: () => open(state, !state.open) })
  const first = state.part("choices").querySelector("button:not([disabled])")
  if (wanted && first) first.focus({ preventScroll: true })
  if (!wanted) viewOf(state).scroll.focus({ preventScroll: true })
}

// The tree in which a node is selected, as it is drawn.
function viewOf(state) {
  return state.views.find(({ lane }) => lane === state.at.lane)
}

function inChoices(state, event) {
  if (event.key === "Escape") {
    open(state, false)
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const now = event.target.closest("li")
    const other = event.key === "ArrowDown" ? now?.nextElementSibling : now?.previousElementSibling
    other?.querySelector(`.${event.target.className}`)?.focus()
  } else return
  event.preventDefault()
  event.stopPropagation()
}

// Something that Python has to do: force or forbid a piece behind a node, or the node's own piece; close a lane.
function act(state, verb, lane, node = null, piece = null) {
  stop(state)
  state.acted = true
  const path = node ? piecesTo(lane, node) : []
  state.send("wanted", { verb, lane: lane.name, path: piece === null ? path : [...path, piece] })
}
