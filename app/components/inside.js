// Inside one head: a query's products with every key, their sums, scaled, masked and as weights. The whole matrices
// stand above the columns that hold their row of the query.

import { hear, tell } from "./bus.js"
import { productsOf, step } from "./chain.js"
import { colourOf, css, inkOn, pixels, table, themeDiverging, themeScale } from "./colour.js"
import { decode, paintOf, placeOf, rowOf, tokenOfRow } from "./matrix.js"
import { shareAt } from "./pointer.js"
import { digits, element, nameOf, numbersOf, tokenNode } from "./tokens.js"

const states = new WeakMap()

export default function inside({ data, parentElement }) {
  const root = parentElement.querySelector(".inside")
  let state = states.get(root)
  if (!state) {
    state = { root, cell: null, hover: null, token: null, part: (name) => root.querySelector(`.${name}`) }
    states.set(root, state)
    state.unhear = hear("focus", (token) => {
      state.token = token
      if (state.data) select(state)
    })
  }
  if (state.data?.signature !== data.signature) build(state, data)
  paint(state)
  select(state)
  listen(state)
  return () => {
    state.unhear()
    tell("paint", { source: null, output: null })
  }
}

function build(state, data) {
  const { part } = state
  const { columns, most, rows, width } = data
  Object.assign(state, { data, cell: null, hover: null })
  state.query = decode(data.query, rows.length, width)
  state.key = decode(data.key, columns.length, width)
  const stage = (name, sent, most, signed) => {
    return { name, matrix: decode(sent, rows.length, columns.length), most, signed }
  }
  state.stages = [
    stage("Σ = q·k", data.scores, most.score, true),
    stage(data.scaling, data.scaled, most.scaled, true),
    stage("mask", data.masked, most.scaled, true),
    stage("softmax", data.weights, 1, false),
  ]
  state.numbers = { queries: numbersOf(rows.map(({ reads }) => reads)), keys: numbersOf(columns) }
  state.size = { rows: columns.length, columns: width + state.stages.length }
  state.root.style.setProperty("--rows", columns.length)
  state.root.style.setProperty("--width", width)
  part("title").textContent = data.title
  part("scroll").setAttribute("aria-label", data.name)
  part("keys").replaceChildren(...columns.map((label, at) => line(label, state.numbers.keys[at])))
  const products = head("→ q ∘ k, entry by entry")
  products.prepend(element("span", "bounds"), element("canvas", "vector"))
  part("stages").replaceChildren(products, ...state.stages.map((found) => head(`→ ${found.name}`, map(found))))
  for (const old of state.root.querySelectorAll(".column")) old.remove()
  for (const found of state.stages) {
    found.cells = columns.map(() => element("span", "number"))
    const column = element("div", "column")
    column.append(...found.cells)
    part("chain").append(column)
  }
}

function line(label, number) {
  const node = element("div", "key")
  node.append(tokenNode(label))
  if (number) node.append(element("span", "words", number))
  return node
}

function head(name, ...pictures) {
  const node = element("div", "stage")
  const scale = element("div", "scale")
  scale.append(element("span", "least"), element("span", "bar"), element("span", "greatest"))
  node.append(element("span", "name", name), ...pictures, scale)
  return node
}

function map(stage) {
  const node = element("div", "map")
  stage.canvas = element("canvas")
  stage.node = node
  node.append(stage.canvas, element("div", "band"))
  return node
}

// What does not depend on the query: whole matrices and scales, in the colours of the theme.
function paint(state) {
  const { data, part, root, stages } = state
  const scales = { signed: themeDiverging(root), positive: themeScale(root) }
  state.colours = { signed: table(scales.signed), positive: table(scales.positive) }
  for (const { canvas, matrix, most, signed } of stages) {
    draw(canvas, matrix, shade(state, signed, most))
    canvas.parentElement.style.setProperty("--aspect", Math.min(2, Math.max(0.5, matrix.columns / matrix.rows)))
  }
  const bounds = [[data.most.product, true], ...stages.map(({ most, signed }) => [most, signed])]
  for (const [at, node] of [...part("stages").children].entries()) {
    const [most, signed] = bounds[at]
    node.querySelector(".least").textContent = signed ? digits(-most) : "0.00"
    node.querySelector(".greatest").textContent = digits(most)
    const stops = signed ? scales.signed : scales.positive
    node.querySelector(".bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`
  }
}

// The place of a value on its colour scale, from 0 to 1.
function shade({ colours }, signed, most) {
  const share = (value) => (most === 0 ? 0 : value / most)
  return signed
    ? { entries: colours.signed, at: (value) => (value === -Infinity ? 0.5 : (share(value) + 1) / 2) }
    : { entries: colours.positive, at: share }
}

function draw(canvas, { rows, columns, values }, { entries, at }) {
  canvas.width = columns
  canvas.height = rows
  const shares = Array.from(values, at)
  canvas.getContext("2d").putImageData(new ImageData(pixels(entries, shares), columns), 0, 0)
}

function listen(state) {
  const { part, stages } = state
  const field = part("field")
  field.onpointermove = (event) => point(state, placed(event, state.key))
  field.onpointerleave = () => point(state, null)
  for (const [at, { canvas, cells, matrix }] of stages.entries()) {
    canvas.onpointermove = (event) => look(state, { ...placed(event, matrix), stage: at })
    canvas.onpointerleave = () => look(state, null)
    canvas.onclick = () => pin(state, state.hover.row)
    cells.forEach((cell, row) => {
      cell.onpointerenter = () => point(state, { row, column: state.data.width + at })
      cell.onpointerleave = () => point(state, null)
    })
  }
  part("scroll").onkeydown = (event) => walk(state, event)
  part("scroll").onblur = () => point(state, null)
}

function placed(event, { rows, columns }) {
  const { x, y } = shareAt(event.currentTarget, event)
  const inside = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)))
  return { row: inside(y, rows), column: inside(x, columns) }
}

// A cell of the table: a key and, as columns, the dimensions and then the stages.
function point(state, cell) {
  if (cell?.row === state.cell?.row && cell?.column === state.cell?.column) return
  state.cell = cell
  select(state)
}

// A cell of a whole matrix: its row is the query that the table shows as long as the pointer is there.
function look(state, hover) {
  state.hover = hover
  select(state)
}

function pin({ data }, row) {
  tell("pin", tokenOfRow(data.kind, row))
}

function walk(state, event) {
  const { cell, data, size } = state
  if (event.key === "Escape") {
    point(state, null)
    return tell("pin", null)
  }
  const turn = { PageDown: 1, PageUp: -1 }[event.key]
  if (turn) {
    event.preventDefault()
    return pin(state, Math.min(data.rows.length - 1, Math.max(0, state.row + turn)))
  }
  if (!event.key.startsWith("Arrow")) return undefined
  event.preventDefault()
  point(state, cell ? step(cell, event.key, size) : { row: 0, column: 0 })
  state.part("keys").children[state.cell.row].scrollIntoView({ block: "nearest" })
  state.part("spoken").textContent = spoken(state)
  return undefined
}

function select(state) {
  const { data, hover, stages, token } = state
  const whole = stages[0].matrix
  const place = token ? placeOf(data.kind, token, whole) : { row: null, column: null }
  const row = hover?.row ?? place.row ?? 0
  if (row !== state.row || state.shown !== data.signature) fill(state, row)
  outline(state, hover?.column ?? state.cell?.row ?? place.column)
  tell("paint", paintOf(data.kind, stages.at(-1).matrix, { row, column: null }))
  state.part("readout").replaceChildren(...readout(state))
}

// The table of one query.
function fill(state, row) {
  const { data, key, part, query, stages } = state
  Object.assign(state, { row, shown: data.signature })
  state.products = productsOf(query, key, row)
  const { reads, predicts } = data.rows[row]
  const nodes = predicts ? [tokenNode(reads), element("span", "arrow", "→"), tokenNode(predicts)] : [tokenNode(reads)]
  const of = element("span", "words", `row ${row + 1} of ${data.rows.length}`)
  part("query").replaceChildren(element("span", "words", "Query"), ...nodes, of)
  const scale = shade(state, true, data.most.product)
  draw(part("field").querySelector("canvas"), state.products, scale)
  const vector = part("vector")
  const values = rowOf(query, row)
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  part("bounds").textContent = `q, from ${digits(-largest)} to ${digits(largest)}`
  draw(vector, { rows: 1, columns: data.width, values }, shade(state, true, largest))
  for (const { cells, matrix, most, signed } of stages) {
    const { entries, at } = shade(state, signed, most)
    rowOf(matrix, row).forEach((value, column) => {
      const hidden = value === -Infinity
      const colour = colourOf(entries, at(value))
      cells[column].textContent = hidden ? "−∞" : digits(value)
      cells[column].classList.toggle("masked", hidden)
      cells[column].style.background = hidden ? "" : css(colour)
      cells[column].style.color = hidden ? "" : inkOn(colour)
    })
  }
}

function outline(state, column) {
  const { cell, data, part, row, stages } = state
  for (const { cells, matrix, node } of stages) {
    node.style.setProperty("--at", row / matrix.rows)
    node.style.setProperty("--share", 1 / matrix.rows)
    cells.forEach((found) => found.classList.remove("ring"))
  }
  ;[...part("keys").children].forEach((node, at) => node.classList.toggle("chosen", at === column))
  const ring = part("ring")
  ring.hidden = !cell || cell.column >= data.width
  if (!ring.hidden) {
    ring.style.setProperty("--row", cell.row)
    ring.style.setProperty("--column", cell.column)
  } else if (cell) stages[cell.column - data.width].cells[cell.row].classList.add("ring")
}

// The exact numbers of what is pointed at.
function readout(state) {
  const { cell, data, hover, stages } = state
  if (hover) {
    const { matrix, name } = stages[hover.stage]
    const value = matrix.values[hover.row * matrix.columns + hover.column]
    return [tokenNode(data.columns[hover.column]), words(`${name}: ${number(value)}`)]
  }
  if (!cell) return []
  return [tokenNode(data.columns[cell.row]), words(equation(state))]
}

function equation({ cell, data, key, products, query, row, stages }) {
  if (cell.column >= data.width) {
    const { matrix, name } = stages[cell.column - data.width]
    return `${name}: ${number(matrix.values[row * matrix.columns + cell.row])}`
  }
  const factors = [rowOf(query, row), rowOf(key, cell.row)].map((vector) => digits(vector[cell.column]))
  return `dimension ${cell.column + 1}: ${factors.join(" × ")} = ${digits(rowOf(products, cell.row)[cell.column])}`
}

function spoken(state) {
  const { cell, data, numbers } = state
  return `${nameOf(data.columns[cell.row])} ${numbers.keys[cell.row]}`.trim() + `, ${equation(state)}`
}

function number(value) {
  return value === -Infinity ? "−∞" : digits(value)
}

function words(text) {
  return element("span", "words", text)
}
