// All heads of one kind as small maps. A click chooses a head; arrow keys walk, Enter chooses; pointing reads a weight.

import { hear, tell } from "./bus.js"
import { levelPixels, table, themeScale } from "./colour.js"
import { decode, placeOf } from "./matrix.js"
import { LEVELS, cut, inflate, levels, nextTile } from "./mosaic.js"
import { shareAt, zoomOf } from "./pointer.js"
import { digits, element, tokenNode } from "./tokens.js"

const walls = new WeakMap()

export default function wall({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".wall")
  let state = walls.get(root)
  if (!state) {
    state = { root, tiles: [], maps: null, token: null }
    walls.set(root, state)
    state.unhear = hear("focus", (token) => {
      state.token = token
      if (state.data) outline(state)
    })
  }
  state.choose = (tile) => setTriggerValue("chosen", { layer: tile.layer, head: tile.head })
  const known = state.data?.signature === data.signature
  peek(state, null)
  if (state.layout !== data.layout) build(state, data)
  state.data = data
  marks(state)
  outline(state)
  tell("paint", { source: null, output: null })
  root.querySelector(".key").textContent = data.key
  root.querySelector(".most").textContent = data.most === 1 ? "1.00" : digits(data.most)
  root.querySelector(".scale").setAttribute("aria-label", `Colour scale, from 0.00 to ${digits(data.most)}`)
  root.querySelector(".bar").style.background = `linear-gradient(to right, ${themeScale(root).join(", ")})`
  if (known && state.maps) draw(state)
  else
    inflate(data.maps).then((bytes) => {
      if (state.data !== data) return
      state.maps = cut(levels(bytes), data.rows * data.columns)
      draw(state)
    })
  return () => state.unhear()
}

function build(state, data) {
  state.layout = data.layout
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
  state.root.querySelector(".layers").replaceChildren(...parts)
  const current = state.tiles.find(({ tile }) => tile.current) ?? state.tiles[0]
  if (current) current.node.tabIndex = 0
}

function button(state, tile) {
  const node = element("button", "tile")
  node.type = "button"
  node.tabIndex = -1
  const map = element("span", "map")
  const canvas = element("canvas")
  map.append(canvas)
  const caption = element("span", "caption")
  const value = tile.value === null ? "" : digits(tile.value)
  caption.append(element("span", "head", `${tile.layer + 1}.${tile.head + 1}`), element("span", "value", value))
  node.append(map, caption)
  node.setAttribute("aria-label", tile.name)
  canvas.onpointermove = (event) => peek(state, { node, tile, ...shareAt(canvas, event) })
  node.onpointerleave = () => peek(state, null)
  node.onblur = () => peek(state, null)
  node.onclick = () => state.choose(tile)
  node.onkeydown = (event) => walk(state, event)
  state.tiles.push({ node, canvas, tile })
  return node
}

function marks({ data, tiles }) {
  const off = new Set(data.off)
  for (const { node, tile } of tiles) {
    if (data.toggles) node.setAttribute("aria-pressed", off.has(tile.place))
    else node.setAttribute("aria-current", tile.current)
  }
}

function draw({ data, maps, root, tiles }) {
  const colours = table(themeScale(root))
  const { rows, columns } = data
  root.style.setProperty("--layers", new Set(tiles.map(({ tile }) => tile.layer)).size)
  root.style.setProperty("--aspect", Math.min(2, Math.max(0.5, columns / rows)))
  root.style.setProperty("--rendering", Math.max(rows, columns) > 88 ? "auto" : "pixelated")
  for (const { canvas, tile } of tiles) {
    canvas.width = columns
    canvas.height = rows
    canvas.getContext("2d").putImageData(new ImageData(levelPixels(colours, maps[tile.place], LEVELS), columns), 0, 0)
  }
  root.dataset.painted = data.signature
}

// What a cell of a tile says, beside it: its tokens and its weight.
function peek(state, at) {
  const { data, maps, root } = state
  const box = root.querySelector(".peek")
  box.hidden = !at || !maps
  if (box.hidden) return
  const cell = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)))
  const [row, column] = [cell(at.y, data.rows), cell(at.x, data.columns)]
  const level = maps[at.tile.place][row * data.columns + column]
  const value = data.most === 1 ? (level / LEVELS).toFixed(3) : digits((level / LEVELS) * data.most)
  const link = element("p", "link")
  link.append(...(data.block > 1 ? [span(data, row, column)] : pair(data, row, column)), element("strong", "", value))
  box.replaceChildren(element("p", "name", at.tile.name), link)
  if (data.hidden && data.block === 1) {
    const mass = decode(data.hidden, maps.length, data.rows).values[at.tile.place * data.rows + row]
    box.append(element("p", "name", `${mass.toFixed(3)} of the row on hidden symbols`))
  }
  const [tile, wall, zoom] = [at.node.getBoundingClientRect(), root.getBoundingClientRect(), zoomOf(root)]
  box.style.top = `${(tile.bottom - wall.top) / zoom + 4}px`
  box.style.left = `${Math.max(0, Math.min((tile.left - wall.left) / zoom, wall.width / zoom - box.offsetWidth))}px`
}

function pair({ labels }, row, column) {
  const { reads, predicts } = labels.rows[row]
  return [tokenNode(predicts ?? reads), element("span", "words", "looks at"), tokenNode(labels.columns[column])]
}

// A cell of a long sentence is the largest of a block.
function span({ block, tokens }, row, column) {
  const range = (at, count) => `${at * block + 1} to ${Math.min(count, (at + 1) * block)}`
  return element("span", "words", `rows ${range(row, tokens.rows)}, keys ${range(column, tokens.columns)}: at most`)
}

// The row or column of the token that is selected above, on every tile.
function outline({ data, root, token }) {
  const { row, column } = token ? placeOf(data.kind, token, data.tokens) : { row: null, column: null }
  root.classList.toggle("row", row !== null)
  root.classList.toggle("column", row === null && column !== null)
  const [at, count] = row !== null ? [row, data.tokens.rows] : [column ?? 0, data.tokens.columns]
  root.style.setProperty("--at", at / count)
  root.style.setProperty("--share", 1 / count)
}

function walk({ tiles }, event) {
  const boxes = tiles.map(({ node }) => node.getBoundingClientRect())
  const now = tiles.findIndex(({ node }) => node === event.currentTarget)
  const next = nextTile(boxes, now, event.key)
  if (next === null) return
  event.preventDefault()
  tiles[now].node.tabIndex = -1
  tiles[next].node.tabIndex = 0
  tiles[next].node.focus()
}
