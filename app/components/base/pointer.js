// Where a pointer is in a node, and how large the page is drawn.
// @ts-check

// Shares of width and height from 0 to 1, however large the page is drawn.
/** @param {Element} node @param {{ clientX: number, clientY: number }} event */
export function shareAt(node, { clientX, clientY }) {
  const { left, top, width, height } = node.getBoundingClientRect()
  return { x: (clientX - left) / width, y: (clientY - top) / height }
}

/**
 * The cell of a map that fills a node.
 *
 * @param {Element} node
 * @param {{ clientX: number, clientY: number }} event
 * @param {{ rows: number, columns: number }} size
 */
export function cellAt(node, event, { rows, columns }) {
  const { x, y } = shareAt(node, event)
  return { row: within(Math.floor(y * rows), rows), column: within(Math.floor(x * columns), columns) }
}

// The nearest index that there is.
/** @param {number} at @param {number} count */
export function within(at, count) {
  return Math.min(count - 1, Math.max(0, at))
}

// How much larger than its own pixels a node is drawn.
/** @param {{ currentCSSZoom?: number }} node */
export function zoomOf(node) {
  return node.currentCSSZoom ?? 1
}

// Where keys are typed as text.
export const EDITABLE = "input, textarea, select, [contenteditable=true]"
