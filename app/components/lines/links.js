// Links between two columns of tokens, one set a head.
// @ts-check

/** @import { Kind, Place, Token } from "../base/matrix.js" */
/** @import { Links } from "./lines.js" */
/** @typedef {{ row: number, column: number, weight: number, colour: string }} Link */
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
/** @param {Links} links @param {string} colour */
export function unpack({ rows, columns, weights }, colour) {
  return rows.map((row, at) => ({ row, column: columns[at], weight: weights[at], colour }))
}

// The token of the sentence that a key column stands for; null for the start symbol.
/** @returns {Token | null} @param {Kind} kind @param {number} column */
export function tokenOfColumn(kind, column) {
  if (kind !== "decoder") return { side: "source", index: column }
  return column === 0 ? null : { side: "output", index: column - 1 }
}
