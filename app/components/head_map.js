// The map of one head: one pixel a weight, scaled up; labels as text; the numbers of what is selected beside it.

import { hear, tell } from "./bus.js"
import { colourOf, css, pixels, table, themeScale } from "./colour.js"
import { cellSize, columnOf, decode, largest, paintOf, placeOf, rowOf, tokenOfRow } from "./matrix.js"
import { described, firstPane, holding, inPane, overview, samePane, showing } from "./pane.js"
import { shareAt, zoomOf } from "./pointer.js"
import { digits, element, nameOf, numbersOf, tokenNode } from "./tokens.js"

const SHOWN = 7
// Pixels that strip, title, controls and column labels take above a map, unless the page says how many it needs there;
// and those between map and panel.
const ABOVE = 436
const GAP = 32
const NOTHING = { row: null, column: null }
const states = new WeakMap()

export default function headMap({ data, parentElement }) {
  const root = parentElement.querySelector(".frame")
  let state = states.get(root)
  if (!state) {
    state = { root, cell: null, token: null, part: (name) => root.querySelector(`.${name}`) }
    states.set(root, state)
    state.resize = new ResizeObserver(() => state.data && arrange(state))
    state.resize.observe(root)
    state.unhear = hear("focus", (token) => {
      state.token = token
      if (state.data) select(state)
    })
  }
  if (state.data?.signature !== data.signature) build(state, data)
  draw(state)
  select(state)
  listen(state)
  return () => {
    state.resize.disconnect()
    state.unhear()
    tell("paint", { source: null, output: null })
  }
}

function build(state, data) {
  const known = state.data?.tokens === data.tokens
  state.data = data
  state.cell = null
  const before = state.matrix
  const matrix = decode(data.weights, data.rows.length, data.columns.length)
  state.matrix = matrix
  if (before?.rows !== matrix.rows || before.columns !== matrix.columns) state.pane = firstPane(matrix, data.overview)
  state.queries = data.rows.map(({ reads, predicts }) => predicts ?? reads)
  state.numbers = { queries: numbersOf(state.queries), keys: numbersOf(data.columns) }
  const { part } = state
  part("corner").replaceChildren(element("span", "key", data.key_axis), element("span", "query", data.query_axis))
  part("title").textContent = data.title
  part("scroll").setAttribute("aria-label", data.name)
  // Another head of the same tokens keeps its labels: to lay them out anew takes longer than all else here.
  if (known) arrange(state)
  else label(state)
}

// The tokens of the part that is shown.
function label(state) {
  const { data, pane, part } = state
  const columns = data.columns.slice(pane.left, pane.left + pane.columns)
  part("columns").replaceChildren(...columns.map((text) => wrap("column-label", tokenNode(text))))
  part("rows").replaceChildren(...data.rows.slice(pane.top, pane.top + pane.rows).map(rowLabel))
  arrange(state)
}

function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  draw(state)
}

function rowLabel({ reads, predicts }) {
  const row = wrap("row-label", tokenNode(reads))
  if (predicts) row.append(element("span", "arrow", "→"), tokenNode(predicts))
  return row
}

function wrap(className, node) {
  const box = element("div", className)
  box.append(node)
  return box
}

function arrange(state) {
  const { pane, part, root } = state
  const panel = getComputedStyle(root).gridTemplateColumns.includes(" ") ? part("panel").offsetWidth + GAP : 0
  const above = Number(getComputedStyle(root).getPropertyValue("--above-map")) || ABOVE
  const height = window.innerHeight / zoomOf(root) - above
  state.size = cellSize(root.clientWidth - panel - part("rows").offsetWidth, height, pane)
  root.style.setProperty("--cell", `${state.size}px`)
  root.style.setProperty("--columns", pane.columns)
  root.style.setProperty("--rows", pane.rows)
  outline(state)
}

function draw(state) {
  const { data, matrix, pane, part, root } = state
  const shares = inPane(matrix, pane).values.map((value) => value / data.most)
  const scale = themeScale(root)
  const colours = table(scale)
  const canvas = part("field").querySelector("canvas")
  canvas.width = pane.columns
  canvas.height = pane.rows
  canvas.getContext("2d").putImageData(new ImageData(pixels(colours, shares), pane.columns), 0, 0)
  overview(part("overview"), { pooled: data.overview, most: data.most, pane, matrix, onMove: (to) => show(state, to) })
  part("pooled").textContent = data.overview ? described(pane, matrix, data.overview.block, data.quantity) : ""
  part("bar").style.background = `linear-gradient(to right, ${scale.join(", ")})`
  part("legend").setAttribute("aria-label", `Colour scale of the ${data.quantity}s, from 0.00 to ${digits(data.most)}`)
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => (share * data.most).toFixed(2))
  part("ticks").replaceChildren(...ticks.map((text) => element("span", "", text)))
  root.style.setProperty("--strong", css(colourOf(colours, 0.7)))
}

function listen(state) {
  const field = state.part("field")
  field.onpointermove = (event) => point(state, cellAt(state, event))
  field.onpointerleave = () => point(state, null)
  field.onclick = (event) => pin(state, cellAt(state, event).row)
  const scroll = state.part("scroll")
  scroll.onkeydown = (event) => walk(state, event)
  scroll.onblur = () => point(state, null)
}

function cellAt({ pane, part }, event) {
  const { x, y } = shareAt(part("field"), event)
  const inside = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)))
  return { row: pane.top + inside(y, pane.rows), column: pane.left + inside(x, pane.columns) }
}

function point(state, cell) {
  if (cell?.row === state.cell?.row && cell?.column === state.cell?.column) return
  state.cell = cell
  select(state)
}

function pin({ data }, row) {
  tell("pin", tokenOfRow(data.kind, row))
}

function walk(state, event) {
  const { matrix } = state
  if (event.key === "Escape") {
    point(state, null)
    return tell("pin", null)
  }
  if (event.key === "Enter" && state.cell) return pin(state, state.cell.row)
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key]
  if (!step) return undefined
  event.preventDefault()
  const { row, column } = state.cell ?? { row: state.pane.top, column: state.pane.left }
  const move = (at, by, count) => Math.min(count - 1, Math.max(0, at + (state.cell ? by : 0)))
  const cell = { row: move(row, step[0], matrix.rows), column: move(column, step[1], matrix.columns) }
  show(state, holding(state.pane, cell))
  point(state, cell)
  state.part("ring").scrollIntoView({ block: "nearest", inline: "nearest" })
  return speak(state)
}

function select(state) {
  const { cell, data, matrix, pane, token } = state
  state.place = cell ?? (token ? placeOf(data.kind, token, matrix) : NOTHING)
  if (!cell && token?.pinned) show(state, showing(pane, strongestAt(matrix, state.place), matrix))
  outline(state)
  tell("paint", paintOf(data.kind, matrix, state.place, data.most))
  read(state)
}

// The cell of the largest weight in a row, or in a column.
function strongestAt(matrix, { row, column }) {
  if (row !== null) return { row, column: largest(rowOf(matrix, row), 1)[0] }
  return column === null ? { row: 0, column: 0 } : { row: largest(columnOf(matrix, column), 1)[0], column }
}

function outline({ cell, pane, part, place, size, root }) {
  if (!place) return
  const inside = (at, start, count) => (at !== null && at >= start && at < start + count ? at - start : null)
  const [row, column] = [inside(place.row, pane.top, pane.rows), inside(place.column, pane.left, pane.columns)]
  const set = (node, shown, axis, index) => {
    node.hidden = !shown
    if (shown) node.style.setProperty(axis, `${index * size}px`)
  }
  set(root.querySelector(".band.row"), row !== null, "top", row)
  set(root.querySelector(".band.column"), column !== null, "left", column)
  set(part("ring"), cell !== null, "top", row)
  set(part("ring"), cell !== null, "left", column)
  mark(part("rows"), row)
  mark(part("columns"), column)
}

function mark(labels, index) {
  for (const [at, node] of [...labels.children].entries()) node.classList.toggle("chosen", at === index)
}

// The panel: where a row looks, who looks at a column, or the strongest links of the map.
function read(state) {
  const { cell, matrix, place } = state
  const { rows, columns, values } = matrix
  const looks = (row, column) => [...query(state, row), words("looks at"), ...(column === null ? [] : key(state, column))]
  if (place.row !== null) {
    const weight = cell ? digits(values[cell.row * columns + cell.column]) : ""
    subject(state, looks(place.row, cell ? cell.column : null), weight)
    list(state, rowOf(matrix, place.row), (column) => key(state, column), place.column)
    if (state.data.hidden) hidden(state, place.row)
  } else if (place.column !== null) {
    subject(state, [...key(state, place.column), words("is looked at by")], "")
    list(state, columnOf(matrix, place.column), (row) => query(state, row), null)
  } else {
    subject(state, [words(`Strongest of ${rows} × ${columns} links`)], "")
    list(state, values, (at) => looks(Math.floor(at / columns), at % columns), null)
    state.part("rest").textContent = ""
  }
}

function query({ numbers, queries }, row) {
  return numbered(queries[row], numbers.queries[row])
}

function key({ data, numbers }, column) {
  return numbered(data.columns[column], numbers.keys[column])
}

function numbered(label, number) {
  return number ? [tokenNode(label), words(number)] : [tokenNode(label)]
}

function words(text) {
  return element("span", "words", text)
}

function subject({ root, part }, nodes, weight) {
  root.querySelector(".subject .link").replaceChildren(...nodes)
  part("weight").textContent = weight
}

// The largest weights, and among them always the chosen one.
function list({ data, part }, weights, nodesOf, chosen) {
  const best = largest(weights, SHOWN)
  const shown = chosen === null || best.includes(chosen) ? best : [...best.slice(0, -1), chosen]
  const items = shown.map((index) => {
    const item = element("li", index === chosen ? "chosen" : "")
    const link = element("span", "link")
    link.append(...nodesOf(index))
    const bar = element("span", "share")
    bar.style.setProperty("--share", weights[index] / data.most)
    item.append(link, element("span", "number", digits(weights[index])), bar)
    return item
  })
  part("links").replaceChildren(...items)
  const others = weights.length - shown.length
  const rest = weights.reduce((sum, w) => sum + w, 0) - shown.reduce((sum, index) => sum + weights[index], 0)
  part("rest").textContent = others > 0 ? `${others} more: ${digits(Math.max(0, rest))} together` : ""
}

function hidden({ data, part }, row) {
  part("rest").append(element("span", "hidden", `${digits(data.hidden[row])} on hidden symbols`))
}

function speak({ cell, data, matrix, numbers, part }) {
  const { row, column } = cell
  const { reads, predicts } = data.rows[row]
  const subject = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  const object = `${nameOf(data.columns[column])} ${numbers.keys[column]}`.trim()
  const weight = digits(matrix.values[row * matrix.columns + column])
  part("spoken").textContent = `${subject} ${numbers.queries[row]}`.trim() + `, looks at ${object}: ${weight}`
}
