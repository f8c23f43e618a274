// The map of one head: one pixel a weight, scaled up; labels as text; the numbers of what is selected beside it.
// @ts-check

import { tell } from "../base/bus.js"
import { arrive } from "../base/arrival.js"
import { colourOf, css, gradient, paintCanvas, pixels, scaleOf, seenThrough } from "../base/colour.js"
import { arrow, component, followFocus, unpaintAtEnd } from "../base/component.js"
import { NOWHERE, cellSize, columnOf, decode, largest, paintOf, placeOf, rowOf, tokenOfRow } from "../base/matrix.js"
import { described, firstPane, frame, holding, inPane, overview, samePane, showing } from "../base/pane.js"
import { cellAt, within, zoomOf } from "../base/pointer.js"
import { onRoom, roomBelow } from "../base/room.js"
import { digits, element, nameOf, numbersOf, one, signed, tokenNode, variables } from "../base/tokens.js"

/** @import { Cell, Kind, Matrix, Numbers, Place, Quantity, Token } from "../base/matrix.js" */
/** @import { Label, Row } from "../base/tokens.js" */
/** @import { Overview, Pane } from "../base/pane.js" */

/**
 * @typedef {object} HeadMap
 * @property {string} signature
 * @property {string} tokens
 * @property {Kind} kind
 * @property {string} title
 * @property {string} name
 * @property {Quantity} quantity
 * @property {number} most
 * @property {string} query_axis
 * @property {string} key_axis
 * @property {Row[]} rows
 * @property {Label[]} columns
 * @property {string} weights
 * @property {Overview | null} overview
 * @property {number[] | null} hidden
 * @property {string} meaning
 * @property {boolean} settable
 * @property {SetCell | null} set
 */

/**
 * @typedef {object} SetCell
 * @property {number} row
 * @property {number} column
 * @property {number} before
 */

/**
 * @typedef {object} Own
 * @property {Token | null} token that the strip has in focus
 * @property {Cell | null} cell that is pointed at
 * @property {Cell | null} held cell that was chosen, to have its weight set
 * @property {Place} place that is selected: the cell, else what stands for the token
 * @property {Matrix} matrix
 * @property {Pane} pane
 * @property {number} size pixels of a cell
 * @property {boolean} signed its numbers are differences
 * @property {(value: number) => string} number as it is written
 * @property {ReturnType<typeof scaleOf>} scale of its colours
 * @property {Label[]} queries
 * @property {Numbers} numbers
 * @property {boolean[]} unseen columns that are hidden
 */
/** @typedef {import("../base/component.js").State<HeadMap> & Own} State */

const SHOWN = 7
// Pixels between map and panel, and between map and the edge of the screen; a map that has no room there has these at
// least, or a screen but for those above.
const GAP = 32
const EDGE = 24
const [LEAST, ABOVE] = [400, 320]

export default component(".frame", {
  own: () => ({ cell: null, held: null, token: null }),
  start(state) {
    onRoom(state, () => arrange(state))
    arrive(state.part("scroll"))
    followFocus(state, select)
    unpaintAtEnd(state)
  },
  build,
  draw(state) {
    draw(state)
    select(state)
    listen(state)
  },
})

/** @param {State} state @param {HeadMap | undefined} before */
function build(state, before) {
  const { data, matrix: last } = state
  if (before?.tokens !== data.tokens) state.held = null
  state.cell = null
  state.unseen = data.columns.map(({ special }) => special && data.hidden !== null)
  state.signed = data.quantity === "difference"
  state.number = state.signed ? signed : digits
  const matrix = decode(data.weights, data.rows.length, data.columns.length)
  state.matrix = matrix
  if (last?.rows !== matrix.rows || last.columns !== matrix.columns) state.pane = firstPane(matrix, data.overview)
  state.queries = data.rows.map(({ reads, predicts }) => predicts ?? reads)
  state.numbers = { queries: numbersOf(state.queries), keys: numbersOf(data.columns) }
  const { part } = state
  const [reads, predicts] = data.query_axis.split(/(?<=→ )/)
  const axis = element("span", "query", predicts ?? reads)
  if (predicts) axis.prepend(element("span", "reads", reads))
  part("corner").replaceChildren(element("span", "key", data.key_axis), axis)
  part("title").textContent = data.title
  part("panel").setAttribute("aria-label", `Numbers of ${data.title}`)
  part("meaning").textContent = data.meaning
  part("scroll").setAttribute("aria-label", data.name)
  // Another head of the same tokens keeps its labels: to lay them out anew takes longer than all else here.
  if (before?.tokens === data.tokens) arrange(state)
  else label(state)
}

// The tokens of the part that is shown.
/** @param {State} state */
function label(state) {
  const { data, pane, part } = state
  const columns = data.columns.slice(pane.left, pane.left + pane.columns)
  part("columns").replaceChildren(...columns.map((text) => wrap("column-label", tokenNode(text))))
  part("rows").replaceChildren(...data.rows.slice(pane.top, pane.top + pane.rows).map(rowLabel))
  arrange(state)
}

/** @param {State} state @param {Pane} pane */
function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  draw(state)
}

/** @param {Row} row */
function rowLabel({ reads, predicts }) {
  const row = wrap("row-label", tokenNode(reads))
  row.title = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  if (predicts) row.append(element("span", "arrow", "→"), tokenNode(predicts))
  return row
}

/** @param {string} className @param {Node} node */
function wrap(className, node) {
  const box = element("div", className)
  box.append(node)
  return box
}

/** @param {State} state */
function arrange(state) {
  const { pane, part, root } = state
  const panel = getComputedStyle(root).gridTemplateColumns.includes(" ") ? part("panel").offsetWidth + GAP : 0
  const room = roomBelow(part("scroll")) - EDGE
  const height = room - part("columns").offsetHeight
  state.size = cellSize(root.clientWidth - panel - part("rows").offsetWidth, height, pane)
  const type = state.size < 40 ? 13 : state.size < 56 ? 15 : 20
  variables(root, { cell: `${state.size}px`, columns: pane.columns, rows: pane.rows })
  variables(root, { room: `${Math.max(LEAST, room, window.innerHeight / zoomOf(root) - ABOVE)}px`, type: `${type}px` })
  outline(state)
  scrolled(state)
}

// What of a map is in sight where it has to be scrolled; null where all is.
/** @param {State} state @returns {Pane | null} */
function sight({ pane, part, size }) {
  const scroll = part("scroll")
  const [below, right] = [scroll.scrollHeight - scroll.clientHeight, scroll.scrollWidth - scroll.clientWidth]
  if (Math.max(below, right) < size / 2) return null
  const rows = Math.min(pane.rows, (scroll.clientHeight - part("columns").offsetHeight) / size)
  const columns = Math.min(pane.columns, (scroll.clientWidth - part("rows").offsetWidth) / size)
  return { top: scroll.scrollTop / size, left: scroll.scrollLeft / size, rows, columns }
}

// Beside a map that has to be scrolled stands the whole of it, small; an edge shows where it goes on.
/** @param {State} state */
function scrolled(state) {
  const { data, matrix, part } = state
  const seen = sight(state)
  const [scroll, whole] = [part("scroll"), part("overview")]
  scroll.classList.toggle("below", seen !== null && seen.top + seen.rows < state.pane.rows - 0.1)
  scroll.classList.toggle("right", seen !== null && seen.left + seen.columns < state.pane.columns - 0.1)
  if (data.overview) return
  part("pooled").textContent = seen ? described(seen, matrix, 1, data.quantity) : ""
  if (seen && whole.dataset.of === data.signature) return frame(whole, seen, matrix)
  whole.dataset.of = seen ? data.signature : ""
  const { rows, columns, values } = matrix
  const onMove = (/** @type {Pane} */ { top, left }) => scroll.scrollTo(left * state.size, top * state.size)
  const pane = () => sight(state) ?? state.pane
  overview(whole, seen && { rows, columns, weights: values }, data, { pane, matrix, onMove })
}

/** @param {State} state */
function draw(state) {
  const { data, matrix, pane, part, root } = state
  const { at, entries, stops } = (state.scale = scaleOf(root, data.quantity, data.most))
  const unseen = state.unseen.slice(pane.left, pane.left + pane.columns)
  const canvas = one(part("field"), "canvas")
  paintCanvas(canvas, pane.columns, seenThrough(pixels(entries, inPane(matrix, pane).values.map(at)), unseen))
  canvas.classList.toggle("hatched", unseen.includes(true))
  if (data.overview) {
    overview(part("overview"), data.overview, data, { pane: () => state.pane, matrix, onMove: (to) => show(state, to) })
    part("pooled").textContent = described(pane, matrix, data.overview.block, data.quantity)
  }
  part("bar").style.background = gradient(stops)
  const ticks = ticksOf(state)
  const ends = state.signed ? [ticks[0], ticks[2]] : ["0.00", digits(data.most)]
  part("legend").setAttribute("aria-label", `Colour scale of the ${data.quantity}s, from ${ends.join(" to ")}`)
  part("ticks").replaceChildren(...ticks.map((text) => element("span", "", text)))
  variables(root, { strong: css(colourOf(entries, 0.7)) })
}

// A signed scale ends at the same number on either side of 0.
/** @param {State} state */
function ticksOf({ data, signed: both }) {
  if (both) return [-data.most, 0, data.most].map((value) => (value ? signed(value) : "0"))
  return [0, 0.25, 0.5, 0.75, 1].map((share) => (share * data.most).toFixed(2))
}

/** @param {State} state */
function listen(state) {
  const field = state.part("field")
  field.onpointermove = (event) => point(state, cellOf(state, event))
  field.onpointerleave = () => point(state, null)
  field.onclick = (event) => choose(state, cellOf(state, event))
  const scroll = state.part("scroll")
  scroll.onkeydown = (event) => walk(state, event)
  scroll.onblur = () => point(state, null)
  scroll.onscroll = () => scrolled(state)
  state.part("set").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const weight = state.part("value").valueAsNumber
    if (state.held && weight >= 0 && weight <= 1) state.send("set", { ...state.held, weight })
  }
}

// Pin the row, and have the cell ready to be set where it can be.
/** @param {State} state @param {Cell} cell */
function choose(state, cell) {
  const { data, part, matrix } = state
  // A row of the decoder looks at nothing that comes after it; the first one has a single key.
  const fixed = state.unseen[cell.column] || (data.kind === "decoder" && (cell.column > cell.row || cell.row === 0))
  state.held = data.settable && !fixed ? cell : null
  if (state.held) part("value").value = matrix.values[cell.row * matrix.columns + cell.column].toFixed(2)
  pin(state, cell.row)
  select(state)
}

// What can be done with the cell that was chosen, and what was done.
/** @param {State} state */
function offer(state) {
  const { data, held, matrix, part } = state
  part("set").hidden = !held || !data.settable
  part("hint").textContent = data.settable && !held ? "Click a cell, or Enter, to set its weight." : ""
  if (held) part("cell").replaceChildren(...query(state, held.row), words("on"), ...key(state, held.column))
  const now = data.set && digits(matrix.values[data.set.row * matrix.columns + data.set.column])
  part("was").textContent = data.set ? `The dashed cell was set: ${now}; it was ${digits(data.set.before)}.` : ""
}

/** @param {State} state @param {MouseEvent} event */
function cellOf({ pane, part }, event) {
  const { row, column } = cellAt(part("field"), event, pane)
  return { row: pane.top + row, column: pane.left + column }
}

/** @param {State} state @param {Cell | null} cell */
function point(state, cell) {
  if (cell?.row === state.cell?.row && cell?.column === state.cell?.column) return
  state.cell = cell
  select(state)
}

/** @param {State} state @param {number} row */
function pin({ data }, row) {
  tell("pin", tokenOfRow(data.kind, row))
}

/** @param {State} state @param {KeyboardEvent} event */
function walk(state, event) {
  const { matrix } = state
  if (event.key === "Escape") {
    state.held = null
    point(state, null)
    return tell("pin", null)
  }
  if (event.key === "Enter" && state.cell) return choose(state, state.cell)
  const step = arrow(event.key)
  if (!step) return undefined
  event.preventDefault()
  const { row, column } = state.cell ?? { row: state.pane.top, column: state.pane.left }
  const move = (at, by, count) => within(at + (state.cell ? by : 0), count)
  const cell = { row: move(row, step[0], matrix.rows), column: move(column, step[1], matrix.columns) }
  show(state, holding(state.pane, cell))
  point(state, cell)
  state.part("ring").scrollIntoView({ block: "nearest", inline: "nearest" })
  return speak(state, cell)
}

/** @param {State} state */
function select(state) {
  const { cell, data, matrix, pane, token } = state
  state.place = cell ?? (token ? placeOf(data.kind, token, matrix) : NOWHERE)
  if (!cell && token?.pinned) show(state, showing(pane, strongestAt(matrix, state.place), matrix))
  outline(state)
  offer(state)
  // The strip has a scale of weights alone.
  if (!state.signed) tell("paint", paintOf(data.kind, matrix, state.place, data.most, state.unseen))
  read(state)
}

// The cell of the largest weight in a row, or in a column.
/** @param {Matrix} matrix @param {Place} place */
function strongestAt(matrix, { row, column }) {
  if (row !== null) return { row, column: largest(rowOf(matrix, row), 1)[0] }
  return column === null ? { row: 0, column: 0 } : { row: largest(columnOf(matrix, column), 1)[0], column }
}

/** @param {State} state */
function outline({ cell, data, held, pane, part, place, size }) {
  if (!place) return
  const inside = (at, start, count) => (at !== null && at >= start && at < start + count ? at - start : null)
  const [row, column] = [inside(place.row, pane.top, pane.rows), inside(place.column, pane.left, pane.columns)]
  const set = (node, shown, axis, index) => {
    node.hidden = !shown
    if (shown) node.style.setProperty(axis, `${index * size}px`)
  }
  set(part("band.row"), row !== null, "top", row)
  set(part("band.column"), column !== null, "left", column)
  const at = (name, found) => {
    const [top, left] = found ? [inside(found.row, pane.top, pane.rows), inside(found.column, pane.left, pane.columns)] : [null, null]
    set(part(name), top !== null && left !== null, "top", top)
    set(part(name), top !== null && left !== null, "left", left)
  }
  at("ring", cell ?? held)
  at("was-set", data.set)
  mark(part("rows"), row)
  mark(part("columns"), column)
}

/** @param {Element} labels @param {number | null} index */
function mark(labels, index) {
  for (const [at, node] of [...labels.children].entries()) node.classList.toggle("chosen", at === index)
}

// The panel: where a row looks, who looks at a column, or the strongest links of the map.
/** @param {State} state */
function read(state) {
  const { cell, matrix, place } = state
  const { rows, columns, values } = matrix
  const looks = (row, column) => [...query(state, row), words("looks at"), ...(column === null ? [] : key(state, column))]
  if (place.row !== null) {
    const weight = cell ? (state.unseen[cell.column] ? "hidden" : state.number(values[cell.row * columns + cell.column])) : ""
    subject(state, looks(place.row, cell ? cell.column : null), weight)
    list(state, rowOf(matrix, place.row), (column) => key(state, column), place.column)
  } else if (place.column !== null) {
    subject(state, [...key(state, place.column), words("is looked at by")], "")
    list(state, columnOf(matrix, place.column), (row) => query(state, row), null)
  } else {
    subject(state, [words(`${state.signed ? "Largest changes" : "Strongest"} of ${rows} × ${columns} links`)], "")
    list(state, values, (at) => looks(Math.floor(at / columns), at % columns), null)
    state.part("rest").textContent = ""
  }
  hidden(state, place)
}

/** @param {State} state @param {number} row */
function query({ numbers, queries }, row) {
  return numbered(queries[row], numbers.queries[row])
}

/** @param {State} state @param {number} column */
function key({ data, numbers }, column) {
  return numbered(data.columns[column], numbers.keys[column])
}

/** @param {Label} label @param {string} number */
function numbered(label, number) {
  return number ? [tokenNode(label), words(number)] : [tokenNode(label)]
}

/** @param {string} text */
function words(text) {
  return element("span", "words", text)
}

/** @param {State} state @param {Node[]} nodes @param {string} weight */
function subject({ root, part }, nodes, weight) {
  one(root, ".subject .link").replaceChildren(...nodes)
  part("weight").textContent = weight
}

/**
 * The largest weights, and among them always the chosen one.
 *
 * @param {State} state
 * @param {Float32Array} weights
 * @param {(index: number) => Node[]} nodesOf
 * @param {number | null} chosen
 */
function list({ data, matrix, number, part, place, scale, signed: both, unseen }, weights, nodesOf, chosen) {
  // A column that is hidden has no weight to be listed; of a column alone the list has rows.
  const column = place.row === null ? place.column : null
  const gone = (/** @type {number} */ index) => unseen[column ?? index % matrix.columns]
  const best = largest(weights, SHOWN).filter((index) => !gone(index))
  const shown = chosen === null || gone(chosen) || best.includes(chosen) ? best : [...best.slice(0, -1), chosen]
  const items = shown.map((index) => {
    const item = element("li", index === chosen ? "chosen" : "")
    const link = element("span", "link")
    link.append(...nodesOf(index))
    const bar = element("span", "share")
    variables(bar, { share: data.most && Math.abs(weights[index]) / data.most })
    if (both) variables(bar, { strong: css(colourOf(scale.entries, weights[index] < 0 ? 0.15 : 0.85)) })
    item.append(link, element("span", "number", number(weights[index])), bar)
    return item
  })
  part("links").replaceChildren(...items)
  const seen = weights.filter((_, index) => !gone(index)).length
  const others = seen - shown.length
  const rest = weights.reduce((sum, w) => sum + w, 0) - shown.reduce((sum, index) => sum + weights[index], 0)
  part("rest").textContent = others > 0 ? `${others} more: ${number(both ? rest : Math.max(0, rest))} together` : ""
}

// What stands on symbols that are hidden: of the row that is selected, else of a row on average.
/** @param {State} state @param {Place} place */
function hidden({ data, number, part, unseen }, { row }) {
  if (!data.hidden) return
  const mass = row === null ? data.hidden.reduce((sum, value) => sum + value, 0) / data.hidden.length : data.hidden[row]
  const hatched = unseen.includes(true) ? " (hatched)" : ""
  const text = `${number(mass)} ${row === null ? "of a row, on average, " : ""}on hidden symbols${hatched}`
  part("rest").append(element("span", "hidden", text))
}

/** @param {State} state @param {Cell} cell */
function speak({ data, matrix, number, numbers, part }, { row, column }) {
  const { reads, predicts } = data.rows[row]
  const subject = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  const object = `${nameOf(data.columns[column])} ${numbers.keys[column]}`.trim()
  const weight = number(matrix.values[row * matrix.columns + column])
  part("spoken").textContent = `${subject} ${numbers.queries[row]}`.trim() + `, looks at ${object}: ${weight}`
}
