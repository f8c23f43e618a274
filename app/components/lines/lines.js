// The line view: two columns of tokens and the links between them. Hover shows, click pins, arrow keys walk.
// @ts-check

import { tell } from "../base/bus.js"
import { parse } from "../base/colour.js"
import { arrow, component, followFocus, rove, unpaintAtEnd } from "../base/component.js"
import { laneWidth, linksAt, linksUnder, numbersAt, sorted, strokes, tokenOfColumn, unpack } from "./links.js"
import { NOWHERE, UNPAINTED, placeOf, tokenOfRow } from "../base/matrix.js"
import { shareAt, within, zoomOf } from "../base/pointer.js"
import { contains, described, firstPane, holding, overview, samePane, showing } from "../base/pane.js"
import { onRoom, roomBelow } from "../base/room.js"
import { attributes, digits, element, nameOf, numbersOf, one, tokenNode, variables } from "../base/tokens.js"

/** @import { Kind, Place, Quantity, Size, Token } from "../base/matrix.js" */
/** @import { Label, Row } from "../base/tokens.js" */
/** @import { Overview, Pane } from "../base/pane.js" */
/** @import { Link, SortedLinks } from "./links.js" */

/**
 * @typedef {object} Lines
 * @property {string} signature
 * @property {Kind} kind
 * @property {string} title
 * @property {Quantity} quantity
 * @property {number} most
 * @property {string} query_axis
 * @property {string} key_axis
 * @property {Row[]} rows
 * @property {Label[]} columns
 * @property {Overview | null} overview
 * @property {LinkedHead[]} heads
 * @property {number[]} choices
 * @property {string} drawn
 * @property {string} meaning
 */

/**
 * @typedef {object} LinkedHead
 * @property {number} head
 * @property {Links} links
 * @property {number[] | null} hidden
 */

/**
 * @typedef {object} Links
 * @property {number[]} rows
 * @property {number[]} columns
 * @property {number[]} weights
 */

/**
 * @typedef {object} Own
 * @property {Token | null} token that the strip has in focus
 * @property {Place | null} hover what is pointed at
 * @property {Place} place that is selected
 * @property {Size} size
 * @property {Pane} pane
 * @property {number} row pixels of a row
 * @property {string[]} palette
 * @property {SortedLinks} links
 * @property {Link[]} drawn links inside the pane
 * @property {(HTMLElement | null)[]} queries none outside the pane, as of keys
 * @property {(HTMLElement | null)[]} keys
 */
/** @typedef {import("../base/component.js").State<Lines> & Own} State */

const [ROW, MOST] = [22, 40]
// Pixels between rows and screen; and links that the panel names.
const EDGE = 48
const LEAST = 400
const NAMED = 12

export default component(".lines", {
  own: () => ({ hover: null, token: null }),
  start(state) {
    onRoom(state, () => draw(state))
    listen(state)
    followFocus(state, select)
    unpaintAtEnd(state)
  },
  build,
  draw(state) {
    select(state)
    draw(state)
  },
})

/** @param {State} state */
function build(state) {
  const { data, part, root } = state
  const size = { rows: data.rows.length, columns: data.columns.length }
  const kept = state.size?.rows === size.rows && state.size.columns === size.columns
  Object.assign(state, { size, hover: null, pane: kept ? state.pane : firstPane(size, data.overview) })
  state.palette = getComputedStyle(root).getPropertyValue("--st-chart-categorical-colors").split(",")
  const drawnAs = strokes(data.heads.map(({ head }) => head), state.palette)
  state.links = sorted(data.heads.flatMap(({ links }, at) => unpack(links, drawnAs[at])))
  part("queries").setAttribute("aria-label", data.query_axis)
  part("keys").setAttribute("aria-label", data.key_axis)
  part("axis.query").textContent = data.query_axis
  part("axis.key").textContent = data.key_axis
  part("title").textContent = data.title
  part("drawn").textContent = data.drawn
  part("meaning").textContent = data.meaning
  chips(state)
  label(state)
}

// The colours of the heads. Where there are others to choose, each is a switch that draws its head or leaves it out.
/** @param {State} state */
function chips(state) {
  const { data, palette, part, root } = state
  const drawn = data.heads.map(({ head }) => head)
  const heads = data.choices.length ? data.choices : drawn
  const focus = /** @type {HTMLElement | null} */ (root.querySelector(".heads button:focus"))?.dataset.head
  const items = strokes(heads, palette).map(({ head, colour }) => {
    const item = element("li")
    const chip = data.choices.length ? element("button", "chip", `Head ${head + 1}`) : element("span", "chip", `Head ${head + 1}`)
    variables(chip, { colour })
    attributes(chip, { "data-head": head })
    if (chip instanceof HTMLButtonElement) {
      chip.type = "button"
      chip.tabIndex = -1
      attributes(chip, { "aria-pressed": drawn.includes(head) })
      chip.onclick = () => state.send("toggled", { head })
    }
    item.append(chip)
    return item
  })
  part("heads").replaceChildren(...items)
  if (!data.choices.length) return
  const buttons = /** @type {HTMLElement[]} */ ([...part("heads").querySelectorAll("button")])
  const at = Math.max(0, buttons.findIndex(({ dataset }) => dataset.head === (focus ?? `${drawn[0]}`)))
  buttons[at].tabIndex = 0
  if (focus !== undefined) buttons[at].focus()
  part("heads").onkeydown = (event) => {
    const now = buttons.findIndex((node) => node === event.target)
    const way = arrow(event.key)
    const next = way && buttons[now + way[0] + way[1]]
    if (!next) return
    event.preventDefault()
    rove(buttons[now], next)
  }
}

// Pointing at a line names every head that links its two tokens, with its weight.
/** @param {State} state */
function listen(state) {
  const field = state.part("field")
  field.onpointermove = (event) => {
    const { x, y } = shareAt(field, event)
    const { data, drawn, pane, row } = state
    if (!data) return
    const rows = field.clientHeight / row
    const sizes = { lane: laneWidth(data.heads.length, row) / row, reach: 4 / row }
    peek(state, linksUnder(drawn, { x, y: y * rows }, pane, sizes), event)
  }
  field.onpointerleave = () => peek(state, [])
  state.part("stage").onscroll = () => state.data && edge(state)
}

/** @param {State} state @param {Link[]} links of the same tokens @param {PointerEvent} [event] */
function peek(state, links, event) {
  const { part, root } = state
  const box = part("peek")
  box.hidden = !links.length
  if (!links.length || !event) return
  box.replaceChildren(pair(state, links[0]), ...links.map((link) => named(link, [])))
  const [wall, zoom] = [root.getBoundingClientRect(), zoomOf(root)]
  box.style.top = `${(event.clientY - wall.top) / zoom + 12}px`
  box.style.left = `${Math.max(0, Math.min((event.clientX - wall.left) / zoom + 12, wall.width / zoom - box.offsetWidth))}px`
}

/** @param {State} state @param {{ row: number, column: number }} link */
function pair({ data }, { row, column }) {
  const { reads, predicts } = data.rows[row]
  const line = element("p", "pair")
  line.append(tokenNode(predicts ?? reads), element("span", "words", "looks at"), tokenNode(data.columns[column]))
  return line
}

// A head with its weight, in its colour.
/** @param {Link} link @param {Node[]} nodes what stands between */
function named({ colour, head, weight }, nodes) {
  const item = element("p", "named")
  const chip = element("span", "chip", `Head ${head + 1}`)
  variables(chip, { colour })
  item.append(chip, ...nodes, element("strong", "", digits(weight)))
  return item
}

// The tokens of the part that is shown: the buttons at indices that are theirs in the sentence, the others missing.
/** @param {State} state */
function label(state) {
  const { data, pane, part } = state
  const some = (all, start, count, make) =>
    all.map((item, index) => (index >= start && index < start + count ? make(state, item, index) : null))
  state.queries = some(data.rows, pane.top, pane.rows, query)
  state.keys = some(data.columns, pane.left, pane.columns, key)
  part("queries").replaceChildren(...state.queries.filter((node) => node !== null))
  part("keys").replaceChildren(...state.keys.filter((node) => node !== null))
  for (const side of ["queries", "keys"]) one(part(side), "button").tabIndex = 0
  const { size } = state
  overview(part("overview"), data.overview, data, { pane: () => state.pane, matrix: size, onMove: (to) => show(state, to) })
  const touched = state.links.all.filter(({ row, column }) => state.queries[row] || state.keys[column])
  state.drawn = touched.filter((link) => contains(pane, link))
  part("pooled").textContent = data.overview
    ? described(pane, size, data.overview.block, data.quantity) +
      ` ${touched.length - state.drawn.length} links lead out of it, drawn for a selected token.`
    : ""
}

/** @param {State} state @param {Pane} pane */
function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  select(state)
  draw(state)
}

/** @param {State} state @param {Row} tokens @param {number} row */
function query(state, { reads, predicts }, row) {
  const nodes = predicts
    ? [wrap("read", tokenNode(reads)), element("span", "arrow", "→"), tokenNode(predicts)]
    : [tokenNode(reads)]
  const name = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  return button(state, nodes, `${name}, row ${row + 1}`, { row, column: null }, tokenOfRow(state.data.kind, row))
}

/** @param {State} state @param {Label} label @param {number} column */
function key(state, label, column) {
  const token = tokenOfColumn(state.data.kind, column)
  return button(state, [tokenNode(label)], `${nameOf(label)}, key ${column + 1}`, { row: null, column }, token)
}

/** @param {string} className @param {Node} node */
function wrap(className, node) {
  const box = element("span", className)
  box.append(node)
  return box
}

/** @param {State} state @param {Node[]} nodes @param {string} name @param {Place} place @param {Token | null} token */
function button(state, nodes, name, place, token) {
  const node = element("button")
  node.type = "button"
  node.tabIndex = -1
  node.append(...nodes, element("span", "number"))
  node.setAttribute("aria-label", name)
  node.onmouseenter = () => point(state, place)
  node.onmouseleave = () => point(state, null)
  node.onfocus = () => node.matches(":focus-visible") && point(state, place, true)
  node.onblur = () => point(state, null)
  node.onclick = () => token && tell("pin", token)
  node.onkeydown = (event) => walk(state, event, place)
  return node
}

/** @param {State} state @param {Place | null} place @param {boolean} [aloud] */
function point(state, place, aloud = false) {
  state.hover = place
  select(state)
  if (aloud) speak(state)
}

/** @param {State} state @param {KeyboardEvent} event @param {Place} place */
function walk(state, event, { row, column }) {
  if (event.key === "Escape") return tell("pin", null)
  const way = arrow(event.key)
  const { pane, size } = state
  const [right, at] = [row === null, row ?? column ?? 0]
  if (!way || way[1] === (right ? 1 : -1)) return undefined
  const across = (start, count) => start + within(at - start, count)
  const beyond = right ? across(pane.top, pane.rows) : across(pane.left, pane.columns)
  const [keys, to] = way[0] ? [right, at + way[0]] : [!right, beyond]
  if (to < 0 || to >= (keys ? size.columns : size.rows)) return undefined
  event.preventDefault()
  show(state, holding(state.pane, keys ? { row: null, column: to } : { row: to, column: null }))
  const next = (keys ? state.keys : state.queries)[to]
  return next && rove((right ? state.keys : state.queries)[at], next)
}

/** @param {State} state */
function select(state) {
  const { data, hover, links, part, size, token } = state
  state.place = hover ?? (token ? placeOf(data.kind, token, size) : NOWHERE)
  if (state.place.row !== null) state.place = { row: state.place.row, column: null }
  if (!hover && token?.pinned) {
    const pane = showing(state.pane, strongestAt(state), size)
    if (!samePane(pane, state.pane)) return show(state, pane)
  }
  const { keys, queries } = state
  const chosen = state.place.row !== null || state.place.column !== null
  const numbers = chosen ? numbersAt(links, state.place) : new Map()
  const [near, far] = state.place.row === null ? [keys, queries] : [queries, keys]
  near.forEach((node, index) => node && mark(node, index === (state.place.row ?? state.place.column), ""))
  far.forEach((node, index) => node && mark(node, false, numbers.has(index) ? digits(numbers.get(index)) : ""))
  part("rest").textContent = hidden(data, state.place.row)
  list(state, chosen ? linksAt(links, state.place) : [])
  tell("paint", painted(state, numbers))
  return highlight(state)
}

// The strongest link of the selected row or column; the beginning where there is none.
/** @param {State} state */
function strongestAt({ links, place }) {
  const chosen = place.row === null && place.column === null ? [] : linksAt(links, place)
  /** @type {Place & { weight: number }} */
  const beginning = { ...place, weight: 0 }
  return chosen.reduce((best, link) => (link.weight > best.weight ? link : best), beginning)
}

// The links of the selected token by head, strongest first.
/** @param {State} state @param {Link[]} links */
function list(state, links) {
  const { data, part, place } = state
  const best = [...links].sort((one, other) => other.weight - one.weight).slice(0, NAMED)
  const items = best.map((link) => {
    const { reads, predicts } = data.rows[link.row]
    const item = element("li")
    item.append(named(link, [tokenNode(place.row === null ? (predicts ?? reads) : data.columns[link.column])]))
    return item
  })
  part("named-links").replaceChildren(...items)
}

// What stands on symbols that are hidden: of a row, else of a row on average.
/** @param {Lines} lines @param {number | null} row */
function hidden({ heads }, row) {
  const mass = (/** @type {number[]} */ masses) =>
    row === null ? masses.reduce((sum, value) => sum + value, 0) / masses.length : masses[row]
  const masses = heads.flatMap(({ head, hidden }) => (hidden ? [`head ${head + 1}: ${digits(mass(hidden))}`] : []))
  return masses.length ? `${row === null ? "Of a row on average" : "Of this row"} on hidden symbols: ${masses.join(", ")}` : ""
}

/** @param {HTMLElement} node @param {boolean} chosen @param {string} number */
function mark(node, chosen, number) {
  node.classList.toggle("chosen", chosen)
  const shown = one(node, ".number")
  if (shown.textContent !== number) shown.textContent = number
}

// Drawn links on the tokens of the sentence, as shares of the largest one the scale has.
/** @param {State} state @param {Map<number, number>} numbers */
function painted({ data, keys, place, queries }, numbers) {
  if (place.row === null && place.column === null) return UNPAINTED
  const far = place.row === null ? queries : keys
  const shares = far.map((_, index) => (numbers.get(index) ?? 0) / data.most)
  if (place.row === null) return { ...UNPAINTED, [data.kind === "encoder" ? "source" : "output"]: shares }
  return data.kind === "decoder" ? { ...UNPAINTED, output: shares.slice(1) } : { ...UNPAINTED, source: shares }
}

// The links inside the part that is shown, drawn once; they fade while a token is selected.
/** @param {State} state */
function draw(state) {
  arrange(state)
  stroke(state, state.part("all"), state.drawn)
  highlight(state)
  edge(state)
}

// Rows as high as there is room for.
/** @param {State} state */
function arrange(state) {
  const { pane, root } = state
  const room = roomBelow(root) - EDGE
  state.row = Math.max(ROW, Math.min(MOST, Math.floor(room / Math.max(pane.rows, pane.columns))))
  variables(root, { row: `${state.row}px`, room: `${Math.max(LEAST, room + EDGE / 2)}px` })
}

// An edge shows where the rows go on.
/** @param {State} state */
function edge({ part, row }) {
  const stage = part("stage")
  stage.classList.toggle("below", stage.scrollHeight - stage.clientHeight - stage.scrollTop > row / 2)
}

// Those of the selected token, also where they lead out of that part.
/** @param {State} state */
function highlight(state) {
  const { links, part, place, root } = state
  const chosen = place.row !== null || place.column !== null
  root.classList.toggle("chosen", chosen)
  stroke(state, part("selected"), chosen ? linksAt(links, place) : [])
}

/** @param {State} state @param {HTMLCanvasElement} canvas @param {Link[]} links */
function stroke({ data, pane, part, row: size }, canvas, links) {
  const [width, height] = [canvas.clientWidth, Math.max(pane.rows, pane.columns) * size]
  const thick = laneWidth(data.heads.length, size)
  const sharp = window.devicePixelRatio || 1
  part("field").style.height = `${height}px`
  canvas.width = width * sharp
  canvas.height = height * sharp
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  pen.scale(sharp, sharp)
  for (const { row, column, weight, colour, lane } of links) {
    const share = Math.min(1, weight / data.most)
    const [red, green, blue] = parse(colour)
    pen.strokeStyle = `rgb(${red} ${green} ${blue} / ${0.15 + 0.85 * share})`
    pen.lineWidth = 0.75 + Math.max(0.5, thick - 0.75) * share
    pen.beginPath()
    pen.moveTo(0, (row - pane.top + 0.5) * size + lane * thick)
    pen.lineTo(width, (column - pane.left + 0.5) * size + lane * thick)
    pen.stroke()
  }
}

/** @param {State} state */
function speak({ data, keys, links, part, place, queries }) {
  const [far, labels] =
    place.row === null ? [queries, data.rows.map(({ reads, predicts }) => predicts ?? reads)] : [keys, data.columns]
  const numbers = numbersOf(labels)
  const found = [...numbersAt(links, place)].sort(([, a], [, b]) => b - a).slice(0, 3)
  const words = found.map(([at, weight]) => `${nameOf(labels[at])} ${numbers[at]} ${digits(weight)}`)
  part("spoken").textContent = far.length && words.length ? words.join(", ") : "no link drawn"
}
