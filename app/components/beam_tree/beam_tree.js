// Searches as trees, one above the other. Selecting, stepping and playing happen here; Python is told where one rests.
// @ts-check

import { component, onResize } from "../base/component.js"
import { act, answered, listenToChoices, stop, viewOf } from "./asking.js"
import { drawLane, paint } from "./lanes.js"
import { fitted } from "./layout.js"
import { planted, winnerAt } from "./tree.js"
import { choose, go, nameOfPlace, placeOfNode, play, press, select, step } from "./walk.js"

/** @import { PlantedLane, TreeNode } from "./tree.js" */
/** @import { View } from "./lanes.js" */
/** @import { Bar } from "./steps.js" */

/**
 * @typedef {object} BeamTree
 * @property {string} signature
 * @property {Box} box
 * @property {string[]} fates
 * @property {string[]} signs
 * @property {Record<string, Piece>} pieces
 * @property {number | null} end
 * @property {Lane[]} lanes
 * @property {Place} told
 * @property {number} turn
 * @property {Offers} offers
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
 */

/**
 * @typedef {object} Offer
 * @property {number[]} path
 * @property {Piece[]} labels
 */

/**
 * @typedef {object} Offers
 * @property {string} typed
 * @property {Offer[]} found
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
 * @property {Aim | null} aim a piece that the search has not looked at, to be forced or forbidden
 * @property {Box} box nodes as wide as there is room
 * @property {ReturnType<typeof setInterval> | null} playing
 * @property {ReturnType<typeof setTimeout>} waiting
 * @property {PlantedLane[]} lanes
 * @property {View[]} views
 * @property {At} at what is selected; none before the first message, and where no search has candidates
 * @property {string} sent the place that Python knows
 * @property {boolean} acted
 */
/** @typedef {import("../base/component.js").State<BeamTree> & Own} State */
/** @typedef {{ node: TreeNode | null, text: string, bar: Bar }} Aim behind that node, which reads that text */
/** @typedef {(state: State, verb: string, lane: PlantedLane, node?: TreeNode | null, pieces?: number[]) => void} Act */

const KEYS = "Arrow keys walk, Enter opens what may follow, space plays."
const HAS_KEYS = "a, button, input, textarea, select, [role=tree], [contenteditable=true]"

export default component(".search", { own: () => ({ open: false, playing: null, aim: null }), start, build, draw })

/** @param {State} state */
function start(state) {
  listenToChoices(state)
  onResize(state, state.root, () => {
    if (boxOf(state).width !== state.box.width) lay(state)
    else state.views.forEach((view) => paint(state, view))
  })
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
  if (before && before.offers.typed !== data.offers.typed) answered(state)
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
  state.root.classList.toggle("present", data.present)
  state.part("key").textContent = data.present ? `${KEYS} ${LEGEND}` : LEGEND
  listen(state)
  lay(state)
  if (data.present) state.views[0].scroll.focus({ preventScroll: true })
  state.root.dataset.painted = data.signature
}

// Draw the trees in the room that there is.
/** @param {State} state */
function lay(state) {
  const focused = state.views?.findIndex(({ scroll }) => scroll.matches(":focus"))
  state.box = boxOf(state)
  state.views = state.lanes.map((lane) => drawLane(state, lane, { press, choose, act }))
  state.part("lanes").replaceChildren(...state.views.map(({ section }) => section))
  select(state, find(state, state.at && placeOfNode(state.at)), { quiet: true })
  state.views[focused]?.scroll.focus({ preventScroll: true })
}

// Frame, and the line and room beside each of several trees.
const AROUND = { one: 2, several: 13 }

/** @param {State} state */
function boxOf({ data, lanes, part }) {
  const room = part("lanes").clientWidth - (lanes.length > 1 ? AROUND.several : AROUND.one)
  return fitted(data.box, room, Math.max(...lanes.map(({ columns }) => columns.length)))
}

const LEGEND =
  "Thick: the way to the best translation. Full frame: kept. Dashed: pruned. Round: finished; round and dashed: " +
  "displaced. Dotted: cut off. Struck out: excluded. Underlined: forced. Below a piece: its probability, then the " +
  "score so far."

/** @param {State} state */
function listen(state) {
  const { part } = state
  part("back").onclick = () => step(state, -1)
  part("next").onclick = () => step(state, 1)
  part("play").onclick = () => play(state)
  part("slider").oninput = () => go(state, Number(part("slider").value) - 1)
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
