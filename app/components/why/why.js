// Source and prefix shaded by what they did for the chosen token, a matrix of all tokens, and the source's share.
// @ts-check

import { tell } from "../base/bus.js"
import { colourOf, css, gradient, inkOn, paintCanvas, pixels, scaleOf } from "../base/colour.js"
import { arrow, component, followFocus } from "../base/component.js"
import { decode, rowOf } from "../base/matrix.js"
import { cellAt, within } from "../base/pointer.js"
import { digits, element, shape, tokenNode, variables } from "../base/tokens.js"
import { cellText, joined, largestOf, stretches } from "./shades.js"

/** @import { Cell, Matrix, Token } from "../base/matrix.js" */
/** @import { Label } from "../base/tokens.js" */

/**
 * @typedef {object} Why
 * @property {string} signature
 * @property {string} name
 * @property {Label[]} source
 * @property {Label[]} prefix
 * @property {Label[]} predicts
 * @property {Shading[]} shadings
 * @property {(number | null)[]} shares
 * @property {string} share_of
 * @property {number} first
 * @property {string} why
 */

/**
 * @typedef {object} Shading
 * @property {string} title
 * @property {string} note
 * @property {string} warning
 * @property {boolean} signed
 * @property {string} unit
 * @property {string} source
 * @property {string} prefix
 * @property {number} most
 */

/** @typedef {{ source: Matrix, prefix: Matrix, node: HTMLElement }} Sides of one shading */
/** @typedef {import("../base/component.js").State<Why> & { token: Token | null, row: number, cell: Cell | null, sides: Sides[], whole: Matrix }} State */

export default component(".why", {
  own: () => ({ cell: null, row: 0, sides: [], token: null }),
  start(state) {
    followFocus(state, select)
  },
  draw,
})

/** @param {State} state */
function draw(state) {
  build(state)
  select(state)
}

/** @param {State} state */
function build(state) {
  const { data, part } = state
  const { predicts, prefix, shadings, source } = data
  state.cell = null
  state.sides = shadings.map((each) => ({
    source: decode(each.source, predicts.length, source.length),
    prefix: decode(each.prefix, predicts.length, prefix.length),
    node: element("div", "shading"),
  }))
  part("shadings").replaceChildren(...state.sides.map(({ node }) => node))
  state.whole = joined(state.sides[0].source, state.sides[0].prefix)
  variables(state.root, { rows: predicts.length, edge: source.length / state.whole.columns })
  part("names").replaceChildren(...predicts.map(tokenNode))
  part("scroll").setAttribute("aria-label", data.name)
  part("all").textContent = `All tokens at once: ${shadings[0].title}; source on the left, what was written on the right`
  part("share-of").textContent = `Of the sizes of all attributions in a row, by ${data.share_of}: 1 is all source.`
  const { signed, most } = shadings[0]
  const { entries, at } = scaleOf(state.root, signed ? "difference" : "weight", most)
  const canvas = /** @type {HTMLCanvasElement} */ (state.root.querySelector(".field canvas"))
  paintCanvas(canvas, state.whole.columns, pixels(entries, state.whole.values.map(at)))
  part("legend").replaceChildren(legend(state, signed, most))
  curve(state)
  const field = part("field")
  field.onpointermove = (event) => point(state, cellAt(field, event, state.whole))
  field.onpointerleave = () => point(state, null)
  field.onclick = (event) => pin(cellAt(field, event, state.whole).row)
  part("scroll").onkeydown = (event) => walk(state, event)
  part("scroll").onblur = () => point(state, null)
}

/** @param {number} row */
function pin(row) {
  tell("pin", { side: "output", index: row })
}

/** @param {State} state @param {Cell | null} cell */
function point(state, cell) {
  state.cell = cell
  select(state)
}

/** @param {State} state @param {KeyboardEvent} event */
function walk(state, event) {
  if (event.key === "Escape") {
    point(state, null)
    return tell("pin", null)
  }
  if (event.key === "Enter") return pin(state.row)
  const way = arrow(event.key)
  if (!way) return undefined
  event.preventDefault()
  const now = state.cell ?? { row: state.row, column: way[1] < 0 ? 1 : -1 }
  const next = {
    row: within(now.row + way[0], state.whole.rows),
    column: within(now.column + way[1], state.whole.columns),
  }
  point(state, next)
  state.part("spoken").textContent = words(state, 0, next)
  return undefined
}

/** @param {State} state @param {number} shading @param {Cell} cell */
function words({ data, whole, sides }, shading, { row, column }) {
  const ofSource = column < data.source.length
  const label = ofSource ? data.source[column] : data.prefix[column - data.source.length]
  const { source, prefix } = sides[shading]
  const value = ofSource ? rowOf(source, row)[column] : rowOf(prefix, row)[column - whole.columns + data.prefix.length]
  return cellText(label, ofSource, data.predicts[row], value, data.shadings[shading])
}

/** @param {State} state */
function select(state) {
  const { cell, data, part, token } = state
  const chosen = token?.side === "output" ? within(token.index, data.predicts.length) : data.first
  state.row = cell?.row ?? chosen
  part("because").textContent = cell || token?.side === "output" ? "" : data.why
  part("asked").replaceChildren("Why ", tokenNode(data.predicts[state.row]), "?")
  state.sides.forEach((_, at) => shade(state, at))
  variables(part("ring"), { row: state.row })
  Array.from(part("names").children).forEach((node, row) => node.classList.toggle("chosen", row === state.row))
  part("readout").textContent = cell ? words(state, 0, cell) : "Point at a token or a cell for its number."
  const at = state.root.querySelector(".curve .at")
  const x = (state.row + 0.5) / data.predicts.length
  at?.setAttribute("x1", String(x))
  at?.setAttribute("x2", String(x))
}

/** @param {State} state @param {number} at */
function shade(state, at) {
  const { data, row, sides } = state
  const shading = data.shadings[at]
  const { node, prefix, source } = sides[at]
  // A row of the matrix knows what was written before it, and that is as many tokens as it has rows above, and itself.
  const read = data.predicts.length === 1 ? data.prefix.length : row + 1
  const parts = [rowOf(source, row), rowOf(prefix, row).subarray(0, read)]
  const most = largestOf(...parts)
  const { entries, at: place } = scaleOf(state.root, shading.signed ? "difference" : "weight", most)
  const line = (side, labels, values) => {
    const found = element("div", "tokens")
    found.append(element("span", "side", side))
    values.forEach((value, column) => {
      const each = tokenNode(labels[column])
      const colour = colourOf(entries, place(value))
      each.style.background = css(colour)
      each.style.color = inkOn(colour)
      const index = side === "source" ? column : column + data.source.length
      each.title = words(state, at, { row, column: index })
      each.onpointerenter = () => (state.part("readout").textContent = each.title)
      found.append(each)
    })
    return found
  }
  const head = element("div", "head")
  head.append(element("span", "title", shading.title), legend(state, shading.signed, most))
  if (shading.unit) head.append(element("span", "unit", shading.unit))
  if (shading.note) head.append(element("span", "note", shading.note))
  if (shading.warning) head.append(element("span", "warning", shading.warning))
  node.replaceChildren(head, line("source", data.source, parts[0]), line("written", data.prefix, parts[1]))
}

/** @param {State} state @param {boolean} signed @param {number} most */
function legend({ root }, signed, most) {
  const node = element("span", "scale")
  const bar = element("span", "bar")
  bar.style.background = gradient(scaleOf(root, signed ? "difference" : "weight", most).stops)
  node.append(element("span", "", signed ? `−${digits(most)}` : "0"), bar, element("span", "", digits(most)))
  return node
}

/** @param {State} state */
function curve({ data, part }) {
  const picture = shape("svg", "", { viewBox: "0 0 1 1", preserveAspectRatio: "none", role: "img" })
  const told = data.shares.map((share) => (share === null ? "none" : digits(share))).join(", ")
  picture.setAttribute("aria-label", `Share of the source for each token: ${told}`)
  for (const y of [0, 0.5, 1]) picture.append(shape("line", "", { x1: 0, x2: 1, y1: y, y2: y }))
  for (const points of stretches(data.shares)) {
    const ends = points.length > 1 ? points : [points[0], [points[0][0] + 0.01, points[0][1]]]
    picture.append(shape("polyline", "", { points: ends.map((each) => each.join(",")).join(" ") }))
  }
  picture.append(shape("line", "at", { x1: 0, x2: 0, y1: 0, y2: 1 }))
  const ends = element("div", "ends")
  ends.append(element("span", "", "1"), element("span", "", "0.5"), element("span", "", "0"))
  part("curve").replaceChildren(ends, picture)
}
