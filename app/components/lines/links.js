// Links between two columns of tokens, one set a head.
// @ts-check

/** @import { Kind, Place, Token } from "../base/matrix.js" */
/** @import { Links } from "./lines.js" */
/** @typedef {{ head: number, colour: string, lane: number }} Stroke how a head is drawn: its lane counts from the middle */
/** @typedef {Stroke & { row: number, column: number, weight: number }} Link */
/** @typedef {{ all: Link[], rows: Map<number, Link[]>, columns: Map<number, Link[]> }} SortedLinks */

// Links with those of each row and of each column at hand, for there may be tens of thousands.
/** @param {Link[]} links */
export function sorted(links) {
  const found = { all: links, rows: new Map(), columns: new Map() }
  const put = (/** @type {Map<number, Link[]>} */ places, /** @type {number} */ at, /** @type {Link} */ link) => {
    const there = places.get(at)
    if (there) there.push(link)
    else places.set(at, [link])
  }
  for (const link of links) {
    put(found.rows, link.row, link)
    put(found.columns, link.column, link)
  }
  return found
}

// The links of a selected row, else of a selected column; all of them where nothing is selected.
/** @param {SortedLinks} sortedlinks @param {Place} place */
export function linksAt({ all, rows, columns }, { row, column }) {
  if (row !== null) return rows.get(row) ?? []
  return column === null ? all : (columns.get(column) ?? [])
}

// For each token at the other side of the selected one, the largest weight that any head gives to the link.
/** @param {SortedLinks} links @param {Place} place */
export function numbersAt(links, place) {
  const far = place.row === null ? "row" : "column"
  const found = new Map()
  for (const link of linksAt(links, place)) {
    found.set(link[far], Math.max(found.get(link[far]) ?? 0, link.weight))
  }
  return found
}

// Links as objects, from the three lists they travel in.
/** @param {Links} links @param {Stroke} stroke */
export function unpack({ rows, columns, weights }, stroke) {
  return rows.map((row, at) => ({ row, column: columns[at], weight: weights[at], ...stroke }))
}

// How several heads are drawn side by side, so that none lies on another: each has a lane of its own.
/** @param {number[]} heads @param {string[]} palette @returns {Stroke[]} */
export function strokes(heads, palette) {
  const middle = (heads.length - 1) / 2
  return heads.map((head, at) => ({ head, colour: palette[head % palette.length].trim(), lane: at - middle }))
}

// Pixels from lane to lane: no more than a line is thick, and all lanes of a row within it.
/** @param {number} heads @param {number} row pixels of a row */
export function laneWidth(heads, row) {
  return Math.min(4, (row - 6) / heads)
}

// The links of the same two tokens as the drawn one that a point is on, strongest first; none where it is on none.
/**
 * @param {Link[]} drawn
 * @param {{ x: number, y: number }} point x from 0 at the queries to 1 at the keys, y in rows from the first one drawn
 * @param {{ top: number, left: number }} pane
 * @param {{ lane: number, reach: number }} sizes in rows: from lane to lane, and how near a point has to be
 */
export function linksUnder(drawn, { x, y }, { top, left }, { lane, reach }) {
  const away = (/** @type {Link} */ link) =>
    Math.abs(y - (0.5 + (1 - x) * (link.row - top) + x * (link.column - left) + link.lane * lane))
  const near = drawn.filter((link) => away(link) <= reach)
  if (!near.length) return []
  const best = near.reduce((one, other) => (away(other) < away(one) ? other : one))
  const same = drawn.filter(({ row, column }) => row === best.row && column === best.column)
  return same.sort((one, other) => other.weight - one.weight)
}

// The token of the sentence that a key column stands for; null for the start symbol.
/** @returns {Token | null} @param {Kind} kind @param {number} column */
export function tokenOfColumn(kind, column) {
  if (kind !== "decoder") return { side: "source", index: column }
  return column === 0 ? null : { side: "output", index: column - 1 }
}
