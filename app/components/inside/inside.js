// Inside one head: a query's products with every key, their sums, scaled, masked and as weights. The whole matrices
// stand above the columns that hold their row of the query.
// @ts-check

import { tell } from "../base/bus.js"
import { component, followFocus, unpaintAtEnd } from "../base/component.js"
import { NOWHERE, decode, paintOf, placeOf, tokenOfRow } from "../base/matrix.js"
import { cellAt, within } from "../base/pointer.js"
import { element, numbersOf, tokenNode, variables } from "../base/tokens.js"
import { step } from "./chain.js"
import { fill, outline, paint } from "./picture.js"
import { readout, spoken } from "./readout.js"

/** @import { Cell, Kind, Matrix, Numbers, Size, Token } from "../base/matrix.js" */
/** @import { Label, Row } from "../base/tokens.js" */

/**
 * @typedef {object} Inside
 * @property {string} signature
 * @property {Kind} kind
 * @property {string} title
 * @property {string} name
 * @property {Row[]} rows
 * @property {Label[]} columns
 * @property {number} width
 * @property {string} scaling
 * @property {string} query
 * @property {string} key
 * @property {string} scores
 * @property {string} scaled
 * @property {string} masked
 * @property {string} weights
 * @property {Ends} most
 * @property {number} first
 * @property {string} why
 */

/**
 * @typedef {object} Ends
 * @property {number} product
 * @property {number} score
 * @property {number} scaled
 */

/**
 * @typedef {object} Stage of the way from queries and keys to weights
 * @property {string} name
 * @property {Matrix} matrix
 * @property {number} most where its colours end
 * @property {boolean} signed
 * @property {HTMLCanvasElement} canvas of the whole matrix
 * @property {HTMLElement} node that it stands in
 * @property {HTMLElement[]} cells of the selected query
 */

/**
 * @typedef {object} Own
 * @property {Token | null} token that the strip has in focus
 * @property {Cell | null} cell of the table
 * @property {(Cell & { stage: number }) | null} hover cell of a whole matrix
 * @property {Matrix} query
 * @property {Matrix} key
 * @property {Matrix} products
 * @property {Stage[]} stages
 * @property {Numbers} numbers
 * @property {Size} size of the table
 * @property {number} row of the query that the table shows
 * @property {string} shown signature of the message that it was filled from
 * @property {{ signed: Uint8ClampedArray, positive: Uint8ClampedArray }} colours
 */
/** @typedef {{ entries: Uint8ClampedArray, at: (value: number) => number }} Scale of colours */
/** @typedef {import("../base/component.js").State<Inside> & Own} State */

export default component(".inside", {
  own: () => ({ cell: null, hover: null, token: null }),
  start(state) {
    followFocus(state, select)
    unpaintAtEnd(state)
  },
  build,
  draw(state) {
    paint(state)
    select(state)
    listen(state)
  },
})

/** @param {State} state */
function build(state) {
  const { data, part } = state
  const { columns, most, rows, width } = data
  Object.assign(state, { cell: null, hover: null })
  state.query = decode(data.query, rows.length, width)
  state.key = decode(data.key, columns.length, width)
  const stage = (name, sent, most, signed) => ({
    ...{ name, matrix: decode(sent, rows.length, columns.length), most, signed, canvas: element("canvas"), node: element("div", "map") },
    cells: columns.map(() => element("span", "number")),
  })
  state.stages = [
    stage("Σ = q·k", data.scores, most.score, true),
    stage(data.scaling, data.scaled, most.scaled, true),
    stage("mask", data.masked, most.scaled, true),
    stage("softmax", data.weights, 1, false),
  ]
  state.numbers = { queries: numbersOf(rows.map(({ reads }) => reads)), keys: numbersOf(columns) }
  state.size = { rows: columns.length, columns: width + state.stages.length }
  variables(state.root, { rows: columns.length, width })
  part("title").textContent = data.title
  part("why").textContent = data.why
  part("scroll").setAttribute("aria-label", data.name)
  part("keys").replaceChildren(...columns.map((label, at) => line(label, state.numbers.keys[at])))
  const products = head("→ q ∘ k, entry by entry")
  products.prepend(element("span", "bounds"), element("canvas", "vector"))
  part("stages").replaceChildren(products, ...state.stages.map((found) => head(`→ ${found.name}`, map(found))))
  for (const old of state.root.querySelectorAll(".column")) old.remove()
  for (const found of state.stages) {
    const column = element("div", "column")
    column.append(...found.cells)
    part("chain").append(column)
  }
}

/** @param {Label} label @param {string} number */
function line(label, number) {
  const node = element("div", "key")
  node.append(tokenNode(label))
  if (number) node.append(element("span", "words", number))
  return node
}

/** @param {string} name @param {Element[]} pictures */
function head(name, ...pictures) {
  const node = element("div", "stage")
  const scale = element("div", "scale")
  scale.append(element("span", "least"), element("span", "bar"), element("span", "greatest"))
  node.append(element("span", "name", name), ...pictures, scale)
  return node
}

/** @param {Stage} stage */
function map({ canvas, node }) {
  node.append(canvas, element("div", "band"))
  return node
}

/** @param {State} state */
function listen(state) {
  const { part, stages } = state
  const field = part("field")
  field.onpointermove = (event) => point(state, cellAt(field, event, state.key))
  field.onpointerleave = () => point(state, null)
  for (const [at, { canvas, cells, matrix }] of stages.entries()) {
    canvas.onpointermove = (event) => look(state, { ...cellAt(canvas, event, matrix), stage: at })
    canvas.onpointerleave = () => look(state, null)
    canvas.onclick = (event) => pin(state, cellAt(canvas, event, matrix).row)
    cells.forEach((cell, row) => {
      cell.onpointerenter = () => point(state, { row, column: state.data.width + at })
      cell.onpointerleave = () => point(state, null)
    })
  }
  part("scroll").onkeydown = (event) => walk(state, event)
  part("scroll").onblur = () => point(state, null)
}

// A cell of the table: a key and, as columns, the dimensions and then the stages.
/** @param {State} state @param {Cell | null} cell */
function point(state, cell) {
  if (cell?.row === state.cell?.row && cell?.column === state.cell?.column) return
  state.cell = cell
  select(state)
}

// A cell of a whole matrix: its row is the query that the table shows as long as the pointer is there.
/** @param {State} state @param {(Cell & { stage: number }) | null} hover */
function look(state, hover) {
  state.hover = hover
  select(state)
}

/** @param {State} state @param {number} row */
function pin({ data }, row) {
  tell("pin", tokenOfRow(data.kind, row))
}

/** @param {State} state @param {KeyboardEvent} event */
function walk(state, event) {
  const { cell, data, size } = state
  if (event.key === "Escape") {
    point(state, null)
    return tell("pin", null)
  }
  const turn = { PageDown: 1, PageUp: -1 }[event.key]
  if (turn) {
    event.preventDefault()
    return pin(state, within(state.row + turn, data.rows.length))
  }
  if (!event.key.startsWith("Arrow")) return undefined
  event.preventDefault()
  const next = cell ? step(cell, event.key, size) : { row: 0, column: 0 }
  point(state, next)
  state.part("keys").children[next.row].scrollIntoView({ block: "nearest" })
  state.part("spoken").textContent = spoken(state, next)
  return undefined
}

/** @param {State} state */
function select(state) {
  const { data, hover, stages, token } = state
  const whole = stages[0].matrix
  const place = token ? placeOf(data.kind, token, whole) : NOWHERE
  const row = hover?.row ?? place.row ?? data.first
  if (row !== state.row || state.shown !== data.signature) fill(state, row)
  state.part("why").hidden = Boolean(hover) || place.row !== null
  outline(state, hover?.column ?? state.cell?.row ?? place.column)
  tell("paint", paintOf(data.kind, stages[stages.length - 1].matrix, { row, column: null }))
  state.part("readout").replaceChildren(...readout(state))
}
