// An exported file: the sentence, the choices, and one picture. All that it shows is in the file.

import headMap from "../components/head_map.js"
import lines from "../components/lines.js"
import { cut, inflate } from "../components/mosaic.js"
import strip from "../components/strip.js"
import { element } from "../components/tokens.js"
import wall from "../components/wall.js"

const COMPONENTS = { strip, wall, matrix: headMap, lines }
const content = JSON.parse(document.getElementById("content").textContent)
const view = { ...content.first, shown: "wall", pin: null }
const arrays = new Map()
const ends = new Map()

document.title = `Headscope: ${content.strip.source.text}`
document.getElementById("note").textContent = content.note
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw)
draw()

async function draw() {
  const kind = content.kinds[view.kind]
  view.layer = Math.min(view.layer, kind.layers - 1)
  view.head = Math.min(view.head, kind.heads - 1)
  choices(kind)
  show("strip", "strip", { ...content.strip, pin: view.pin }, (_, { token }) => change({ pin: token }))
  if (view.shown === "wall") {
    const layers = kind.wall.layers.map((layer) => ({ ...layer, tiles: layer.tiles.map(marked) }))
    const layout = `${kind.wall.layout} ${view.layer} ${view.head}`
    return show("picture", "wall", { ...kind.wall, layers, layout }, (_, { layer, head }) => open(layer, head))
  }
  const place = view.layer * kind.heads + view.head
  const { weights, drawn } = await inflated(view.kind)
  if (kind !== content.kinds[view.kind] || place !== view.layer * kind.heads + view.head) return undefined
  const data = { ...kind[view.shown].alike, ...kind[view.shown].own[place] }
  if (view.shown === "matrix") return show("picture", "matrix", { ...data, weights: weights[place] })
  const links = linksOf(weights[place], drawn[place], data.columns.length)
  return show("picture", "lines", { ...data, heads: data.heads.map((head) => ({ ...head, links })) })
}

function change(fields) {
  Object.assign(view, fields)
  draw()
}

function open(layer, head) {
  change({ layer, head, shown: "matrix" })
  document.querySelector("[name=head]:checked").focus()
}

function marked(tile) {
  return { ...tile, current: tile.layer === view.layer && tile.head === view.head }
}

// A component in its place, in a tree of its own, so that its styles stay with it.
function show(place, name, data, setTriggerValue) {
  let host = document.getElementById(place)
  if (host.dataset.shows !== name) {
    ends.get(place)?.()
    const fresh = element("div")
    fresh.id = place
    fresh.dataset.shows = name
    fresh.attachShadow({ mode: "open" }).append(document.getElementById(`${name}-parts`).content.cloneNode(true))
    host.replaceWith(fresh)
    host = fresh
  }
  ends.set(place, COMPONENTS[name]({ data, parentElement: host.shadowRoot, setTriggerValue }))
}

function choices({ heads, layers }) {
  const numbers = (count) => Array.from({ length: count }, (_, index) => [index, String(index + 1)])
  choice("shown", "Show", [["wall", "All heads"], ["matrix", "Matrix"], ["lines", "Lines"]])
  choice("kind", "Attention", content.names)
  choice("layer", `Layer of ${layers}`, numbers(layers))
  choice("head", `Head of ${heads}`, numbers(heads))
}

// What stays the same keeps its nodes, and with them the focus.
function choice(field, title, options) {
  const set = document.getElementById(field)
  if (set.dataset.title !== title) set.replaceChildren(element("legend", "", title), ...options.map((option) => radio(field, option)))
  set.dataset.title = title
  set.hidden = view.shown === "wall" && (field === "layer" || field === "head")
  for (const input of set.querySelectorAll("input")) input.checked = input.value === String(view[field])
}

function radio(field, [value, text]) {
  const label = element("label", "", text)
  const input = Object.assign(element("input"), { type: "radio", name: field, value })
  input.onchange = () => change({ [field]: value })
  label.prepend(input)
  return label
}

// Weights of every head of a kind, and which of them are drawn as lines; unpacked when they are first looked at.
function inflated(kind) {
  if (!arrays.has(kind)) arrays.set(kind, unpacked(content.kinds[kind]))
  return arrays.get(kind)
}

async function unpacked({ cells, drawn, weights }) {
  const floats = new Float32Array((await inflate(weights)).buffer)
  return { weights: cut(floats, cells), drawn: cut(await inflate(drawn), cells) }
}

function linksOf(weights, drawn, columns) {
  const cells = [...drawn.keys()].filter((cell) => drawn[cell])
  return {
    rows: cells.map((cell) => Math.floor(cell / columns)),
    columns: cells.map((cell) => cell % columns),
    weights: cells.map((cell) => weights[cell]),
  }
}
