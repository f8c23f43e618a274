// The line view: two columns of tokens and the links between them. Hover shows, click pins, arrow keys walk.

import { hear, tell } from "./bus.js"
import { parse } from "./colour.js"
import { linksAt, numbersAt, tokenOfColumn, unpack } from "./links.js"
import { placeOf, tokenOfRow } from "./matrix.js"
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
    state.resize = new ResizeObserver(() => state.data && draw(state))
    state.resize.observe(state.part("field"))
    state.unhear = hear("focus", (token) => {
      state.token = token
      if (state.data) select(state)
    })
  }
  if (state.data?.signature !== data.signature) build(state, data)
  select(state)
  return () => {
    state.resize.disconnect()
    state.unhear()
    tell("paint", { source: null, output: null })
  }
}

function build(state, data) {
  const { part, root } = state
  Object.assign(state, { data, hover: null })
  const palette = getComputedStyle(root).getPropertyValue("--st-chart-categorical-colors").split(",")
  state.links = data.heads.flatMap(({ head, links }) => unpack(links, palette[head % palette.length].trim()))
  state.queries = data.rows.map((row, index) => query(state, row, index))
  state.keys = data.columns.map((label, index) => key(state, label, index))
  part("queries").replaceChildren(...state.queries)
  part("queries").setAttribute("aria-label", data.query_axis)
  part("keys").replaceChildren(...state.keys)
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
  node.tabIndex = place.row === 0 || place.column === 0 ? 0 : -1
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
  const { keys, queries } = state
  const [side, at, other] = row === null ? [keys, column, queries] : [queries, row, keys]
  const next = {
    ArrowDown: side[at + 1],
    ArrowUp: side[at - 1],
    ArrowRight: row === null ? undefined : other[Math.min(at, other.length - 1)],
    ArrowLeft: row === null ? other[Math.min(at, other.length - 1)] : undefined,
  }[event.key]
  if (!next) return undefined
  event.preventDefault()
  side[at].tabIndex = -1
  next.tabIndex = 0
  return next.focus()
}

function select(state) {
  const { data, hover, keys, links, part, queries, token } = state
  const size = { rows: queries.length, columns: keys.length }
  state.place = hover ?? (token ? placeOf(data.kind, token, size) : NOTHING)
  if (state.place.row !== null) state.place = { row: state.place.row, column: null }
  const chosen = state.place.row !== null || state.place.column !== null
  const numbers = chosen ? numbersAt(links, state.place) : new Map()
  const [near, far] = state.place.row === null ? [keys, queries] : [queries, keys]
  near.forEach((node, index) => mark(node, index === (state.place.row ?? state.place.column), ""))
  far.forEach((node, index) => mark(node, false, numbers.has(index) ? digits(numbers.get(index)) : ""))
  part("rest").textContent = state.place.row === null ? "" : hidden(data, state.place.row)
  tell("paint", painted(state, numbers))
  draw(state)
}

function hidden({ heads }, row) {
  const masses = heads.filter(({ hidden }) => hidden).map(({ head, hidden }) => `head ${head + 1}: ${digits(hidden[row])}`)
  return masses.length ? `Of this row on hidden symbols: ${masses.join(", ")}` : ""
}

function mark(node, chosen, number) {
  node.classList.toggle("chosen", chosen)
  node.querySelector(".number").textContent = number
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

function draw({ data, keys, links, part, place, queries }) {
  const canvas = part("field").querySelector("canvas")
  const [width, height] = [canvas.clientWidth, Math.max(queries.length, keys.length) * ROW]
  const sharp = window.devicePixelRatio || 1
  part("field").style.height = `${height}px`
  canvas.width = width * sharp
  canvas.height = height * sharp
  const pen = canvas.getContext("2d")
  pen.scale(sharp, sharp)
  const strokes = (some, strength) => {
    for (const { row, column, weight, colour } of some) {
      const share = Math.min(1, weight / data.most)
      const [red, green, blue] = parse(colour)
      pen.strokeStyle = `rgb(${red} ${green} ${blue} / ${(0.15 + 0.85 * share) * strength})`
      pen.lineWidth = 0.75 + 3.25 * share
      pen.beginPath()
      pen.moveTo(0, (row + 0.5) * ROW)
      pen.lineTo(width, (column + 0.5) * ROW)
      pen.stroke()
    }
  }
  const chosen = place && linksAt(links, place)
  if (chosen && chosen.length < links.length) strokes(links, 0.12)
  strokes(chosen ?? links, 1)
}

function speak({ data, keys, links, part, place, queries }) {
  const [far, labels] =
    place.row === null ? [queries, data.rows.map(({ reads, predicts }) => predicts ?? reads)] : [keys, data.columns]
  const numbers = numbersOf(labels)
  const found = [...numbersAt(links, place)].sort(([, a], [, b]) => b - a).slice(0, 3)
  const words = found.map(([at, weight]) => `${nameOf(labels[at])} ${numbers[at]} ${digits(weight)}`)
  part("spoken").textContent = far.length && words.length ? words.join(", ") : "no link drawn"
}
