// Tables of text that comes from files, so it is only ever set as text, and a picture of how often positions occurred.
// @ts-check

import { component } from "../base/component.js"
import { element } from "../base/tokens.js"
import { curve, powers } from "./counts.js"

/**
 * @typedef {object} Sheet
 * @property {SheetTable[]} tables
 * @property {Positions[]} positions
 */

/**
 * @typedef {object} SheetTable
 * @property {string} title
 * @property {string[]} heads
 * @property {string[][]} rows
 * @property {string} otherwise
 */

/**
 * @typedef {object} Positions
 * @property {string} side
 * @property {number[]} counts
 */

/** @typedef {import("../base/component.js").State<Sheet>} State */

const SVG = "http://www.w3.org/2000/svg"

export default component(".sheet", { draw })

/** @param {State} state */
function draw({ data, part }) {
  part("tables").replaceChildren(...data.tables.map(section))
  part("picture").replaceChildren(...(data.positions.length ? picture(data.positions) : []))
}

/** @param {SheetTable} table */
function section({ title, heads, rows, otherwise }) {
  const node = element("section", heads.length > 3 ? "wide" : "")
  if (!rows.length) {
    node.append(element("p", "title", title), element("p", "", otherwise))
    return node
  }
  const scroll = element("div", "scroll")
  scroll.tabIndex = 0
  scroll.role = "group"
  scroll.ariaLabel = title
  const table = element("table", heads.length ? "numbers" : "")
  table.append(element("caption", "title", title))
  if (heads.length) {
    const top = element("thead")
    top.append(row(heads, heads.map(() => "col")))
    table.append(top)
  }
  const body = element("tbody")
  body.append(...rows.map((cells) => row(cells, ["row"])))
  table.append(body)
  scroll.append(table)
  node.append(scroll)
  return node
}

/** @param {string[]} cells @param {string[]} scopes */
function row(cells, scopes) {
  const node = element("tr")
  cells.forEach((text, index) => {
    const cell = element(scopes[index] ? "th" : "td")
    if (scopes[index]) cell.scope = scopes[index]
    cell.append(element("bdi", "", text))
    node.append(cell)
  })
  return node
}

/** @param {Positions[]} sides */
function picture(sides) {
  const longest = Math.max(...sides.map(({ counts }) => counts.length))
  const most = Math.max(...sides.flatMap(({ counts }) => counts), 1)
  const figure = element("div", "figure")
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 100 100")
  svg.setAttribute("preserveAspectRatio", "none")
  svg.setAttribute("role", "img")
  svg.setAttribute("aria-label", `How often each of ${longest} positions occurred in training`)
  for (const { side, counts } of sides) {
    const line = document.createElementNS(SVG, "polyline")
    line.setAttribute("points", curve(counts, longest, most))
    line.setAttribute("class", side)
    svg.append(line)
  }
  const marks = powers(most).map(({ label, height }) => {
    const mark = element("span", "mark", label)
    mark.style.bottom = `${height}%`
    return mark
  })
  figure.append(...marks, svg)
  const axis = element("p", "axis")
  axis.append(element("span", "", "position 1"), element("span", "", longest.toLocaleString("en")))
  return [legend(sides), figure, axis]
}

/** @param {Positions[]} sides */
function legend(sides) {
  const node = element("p", "legend", "How often each position occurred in training (logarithmic):")
  for (const { side } of sides) {
    const name = element("span", `key ${side}`, side)
    node.append(name)
  }
  return node
}
