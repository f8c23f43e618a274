// All heads of one kind as small maps. A click chooses a head; arrow keys walk, Enter chooses; pointing reads a weight.
// @ts-check

import { opening, returned } from "../base/arrival.js"
import { tell } from "../base/bus.js"
import { gradient, levelPixels, paintCanvas, scaleOf, seenThrough } from "../base/colour.js"
import { component, followFocus, rove } from "../base/component.js"
import { NOWHERE, UNPAINTED, decode, placeOf } from "../base/matrix.js"
import { LEVELS, cut, inflate, levels, nextTile, stillAsked, tileWidth } from "../base/mosaic.js"
import { cellAt, zoomOf } from "../base/pointer.js"
import { onRoom, roomBelow } from "../base/room.js"
import { attributes, decimals, digits, element, signed, tokenNode, variables } from "../base/tokens.js"

/** @import { Kind, Quantity, Token } from "../base/matrix.js" */
/** @import { Label, Row } from "../base/tokens.js" */

/**
 * @typedef {object} Wall
 * @property {string} signature
 * @property {string} layout
 * @property {Kind} kind
 * @property {Layer[]} layers
 * @property {number} rows
 * @property {number} columns
 * @property {Size} tokens
 * @property {Tokens} labels
 * @property {number} block
 * @property {Quantity} quantity
 * @property {number} most
 * @property {string} maps
 * @property {string | null} hidden
 * @property {string} key
 * @property {boolean} small
 * @property {boolean} toggles
 * @property {number[]} off
 */

/**
 * @typedef {object} Layer
 * @property {string} name
 * @property {Tile[]} tiles
 */

/**
 * @typedef {object} Tile
 * @property {number} layer
 * @property {number} head
 * @property {number} place
 * @property {number | null} value
 * @property {number} share
 * @property {string} name
 * @property {boolean} current
 */

/**
 * @typedef {object} Size
 * @property {number} rows
 * @property {number} columns
 */

/**
 * @typedef {object} Tokens
 * @property {Row[]} rows
 * @property {Label[]} columns
 */

/** @typedef {{ node: HTMLElement, canvas: HTMLCanvasElement, tile: Tile }} DrawnTile */
/** @typedef {import("../base/component.js").State<Wall> & { tiles: DrawnTile[], maps: { signature: string, cut: Uint16Array[] } | null, token: Token | null }} State */

// Pixels of a tile: between two, its line of text with its edges, at least and at most, and of one in a strip; and those
// between the tiles and the edge of the screen.
const SIZES = { gap: 8, text: 36, least: 72, most: 400 }
const SMALL = 112
const EDGE = 72

export default component(".wall", {
  own: () => ({ tiles: [], maps: null, token: null }),
  start(state) {
    onRoom(state, () => arrange(state))
    followFocus(state, outline)
  },
  draw,
})

/** @param {State} state @param {Wall | undefined} before */
function draw(state, before) {
  const { data, part, root } = state
  peek(state, null)
  const built = before?.layout !== data.layout
  const had = built ? build(state) : -1
  arrange(state)
  if (built) focus(state, had)
  marks(state)
  outline(state)
  if (!data.small) tell("paint", UNPAINTED)
  root.classList.toggle("small", data.small)
  part("key").textContent = data.key
  const [least, most] = [data.quantity === "difference" ? signed(-data.most) : "0.00", data.most === 1 ? "1.00" : digits(data.most)]
  part("least").textContent = least
  part("most").textContent = most
  part("scale").setAttribute("aria-label", `Colour scale, from ${least} to ${most}`)
  part("bar").style.background = gradient(scaleOf(root, data.quantity, data.most).stops)
  if (state.maps?.signature === data.signature) paint(state, state.maps.cut)
  else
    inflate(data.maps).then((bytes) => {
      if (!stillAsked(state, data.signature)) return
      state.maps = { signature: data.signature, cut: cut(levels(bytes), data.rows * data.columns) }
      paint(state, state.maps.cut)
    })
}

// Returns the place of the tile that had the focus.
/** @param {State} state */
function build(state) {
  const { data, part } = state
  const had = state.tiles.findIndex(({ node }) => node.matches(":focus"))
  state.tiles = []
  const parts = data.layers.flatMap(({ name, tiles }) => {
    const group = element("div", "tiles")
    group.append(...tiles.map((tile) => button(state, tile)))
    if (!name) return [group]
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", name)
    const title = element("span", "layer-name", name)
    title.ariaHidden = "true"
    return [title, group]
  })
  part("layers").replaceChildren(...parts)
  return had
}

// The tile that had the focus, or was opened before Back, has it again. It has its place then: the page is not scrolled
// to where it stood before all tiles had their size.
/** @param {State} state @param {number} had */
function focus({ data, tiles }, had) {
  const current = tiles.find(({ tile }) => tile.current) ?? tiles[0]
  if (current) current.node.tabIndex = 0
  if (had >= 0) rove(current.node, tiles[Math.min(had, tiles.length - 1)].node)
  const back = data.small ? null : returned()
  const left = tiles.find(({ tile }) => back === spelt(tile))
  if (left) rove(current.node, left.node)
}

/** @param {Tile} tile */
function spelt({ layer, head }) {
  return `${layer}.${head}`
}

// Tiles as large as there is room for.
/** @param {State} state */
function arrange({ data, part, root }) {
  const layers = part("layers")
  const aspect = Math.min(2, Math.max(0.5, data.columns / data.rows))
  const names = root.querySelector(".layer-name")
  const beside = names && getComputedStyle(layers).gridTemplateColumns.includes(" ") ? names.clientWidth + 16 : 0
  const room = { width: layers.clientWidth - beside, height: roomBelow(layers) - EDGE }
  const counts = data.layers.map(({ tiles }) => tiles.length)
  const width = data.small ? Math.min(SMALL, SMALL * aspect) : tileWidth(counts, room, aspect, SIZES)
  variables(root, { aspect, tile: `${width}px` })
}

/** @param {State} state @param {Tile} tile */
function button(state, tile) {
  const node = element("button", "tile")
  node.type = "button"
  node.tabIndex = -1
  const map = element("span", "map")
  const canvas = element("canvas")
  map.append(canvas)
  const caption = element("span", "caption")
  const measured = state.data.layers.flatMap(({ tiles }) => tiles.flatMap((each) => each.value ?? []))
  const value = tile.value === null ? "" : decimals(measured)(tile.value)
  caption.append(element("span", "head", `${tile.layer + 1}.${tile.head + 1}`), element("span", "value", value))
  caption.classList.toggle("measured", tile.value !== null)
  caption.classList.toggle("below", tile.share < 0)
  variables(caption, { share: Math.abs(tile.share) })
  node.append(map, caption)
  node.setAttribute("aria-label", tile.name)
  canvas.onpointermove = (event) => peek(state, { node, tile, ...cellAt(canvas, event, state.data) })
  node.onpointerleave = () => peek(state, null)
  node.onblur = () => peek(state, null)
  node.onclick = () => {
    if (!state.data.toggles) opening(spelt(tile))
    state.send("chosen", { layer: tile.layer, head: tile.head })
  }
  node.onkeydown = (event) => walk(state, event)
  state.tiles.push({ node, canvas, tile })
  return node
}

/** @param {State} state */
function marks({ data, tiles }) {
  const off = new Set(data.off)
  for (const { node, tile } of tiles) {
    attributes(node, data.toggles ? { "aria-pressed": off.has(tile.place) } : { "aria-current": tile.current })
  }
}

/** @param {State} state @param {Uint16Array[]} maps */
function paint({ data, root, tiles }, maps) {
  const { entries } = scaleOf(root, data.quantity, data.most)
  const { block, rows, columns } = data
  const special = data.hidden ? data.labels.columns.map(({ special }) => special) : []
  const unseen = Array.from({ length: columns }, (_, at) => special.slice(at * block, (at + 1) * block).every(Boolean) && special.length > 0)
  variables(root, { rendering: Math.max(rows, columns) > 88 ? "auto" : "pixelated" })
  for (const { canvas, tile } of tiles) {
    paintCanvas(canvas, columns, seenThrough(levelPixels(entries, maps[tile.place], LEVELS), unseen))
    canvas.classList.toggle("hatched", unseen.includes(true))
  }
  root.dataset.painted = data.signature
}

// What a cell of a tile says, beside it: its tokens and its weight.
/** @param {State} state @param {{ node: HTMLElement, tile: Tile, row: number, column: number } | null} at */
function peek(state, at) {
  const { data, root } = state
  const maps = state.maps?.signature === data.signature ? state.maps.cut : null
  const box = state.part("peek")
  box.hidden = !at || !maps
  if (!at || !maps) return
  const { row, column } = at
  const value = valueOf(data, maps[at.tile.place][row * data.columns + column] / LEVELS)
  const link = element("p", "link")
  link.append(...(data.block > 1 ? [span(data, row, column)] : pair(data, row, column)), element("strong", "", value))
  box.replaceChildren(element("p", "name", at.tile.name), link)
  if (data.hidden && data.block === 1) {
    if (data.labels.columns[column].special) link.replaceChildren(...pair(data, row, column), element("strong", "", "hidden"))
    const mass = decode(data.hidden, maps.length, data.rows).values[at.tile.place * data.rows + row]
    box.append(element("p", "name", `${mass.toFixed(3)} of the row on hidden symbols`))
  }
  const [tile, wall, zoom] = [at.node.getBoundingClientRect(), root.getBoundingClientRect(), zoomOf(root)]
  box.style.top = `${(tile.bottom - wall.top) / zoom + 4}px`
  box.style.left = `${Math.max(0, Math.min((tile.left - wall.left) / zoom, wall.width / zoom - box.offsetWidth))}px`
}

// A number of a cell, from its place on the scale.
/** @param {Wall} data @param {number} share */
function valueOf({ most, quantity }, share) {
  if (quantity === "difference") return signed((2 * share - 1) * most)
  return most === 1 ? share.toFixed(3) : digits(share * most)
}

/** @param {Wall} data @param {number} row @param {number} column */
function pair({ labels }, row, column) {
  const { reads, predicts } = labels.rows[row]
  return [tokenNode(predicts ?? reads), element("span", "words", "looks at"), tokenNode(labels.columns[column])]
}

// A cell of a long sentence is the largest of a block.
/** @param {Wall} data @param {number} row @param {number} column */
function span({ block, tokens }, row, column) {
  const range = (at, count) => `${at * block + 1} to ${Math.min(count, (at + 1) * block)}`
  return element("span", "words", `rows ${range(row, tokens.rows)}, keys ${range(column, tokens.columns)}: at most`)
}

// The row or column of the token that is selected above, on every tile.
/** @param {State} state */
function outline({ data, root, token }) {
  const { row, column } = token ? placeOf(data.kind, token, data.tokens) : NOWHERE
  root.classList.toggle("row", row !== null)
  root.classList.toggle("column", row === null && column !== null)
  const [at, count] = row !== null ? [row, data.tokens.rows] : [column ?? 0, data.tokens.columns]
  variables(root, { at: at / count, share: 1 / count })
}

/** @param {State} state @param {KeyboardEvent} event */
function walk({ tiles }, event) {
  const boxes = tiles.map(({ node }) => node.getBoundingClientRect())
  const now = tiles.findIndex(({ node }) => node === event.currentTarget)
  const next = nextTile(boxes, now, event.key)
  if (next === null) return
  event.preventDefault()
  rove(tiles[now].node, tiles[next].node)
}
