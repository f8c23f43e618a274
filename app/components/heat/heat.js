// A map of numbers, as many cells as it has: one pixel a cell, drawn as large as there is room. Pointing reads a number;
// arrow keys walk.
// @ts-check

import { gradient, paintCanvas, pixels, scaleOf } from "../base/colour.js"
import { arrow, component } from "../base/component.js"
import { halves, inflate, levels } from "../base/mosaic.js"
import { cellAt, within } from "../base/pointer.js"
import { digits, element, variables } from "../base/tokens.js"
import { ticks } from "./ticks.js"

/**
 * @typedef {object} Heat
 * @property {string} signature
 * @property {string} name
 * @property {HeatAxis} x
 * @property {HeatAxis} y
 * @property {string} what
 * @property {number} most
 * @property {boolean} signed
 * @property {string} values
 * @property {HeatLane[]} lanes
 * @property {boolean} shared
 * @property {Record<string, string>} regions
 * @property {number} height
 * @property {boolean} large
 */

/**
 * @typedef {object} HeatAxis
 * @property {string} title
 * @property {number} first
 * @property {number} count
 * @property {string[]} names
 * @property {boolean} down
 */

/**
 * @typedef {object} HeatLane
 * @property {string} name
 * @property {HeatRun[]} runs
 */

/**
 * @typedef {object} HeatRun
 * @property {string} region
 * @property {number} first
 * @property {number} count
 */

// Letters of a name that stands upright.
const UPRIGHT = 3

/** @typedef {import("../base/component.js").State<Heat> & { values: { of: string, at: Float32Array } | null, cell: import("../base/matrix.js").Cell | null }} State */

export default component(".heat", { own: () => ({ values: null, cell: null }), start, draw })

/** @param {State} state */
function start(state) {
  const map = state.part("map")
  const canvas = /** @type {HTMLCanvasElement} */ (map.querySelector("canvas"))
  map.onpointermove = (event) => peek(state, cellAt(canvas, event, size(state)))
  map.onpointerleave = map.onblur = () => peek(state, null)
  map.onkeydown = (event) => {
    const step = arrow(event.key)
    if (!step) return
    event.preventDefault()
    const [rows, columns] = step
    const { row, column } = state.cell ?? { row: -rows, column: -columns }
    peek(state, { row: within(row + rows, size(state).rows), column: within(column + columns, size(state).columns) })
    state.part("spoken").textContent = state.part("peek").textContent
  }
}

/** @param {State} state */
function size({ data }) {
  return { rows: data.y.count, columns: data.x.count }
}

/** @param {State} state */
function draw(state) {
  const { data, part, root } = state
  peek(state, null)
  variables(root, {
    height: `${data.height}px`,
    rendering: Math.max(data.x.count, data.y.count) > 200 ? "auto" : "pixelated",
  })
  root.classList.toggle("names", data.x.names.some((name) => name.length > UPRIGHT))
  root.classList.toggle("named", data.y.names.length > 0)
  root.classList.toggle("large", data.large)
  part("map").setAttribute("aria-label", data.name)
  part("x-title").textContent = data.x.title
  part("y-title").textContent = data.y.title
  part("x-ticks").replaceChildren(...marks(data.x))
  part("y-ticks").replaceChildren(...marks(data.y, !data.y.down))
  legend(state)
  margin(state)
  if (state.values?.of === data.signature) paint(state, state.values.at)
  else
    inflate(data.values).then((bytes) => {
      if (state.data.signature !== data.signature || !root.isConnected) return
      state.values = { of: data.signature, at: halves(levels(bytes)) }
      paint(state, state.values.at)
    })
}

// Numbers or names beside an axis, from 0 to 1; upwards where it runs so.
/** @param {HeatAxis} axis */
function marks({ first, count, names }, up = false) {
  const shown = names.length ? names.map((name, at) => ({ at, name })) : ticks(first, count)
  return shown.map(({ at, name }) => {
    const node = element("span", "", name)
    const share = (at + 0.5) / count
    variables(node, { at: up ? 1 - share : share })
    return node
  })
}

/** @param {State} state */
function legend({ data, part, root }) {
  const least = data.signed ? digits(-data.most) : "0.00"
  part("least").textContent = least
  part("most").textContent = digits(data.most)
  part("what").textContent = data.what
  part("scale").setAttribute("aria-label", `Colour scale of ${data.what}, from ${least} to ${digits(data.most)}`)
  part("bar").style.background = gradient(scaleOf(root, data.signed ? "difference" : "weight", data.most).stops)
  const used = new Set(data.lanes.flatMap(({ runs }) => runs.map(({ region }) => region)))
  part("regions").replaceChildren(
    ...[...used].map((region) => {
      const node = element("span")
      node.append(element("span", `region ${region}`), document.createTextNode(data.regions[region]))
      return node
    }),
  )
}

// Below the map where its columns are positions, else with an axis of its own.
/** @param {State} state */
function margin({ data, part }) {
  const [here, away] = data.shared ? ["lanes", "own-lanes"] : ["own-lanes", "lanes"]
  part(here).replaceChildren(...data.lanes.flatMap((lane) => lanes(lane, data.regions)))
  part(away).replaceChildren()
  part("own").hidden = data.shared || !data.lanes.length
  const count = data.lanes[0]?.runs.reduce((sum, run) => sum + run.count, 0) ?? 0
  const own = data.shared || !count ? [] : marks({ title: "", first: 0, count, names: [], down: false })
  part("own-ticks").replaceChildren(...own)
  part("own-title").textContent = data.shared ? "" : "position (from 0)"
}

/** @param {HeatLane} lane @param {Record<string, string>} names */
function lanes({ name, runs }, names) {
  const lane = element("div", "lane")
  lane.append(
    ...runs.map(({ region, first, count }) => {
      const node = element("span", `region ${region}`)
      node.title = `${name}: ${first} to ${first + count - 1} ${names[region]}`
      variables(node, { count })
      return node
    }),
  )
  return [element("span", "lane-name", name), lane]
}

/** @param {State} state @param {Float32Array} values shares of the largest, no number where there is none */
function paint({ data, part, root }, values) {
  const { entries, at } = scaleOf(root, data.signed ? "difference" : "weight", 1)
  const { count: columns } = data.x
  const rows = Array.from({ length: data.y.count }, (_, row) => values.subarray(row * columns, (row + 1) * columns))
  const stood = data.y.down ? rows : rows.reverse()
  const shown = Float32Array.from(stood.flatMap((row) => Array.from(row, at)))
  const colours = pixels(entries, shown)
  shown.forEach((value, cell) => Number.isNaN(value) && (colours[4 * cell + 3] = 0))
  paintCanvas(/** @type {HTMLCanvasElement} */ (part("map").querySelector("canvas")), columns, colours)
  root.dataset.painted = data.signature
}

// What a cell says, beside it; rows are counted from the top.
/** @param {State} state @param {import("../base/matrix.js").Cell | null} cell */
function peek(state, cell) {
  const { data, part } = state
  const box = part("peek")
  const values = data && state.values?.of === data.signature ? state.values.at : null
  state.cell = cell
  box.hidden = !cell || !values
  if (!cell || !values) return
  const { x, y } = data
  const row = y.down ? cell.row : y.count - 1 - cell.row
  const value = values[row * x.count + cell.column] * data.most
  const spelt = (/** @type {HeatAxis} */ axis, /** @type {number} */ at) => `${axis.title} ${axis.names[at] ?? axis.first + at}`
  const number = Number.isNaN(value) ? "nothing" : digits(value)
  box.textContent = `${spelt(x, cell.column)}, ${spelt(y, row)}: ${number}`
  const left = (cell.column + 1) / x.count > 0.5
  box.style.left = left ? "" : `${(100 * (cell.column + 1)) / x.count}%`
  box.style.right = left ? `${100 - (100 * cell.column) / x.count}%` : ""
  box.style.top = `${(100 * cell.row) / y.count}%`
}
