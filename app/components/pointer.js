// Where a pointer is in a node, as shares of its width and height from 0 to 1, however large the page is drawn.
export function shareAt(node, { clientX, clientY }) {
  const { left, top, width, height } = node.getBoundingClientRect()
  return { x: (clientX - left) / width, y: (clientY - top) / height }
}

// How much larger than its own pixels a node is drawn.
export function zoomOf(node) {
  return node.currentCSSZoom ?? 1
}
