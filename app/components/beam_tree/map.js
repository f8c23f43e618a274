// All of a tree, small, with the part of it that the window shows. Clicking and dragging move the window.
// @ts-check

import { place } from "./layout.js"
import { drawn } from "./tree.js"
import { attributes, element, shape } from "../base/tokens.js"

/** @import { View } from "./lanes.js" */
/** @import { Box } from "./beam_tree.js" */
/** @import { PlantedLane, TreeNode } from "./tree.js" */

/**
 * Its element, hidden where the window shows all of the tree.
 *
 * @param {PlantedLane} lane
 * @param {Box} box
 * @param {boolean} pruned
 * @param {{ width: number, height: number }} size
 * @param {HTMLElement} scroll the window
 */
export function drawMap(lane, box, pruned, size, scroll) {
  const map = element("div", "map")
  const svg = shape("svg", "", { viewBox: `0 0 ${size.width} ${size.height}`, preserveAspectRatio: "none" })
  attributes(map, { "aria-hidden": true })
  map.title = "All of the search; click to move"
  const nodes = lane.columns.flatMap((_, step) => drawn(lane, step, pruned))
  const outline = (/** @type {TreeNode[]} */ some) => some.map((node) => rectangle(place(lane, node, box, pruned), box)).join("")
  svg.append(
    shape("path", "all", { d: outline(nodes.filter(({ winner }) => !winner)) }),
    shape("path", "best", { d: outline(nodes.filter(({ winner }) => winner)) }),
    shape("rect", "window"),
  )
  map.append(svg)
  const move = (/** @type {PointerEvent} */ event) => {
    const frame = map.getBoundingClientRect()
    const part = (/** @type {number} */ at, /** @type {number} */ start, /** @type {number} */ length) => (at - start) / length
    scroll.scrollLeft = part(event.clientX, frame.left, frame.width) * scroll.scrollWidth - scroll.clientWidth / 2
    scroll.scrollTop = part(event.clientY, frame.top, frame.height) * scroll.scrollHeight - scroll.clientHeight / 2
  }
  map.onpointerdown = (event) => {
    map.setPointerCapture(event.pointerId)
    move(event)
  }
  map.onpointermove = (event) => {
    if (map.hasPointerCapture(event.pointerId)) move(event)
  }
  return map
}

// Show where the window is.
/** @param {View} view */
export function frameMap({ scroll, map }) {
  const { scrollLeft: x, scrollTop: y, clientWidth: width, clientHeight: height, scrollWidth, scrollHeight } = scroll
  map.hidden = scrollWidth <= width && scrollHeight <= height
  const frame = /** @type {Element} */ (map.querySelector(".window"))
  if (frame) attributes(frame, { x, y, width, height })
}

/** @param {{ x: number, y: number }} at @param {Box} box */
function rectangle({ x, y }, { width, height }) {
  return `M${x} ${y}h${width}v${height}h${-width}z`
}
