// All heads of one kind as small maps. A click chooses a head; arrow keys walk, Enter chooses.

import { hear, tell } from "./bus.js"
import { bytePixels, table, themeScale } from "./colour.js"
import { placeOf } from "./matrix.js"
import { cut, inflate, nextTile } from "./mosaic.js"
import { digits, element } from "./tokens.js"

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
  if (state.layout !== data.layout) build(state, data)
  state.data = data
  marks(state)
  outline(state)
  tell("paint", { source: null, output: null })
  root.querySelector(".key").textContent = data.key
  root.querySelector(".bar").style.background = `linear-gradient(to right, ${themeScale(root).join(", ")})`
  if (known && state.maps) draw(state)
  else
    inflate(data.maps).then((bytes) => {
      if (state.data !== data) return
      state.maps = cut(bytes, data.rows * data.columns)
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
  node.title = tile.name
  node.setAttribute("aria-label", tile.name)
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
    canvas.getContext("2d").putImageData(new ImageData(bytePixels(colours, maps[tile.place]), columns), 0, 0)
  }
  root.dataset.painted = data.signature
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
