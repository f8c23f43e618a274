// The links in words and numbers: of what is selected beside the lines, of what is pointed at on them, and spoken.
// @ts-check

import { zoomOf } from "../base/pointer.js"
import { digits, element, nameOf, numbersOf, tokenNode, variables } from "../base/tokens.js"
import { numbersAt } from "./links.js"

/** @import { Lines, State } from "./lines.js" */
/** @import { Link } from "./links.js" */

// Links that the panel names.
const NAMED = 12

/** @param {State} state @param {Link[]} links of the same tokens @param {PointerEvent} [event] */
export function peek(state, links, event) {
  const { part, root } = state
  const box = part("peek")
  box.hidden = !links.length
  if (!links.length || !event) return
  box.replaceChildren(pair(state, links[0]), ...links.map((link) => named(link, [])))
  const [wall, zoom] = [root.getBoundingClientRect(), zoomOf(root)]
  box.style.top = `${(event.clientY - wall.top) / zoom + 12}px`
  box.style.left = `${Math.max(0, Math.min((event.clientX - wall.left) / zoom + 12, wall.width / zoom - box.offsetWidth))}px`
}

/** @param {State} state @param {{ row: number, column: number }} link */
function pair({ data }, { row, column }) {
  const { reads, predicts } = data.rows[row]
  const line = element("p", "pair")
  line.append(tokenNode(predicts ?? reads), element("span", "words", "looks at"), tokenNode(data.columns[column]))
  return line
}

// A head with its weight, in its colour.
/** @param {Link} link @param {Node[]} nodes what stands between */
function named({ colour, head, weight }, nodes) {
  const item = element("p", "named")
  const chip = element("span", "chip", `Head ${head + 1}`)
  variables(chip, { colour })
  item.append(chip, ...nodes, element("strong", "", digits(weight)))
  return item
}

// The links of the selected token by head, strongest first.
/** @param {State} state @param {Link[]} links */
export function list(state, links) {
  const { data, part, place } = state
  const best = [...links].sort((one, other) => other.weight - one.weight).slice(0, NAMED)
  const items = best.map((link) => {
    const { reads, predicts } = data.rows[link.row]
    const item = element("li")
    item.append(named(link, [tokenNode(place.row === null ? (predicts ?? reads) : data.columns[link.column])]))
    return item
  })
  part("named-links").replaceChildren(...items)
}

// What stands on symbols that are hidden: of a row, else of a row on average.
/** @param {Lines} lines @param {number | null} row */
export function hidden({ heads }, row) {
  const mass = (/** @type {number[]} */ masses) =>
    row === null ? masses.reduce((sum, value) => sum + value, 0) / masses.length : masses[row]
  const masses = heads.flatMap(({ head, hidden }) => (hidden ? [`head ${head + 1}: ${digits(mass(hidden))}`] : []))
  return masses.length ? `${row === null ? "Of a row on average" : "Of this row"} on hidden symbols: ${masses.join(", ")}` : ""
}

/** @param {State} state */
export function speak({ data, keys, links, part, place, queries }) {
  const [far, labels] =
    place.row === null ? [queries, data.rows.map(({ reads, predicts }) => predicts ?? reads)] : [keys, data.columns]
  const numbers = numbersOf(labels)
  const found = [...numbersAt(links, place)].sort(([, a], [, b]) => b - a).slice(0, 3)
  const words = found.map(([at, weight]) => `${nameOf(labels[at])} ${numbers[at]} ${digits(weight)}`)
  part("spoken").textContent = far.length && words.length ? words.join(", ") : "no link drawn"
}
