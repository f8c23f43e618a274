// The line view: two columns of tokens and the links between them. Hover shows, click pins, arrow keys walk.

import { hear, tell } from "./bus.js"
import { parse } from "./colour.js"
import { linksAt, numbersAt, sorted, tokenOfColumn, unpack } from "./links.js"
import { placeOf, tokenOfRow } from "./matrix.js"
import { contains, described, firstPane, holding, overview, samePane, showing } from "./pane.js"
import { digits, element, nameOf, numbersOf, tokenNode } from "./tokens.js"

const ROW = 22
const NOTHING = { row: null, column: null }
const states = new WeakMap()

export default function lines({ data, parentElement }) {
  const root = parentElement.querySelector(".lines")
  let state = states.get(root)
  if (!state) {
    state = { root, hover: null, token: null, part: (name) => root.querySelector(`.${name}`) }
    states.set(root, state)
    state.resize = new ResizeObserver(() => state.place && draw(state))
    state.resize.observe(state.part("field"))
    state.unhear = hear("focus", (token) => {
      state.token = token
      if (state.data) select(state)
    })
  }
  if (state.data?.signature !== data.signature) build(state, data)
  select(state)
  draw(state)
  return () => {
    state.resize.disconnect()
    state.unhear()
    tell("paint", { source: null, output: null })
  }
}

function build(state, data) {
  const { part, root } = state
  const size = { rows: data.rows.length, columns: data.columns.length }
  const kept = state.size?.rows === size.rows && state.size.columns === size.columns
  Object.assign(state, { data, size, hover: null, pane: kept ? state.pane : firstPane(size, data.overview) })
  const palette = getComputedStyle(root).getPropertyValue("--st-chart-categorical-colors").split(",")
  state.links = sorted(data.heads.flatMap(({ head, links }) => unpack(links, palette[head % palette.length].trim())))
  part("queries").setAttribute("aria-label", data.query_axis)
  part("keys").setAttribute("aria-label", data.key_axis)
  part("axis.query").textContent = data.query_axis
  part("axis.key").textContent = data.key_axis
  part("title").textContent = data.title
  part("drawn").textContent = data.drawn
  const chips = data.heads.map(({ head }) => {
    const item = element("li", "", `Head ${head + 1}`)
    item.style.setProperty("--colour", palette[head % palette.length].trim())
    return item
  })
  part("heads").replaceChildren(...chips)
  label(state)
}

// The tokens of the part that is shown: the buttons at indices that are theirs in the sentence, the others missing.
function label(state) {
  const { data, pane, part } = state
  const some = (all, start, count, make) =>
    all.map((item, index) => (index >= start && index < start + count ? make(state, item, index) : null))
  state.queries = some(data.rows, pane.top, pane.rows, query)
  state.keys = some(data.columns, pane.left, pane.columns, key)
  part("queries").replaceChildren(...state.queries.filter(Boolean))
  part("keys").replaceChildren(...state.keys.filter(Boolean))
  for (const side of ["queries", "keys"]) part(side).firstChild.tabIndex = 0
  const { size } = state
  overview(part("overview"), { pooled: data.overview, most: data.most, pane, matrix: size, onMove: (to) => show(state, to) })
  const touched = state.links.all.filter(({ row, column }) => state.queries[row] || state.keys[column])
  state.drawn = touched.filter((link) => contains(pane, link))
  part("pooled").textContent = data.overview
    ? described(pane, size, data.overview.block, data.quantity) +
      ` ${touched.length - state.drawn.length} links lead out of it, drawn for a selected token.`
    : ""
}

function show(state, pane) {
  if (samePane(pane, state.pane)) return
  state.pane = pane
  label(state)
  select(state)
  draw(state)
}

function query(state, { reads, predicts }, row) {
  const nodes = predicts
    ? [wrap("read", tokenNode(reads)), element("span", "arrow", "→"), tokenNode(predicts)]
    : [tokenNode(reads)]
  const name = predicts ? `reads ${nameOf(reads)}, predicts ${nameOf(predicts)}` : nameOf(reads)
  return button(state, nodes, `${name}, row ${row + 1}`, { row, column: null }, tokenOfRow(state.data.kind, row))
}

function key(state, label, column) {
  const token = tokenOfColumn(state.data.kind, column)
  return button(state, [tokenNode(label)], `${nameOf(label)}, key ${column + 1}`, { row: null, column }, token)
}

function wrap(className, node) {
  const box = element("span", className)
  box.append(node)
  return box
}

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

function point(state, place, aloud = false) {
  state.hover = place
  select(state)
  if (aloud) speak(state)
}

function walk(state, event, { row, column }) {
  if (event.key === "Escape") return tell("pin", null)
  const { pane, size } = state
  const across = (at, start, count) => Math.min(start + count - 1, Math.max(start, at))
  const to = {
    ArrowDown: row === null ? { row, column: column + 1 } : { row: row + 1, column },
    ArrowUp: row === null ? { row, column: column - 1 } : { row: row - 1, column },
    ArrowRight: row === null ? null : { row: null, column: across(row, pane.left, pane.columns) },
    ArrowLeft: row === null ? { row: across(column, pane.top, pane.rows), column: null } : null,
  }[event.key]
  if (!to || to.row < 0 || to.column < 0 || to.row >= size.rows || to.column >= size.columns) return undefined
  event.preventDefault()
  show(state, holding(state.pane, to))
  const now = row === null ? state.keys[column] : state.queries[row]
  const next = to.row === null ? state.keys[to.column] : state.queries[to.row]
  if (now) now.tabIndex = -1
  next.tabIndex = 0
  return next.focus()
}

function select(state) {
  const { data, hover, links, part, size, token } = state
  state.place = hover ?? (token ? placeOf(data.kind, token, size) : NOTHING)
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
  part("rest").textContent = state.place.row === null ? "" : hidden(data, state.place.row)
  tell("paint", painted(state, numbers))
  return highlight(state)
}

// The strongest link of the selected row or column; the beginning where there is none.
function strongestAt({ links, place }) {
  const chosen = place.row === null && place.column === null ? [] : linksAt(links, place)
  return chosen.reduce((best, link) => (link.weight > best.weight ? link : best), { row: 0, column: 0, weight: 0, ...place })
}

function hidden({ heads }, row) {
  const masses = heads.filter(({ hidden }) => hidden).map(({ head, hidden }) => `head ${head + 1}: ${digits(hidden[row])}`)
  return masses.length ? `Of this row on hidden symbols: ${masses.join(", ")}` : ""
}

function mark(node, chosen, number) {
  node.classList.toggle("chosen", chosen)
  if (node.lastChild.textContent !== number) node.lastChild.textContent = number
}

// Drawn links on the tokens of the sentence, as shares of the largest one the scale has.
function painted({ data, keys, place, queries }, numbers) {
  const nothing = { source: null, output: null }
  if (place.row === null && place.column === null) return nothing
  const far = place.row === null ? queries : keys
  const shares = far.map((_, index) => (numbers.get(index) ?? 0) / data.most)
  if (place.row === null) return { ...nothing, [data.kind === "encoder" ? "source" : "output"]: shares }
  return data.kind === "decoder" ? { ...nothing, output: shares.slice(1) } : { ...nothing, source: shares }
}

// The links inside the part that is shown, drawn once; they fade while a token is selected.
function draw(state) {
  stroke(state, state.part("all"), state.drawn)
  highlight(state)
}

// Those of the selected token, also where they lead out of that part.
function highlight(state) {
  const { links, part, place, root } = state
  const chosen = place.row !== null || place.column !== null
  root.classList.toggle("chosen", chosen)
  stroke(state, part("selected"), chosen ? linksAt(links, place) : [])
}

function stroke({ data, pane, part }, canvas, links) {
  const [width, height] = [canvas.clientWidth, Math.max(pane.rows, pane.columns) * ROW]
  const sharp = window.devicePixelRatio || 1
  part("field").style.height = `${height}px`
  canvas.width = width * sharp
  canvas.height = height * sharp
  const pen = canvas.getContext("2d")
  pen.scale(sharp, sharp)
  for (const { row, column, weight, colour } of links) {
    const share = Math.min(1, weight / data.most)
    const [red, green, blue] = parse(colour)
    pen.strokeStyle = `rgb(${red} ${green} ${blue} / ${0.15 + 0.85 * share})`
    pen.lineWidth = 0.75 + 3.25 * share
    pen.beginPath()
    pen.moveTo(0, (row - pane.top + 0.5) * ROW)
    pen.lineTo(width, (column - pane.left + 0.5) * ROW)
    pen.stroke()
  }
}

function speak({ data, keys, links, part, place, queries }) {
  const [far, labels] =
    place.row === null ? [queries, data.rows.map(({ reads, predicts }) => predicts ?? reads)] : [keys, data.columns]
  const numbers = numbersOf(labels)
  const found = [...numbersAt(links, place)].sort(([, a], [, b]) => b - a).slice(0, 3)
  const words = found.map(([at, weight]) => `${nameOf(labels[at])} ${numbers[at]} ${digits(weight)}`)
  part("spoken").textContent = far.length && words.length ? words.join(", ") : "no link drawn"
}
