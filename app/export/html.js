// An exported file: the sentence, the choices, and one picture. All that it shows is in the file.
// @ts-check

import headMap from "../components/head_map/head_map.js"
import lines from "../components/lines/lines.js"
import { cut, floats, inflate } from "../components/base/mosaic.js"
import strip from "../components/strip/strip.js"
import { element, one } from "../components/base/tokens.js"
import wall from "../components/wall/wall.js"

/** @import { Kind, Token } from "../components/base/matrix.js" */
/** @import { Strip } from "../components/strip/strip.js" */
/** @import { Tile, Wall } from "../components/wall/wall.js" */

/**
 * @typedef {object} File
 * @property {Strip} strip
 * @property {[Kind, string][]} names
 * @property {Record<string, FileKind>} kinds
 * @property {First} first
 * @property {string} note
 */

/**
 * @typedef {object} FileKind
 * @property {number} layers
 * @property {number} heads
 * @property {number} cells
 * @property {string} weights
 * @property {string} drawn
 * @property {Wall} wall
 * @property {Heads} matrix
 * @property {Heads} lines
 */

/**
 * @typedef {object} Heads
 * @property {Record<string, any>} alike
 * @property {(Record<string, any>)[]} own
 */

/**
 * @typedef {object} First
 * @property {Kind} kind
 * @property {number} layer
 * @property {number} head
 */

const COMPONENTS = { strip, wall, matrix: headMap, lines }
/** @type {File} */
const content = JSON.parse(`${one(document, "#content").textContent}`)
/** @type {First & { shown: "wall" | "matrix" | "lines", pin: Token | null }} */
const view = { ...content.first, shown: "wall", pin: null }
/** @type {Map<Kind, ReturnType<typeof unpacked>>} */
const arrays = new Map()
/** @type {Map<string, () => void>} */
const ends = new Map()

document.title = `Headscope: ${content.strip.source.text}`
one(document, "#note").textContent = content.note
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

/** @param {Partial<typeof view>} fields */
function change(fields) {
  Object.assign(view, fields)
  draw()
}

/** @param {number} layer @param {number} head */
function open(layer, head) {
  change({ layer, head, shown: "matrix" })
  one(document, "[name=head]:checked").focus()
}

/** @param {Tile} tile */
function marked(tile) {
  return { ...tile, current: tile.layer === view.layer && tile.head === view.head }
}

/**
 * A component in its place, in a tree of its own, so that its styles stay with it.
 *
 * @param {string} place
 * @param {keyof typeof COMPONENTS} name
 * @param {any} data
 * @param {(name: string, value: any) => void} [setTriggerValue] of what the component tells
 */
function show(place, name, data, setTriggerValue = () => {}) {
  let host = /** @type {HTMLElement} */ (document.getElementById(place))
  if (host.dataset.shows !== name) {
    ends.get(place)?.()
    const fresh = element("div")
    fresh.id = place
    fresh.dataset.shows = name
    fresh.attachShadow({ mode: "open" }).append(template(name).content.cloneNode(true))
    host.replaceWith(fresh)
    host = fresh
  }
  const parentElement = /** @type {ShadowRoot} */ (host.shadowRoot)
  ends.set(place, COMPONENTS[name]({ data, parentElement, setTriggerValue }))
}

/** @param {string} name of a component */
function template(name) {
  return /** @type {HTMLTemplateElement} */ (document.getElementById(`${name}-parts`))
}

/** @param {FileKind} kind */
function choices({ heads, layers }) {
  /** @type {(count: number) => [number, string][]} */
  const numbers = (count) => Array.from({ length: count }, (_, index) => [index, String(index + 1)])
  choice("shown", "Show", [["wall", "All heads"], ["matrix", "Matrix"], ["lines", "Lines"]])
  choice("kind", "Attention", content.names)
  choice("layer", `Layer of ${layers}`, numbers(layers))
  choice("head", `Head of ${heads}`, numbers(heads))
}

// What stays the same keeps its nodes, and with them the focus.
/** @param {string} field @param {string} title @param {[string | number, string][]} options */
function choice(field, title, options) {
  const set = one(document, `#${field}`)
  if (set.dataset.title !== title) set.replaceChildren(element("legend", "", title), ...options.map((option) => radio(field, option)))
  set.dataset.title = title
  set.hidden = view.shown === "wall" && (field === "layer" || field === "head")
  for (const input of set.querySelectorAll("input")) input.checked = input.value === String(view[field])
}

/** @param {string} field @param {[string | number, string]} option */
function radio(field, [value, text]) {
  const label = element("label", "", text)
  const input = Object.assign(element("input"), { type: "radio", name: field, value })
  input.onchange = () => change({ [field]: value })
  label.prepend(input)
  return label
}

// Weights of every head of a kind, and which of them are drawn as lines; unpacked when they are first looked at.
/** @param {Kind} kind */
function inflated(kind) {
  const found = arrays.get(kind) ?? unpacked(content.kinds[kind])
  arrays.set(kind, found)
  return found
}

/** @param {FileKind} kind */
async function unpacked({ cells, drawn, weights }) {
  return { weights: cut(floats(await inflate(weights)), cells), drawn: cut(await inflate(drawn), cells) }
}

/** @param {Float32Array} weights @param {Uint8Array} drawn @param {number} columns */
function linksOf(weights, drawn, columns) {
  const cells = [...drawn.keys()].filter((cell) => drawn[cell])
  return {
    rows: cells.map((cell) => Math.floor(cell / columns)),
    columns: cells.map((cell) => cell % columns),
    weights: cells.map((cell) => weights[cell]),
  }
}
