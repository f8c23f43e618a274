// The line view: two columns of tokens and the links between them. Hover shows, click pins, arrow keys walk.
// @ts-check

import { arrow, component, followFocus, rove, unpaintAtEnd } from "../base/component.js"
import { firstPane } from "../base/pane.js"
import { shareAt } from "../base/pointer.js"
import { onRoom } from "../base/room.js"
import { attributes, element, variables } from "../base/tokens.js"
import { draw, edge } from "./canvas.js"
import { label, select } from "./columns.js"
import { laneWidth, linksUnder, sorted, strokes, unpack } from "./links.js"
import { peek } from "./panel.js"

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
