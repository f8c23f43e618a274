// Links between two columns of tokens, one set a head.

// Links with those of each row and of each column at hand, for there may be tens of thousands.
export function sorted(links) {
  const found = { all: links, rows: new Map(), columns: new Map() }
  for (const link of links) {
    for (const [place, at] of [[found.rows, link.row], [found.columns, link.column]]) {
      if (!place.has(at)) place.set(at, [])
      place.get(at).push(link)
    }
  }
  return found
}

// The links of a selected row, else of a selected column; all of them where nothing is selected.
export function linksAt({ all, rows, columns }, { row, column }) {
  if (row !== null) return rows.get(row) ?? []
  return column === null ? all : (columns.get(column) ?? [])
}

// For each token at the other side of the selected one, the largest weight that any head gives to the link.
export function numbersAt(links, place) {
  const far = place.row === null ? "row" : "column"
  const found = new Map()
  for (const link of linksAt(links, place)) {
    found.set(link[far], Math.max(found.get(link[far]) ?? 0, link.weight))
  }
  return found
}

// Links as objects, from the three lists they travel in.
export function unpack({ rows, columns, weights }, colour) {
  return rows.map((row, at) => ({ row, column: columns[at], weight: weights[at], colour }))
}

// The token of the sentence that a key column stands for; null for the start symbol.
export function tokenOfColumn(kind, column) {
  if (kind !== "decoder") return { side: "source", index: column }
  return column === 0 ? null : { side: "output", index: column - 1 }
}
