// One head over training: a slider, a small map of every moment, and the map of the one chosen, which stands elsewhere.
// Nothing is asked of the server on the way.
// @ts-check

import { tell } from "../base/bus.js"
import { levelPixels, paintCanvas, scaleOf } from "../base/colour.js"
import { component, rove } from "../base/component.js"
import { cut, inflate, nextTile, stillAsked } from "../base/mosaic.js"
import { within } from "../base/pointer.js"
import { attributes, element, one, variables } from "../base/tokens.js"

/**
 * @typedef {object} Course
 * @property {string} signature
 * @property {string} of
 * @property {string} name
 * @property {number} rows
 * @property {number} columns
 * @property {CourseMoment[]} moments
 * @property {number} at
 * @property {number} most
 * @property {string} maps
 */

/**
 * @typedef {object} CourseMoment
 * @property {number} step
 * @property {string} short
 * @property {string} said
 */

/** @typedef {import("../base/component.js").State<Course> & { at: number, maps: Uint8Array[], tiles: HTMLElement[], told: string, timer: ReturnType<typeof setInterval> | null, settling: ReturnType<typeof setTimeout> | undefined, sent: number }} State */

// Steps from 0 to 1 of a weight; milliseconds between two moments that are played, and until one that stays is told to
// the server, for the address.
const LEVELS = 255
const PLAYED = 450
const SETTLED = 500

export default component(".course", {
  own: () => ({ at: -1, maps: [], tiles: [], told: "", timer: null, settling: undefined, sent: -1 }),
  start(state) {
    state.ends.push(() => {
      stop(state)
      clearTimeout(state.settling)
      tell("moment", null)
    })
  },
  build,
  draw(state, before) {
    const { data } = state
    // What this page has chosen itself comes back once, a moment later: it may have gone on since.
    if (data.at === state.sent) state.sent = -1
    else if (before?.at !== data.at) state.at = data.at
    state.at = within(state.at, data.moments.length)
    listen(state)
    if (state.maps.length) paint(state)
    show(state)
  },
})

/** @param {State} state */
function build(state) {
  const { data, part, root } = state
  state.maps = []
  inflate(data.maps).then((bytes) => {
    if (!stillAsked(state, data.signature)) return
    state.maps = cut(bytes, data.rows * data.columns)
    paint(state)
    show(state)
  })
  part("moments").setAttribute("aria-label", data.name)
  attributes(part("slider"), { max: data.moments.length - 1, "aria-label": "Step of the training" })
  variables(root, { aspect: Math.min(2, Math.max(0.5, data.columns / data.rows)) })
  const told = data.moments.map(({ said }) => said).join()
  if (state.told === told) return
  state.told = told
  state.tiles = data.moments.map(({ short, said }, at) => {
    const node = element("button", "moment")
    attributes(node, { type: "button", tabindex: -1, title: said, "aria-label": said })
    node.append(element("canvas"), element("span", "step", short))
    node.onclick = () => choose(state, at)
    node.onkeydown = (event) => walk(state, event)
    return node
  })
  part("moments").replaceChildren(...state.tiles)
}

/** @param {State} state */
function listen(state) {
  const { part } = state
  part("slider").oninput = () => choose(state, Number(part("slider").value))
  part("play").onclick = () => (state.timer === null ? play(state) : stop(state))
}

/** @param {State} state */
function play(state) {
  const last = state.data.moments.length - 1
  if (state.at === last) go(state, 0)
  state.timer = setInterval(() => {
    go(state, state.at + 1)
    if (state.at === last) stop(state)
  }, PLAYED)
  state.part("play").textContent = "Pause"
}

/** @param {State} state */
function stop(state) {
  if (state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
  state.part("play").textContent = "Play"
  settle(state)
}

/** @param {State} state @param {number} at */
function choose(state, at) {
  stop(state)
  go(state, at)
  settle(state)
}

/** @param {State} state @param {number} at */
function go(state, at) {
  state.at = within(at, state.data.moments.length)
  show(state)
}

/** @param {State} state */
function settle(state) {
  clearTimeout(state.settling)
  state.settling = setTimeout(() => {
    state.sent = state.at
    state.send("moment", state.at)
  }, SETTLED)
}

/** @param {State} state @param {KeyboardEvent} event */
function walk(state, event) {
  const boxes = state.tiles.map((node) => node.getBoundingClientRect())
  const now = state.tiles.findIndex((node) => node === event.currentTarget)
  const next = nextTile(boxes, now, event.key)
  if (next === null) return
  event.preventDefault()
  rove(state.tiles[now], state.tiles[next])
}

// Of a moment: its place on the slider, its words, and its map, for the large one to show.
/** @param {State} state */
function show(state) {
  const { at, data, maps, part, root, tiles } = state
  const moment = data.moments[at]
  part("slider").value = String(at)
  part("slider").setAttribute("aria-valuetext", moment.said)
  part("said").textContent = `${moment.said[0].toUpperCase()}${moment.said.slice(1)}`
  for (const [index, node] of tiles.entries()) {
    attributes(node, { "aria-current": index === at })
    if (!tiles.some((each) => each.matches(":focus"))) node.tabIndex = index === at ? 0 : -1
  }
  if (!maps.length) return
  tell("moment", { of: data.of, values: Float32Array.from(maps[at], (level) => level / LEVELS) })
  root.dataset.shown = String(at)
}

/** @param {State} state */
function paint({ data, maps, root, tiles }) {
  const { entries } = scaleOf(root, "weight", data.most)
  const most = Math.max(1, Math.round(LEVELS * data.most))
  for (const [index, node] of tiles.entries()) {
    const levels = Uint16Array.from(maps[index], (level) => Math.min(level, most))
    paintCanvas(one(node, "canvas"), data.columns, levelPixels(entries, levels, most))
  }
  root.dataset.painted = data.signature
}
