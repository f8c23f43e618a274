// Where the nodes of a tree stand, and how wide they are. Nothing here draws.
// @ts-check

import { drawn } from "./tree.js"

/** @import { Box, Piece } from "./beam_tree.js" */
/** @import { PlantedLane, TreeNode } from "./tree.js" */

export const MARGIN = 8
// Above the nodes stand the numbers of the steps.
export const TOP = 28
// Steps beyond the edge of the window that are drawn too.
const AHEAD = 2

// Pixels of the narrowest node, and of the room beside it.
const NARROW = { width: 66, gap: 10 }
// Pixels of a letter of a piece; in narrow nodes letters stand closer.
const LETTER = { wide: 7.85, narrow: 7.35 }
// Pixels from which on a node is wide, and from which on it has room for its fate.
const ROOMY = { text: 100, fate: 132 }

// What a node of that width has room for.
/** @param {Box} box */
export function roomIn({ width }) {
  return { narrow: width < ROOMY.text, fate: width >= ROOMY.fate, padding: width < ROOMY.text ? 3 : 8 }
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u

// Nodes as wide as all steps have room for, within limits.
/** @param {Box} box the widest @param {number} room @param {number} steps */
export function fitted(box, room, steps) {
  const [least, most] = [NARROW.width + NARROW.gap, box.width + box.gap]
  const column = Math.max(least, Math.min(most, Math.floor((room - 2 * MARGIN + NARROW.gap) / Math.max(1, steps))))
  const gap = Math.round(NARROW.gap + ((box.gap - NARROW.gap) * (column - least)) / Math.max(1, most - least))
  return { ...box, width: column - gap, gap }
}

// A piece as it is written into a node: cut where it is longer, and isolated from what stands beside it.
/** @param {Piece} label @param {Box} box */
export function clipped(label, box) {
  const { narrow, padding } = roomIn(box)
  const letters = [...new Intl.Segmenter().segment(label.text)].map(({ segment }) => segment)
  const sizes = letters.map((letter) => (WIDE.test(letter) ? 2 : 1))
  let room = Math.floor((box.width - 2 * padding) / LETTER[narrow ? "narrow" : "wide"]) - label.mark.length
  if (sizes.reduce((sum, size) => sum + size, 0) > room) {
    room -= 1
    const fits = sizes.findIndex((size) => (room -= size) < 0)
    letters.splice(fits, letters.length, "…")
  }
  return `${label.mark}\u2068${letters.join("")}\u2069`
}

// Where a node stands. Folded, one that is selected though it is pruned stands below those of its step.
/** @param {PlantedLane} lane @param {TreeNode} node @param {Box} box @param {boolean} pruned */
export function place(lane, node, box, pruned) {
  const row = pruned ? node.row : node.slim ?? drawn(lane, node.step, false).length
  return { x: MARGIN + node.step * (box.width + box.gap), y: TOP + row * (box.height + box.drop) }
}

/** @param {PlantedLane} lane @param {Box} box @param {boolean} pruned */
export function sizeOf(lane, box, pruned) {
  const rows = Math.max(1, ...lane.columns.map((_, step) => drawn(lane, step, pruned).length))
  return {
    width: 2 * MARGIN + lane.columns.length * (box.width + box.gap) - box.gap,
    height: TOP + MARGIN + rows * (box.height + box.drop) - box.drop,
  }
}

// First and last step that a window shows, and a few more on either side.
/** @param {number} left @param {number} width @param {Box} box @param {number} count */
export function stepsIn(left, width, box, count) {
  const column = box.width + box.gap
  const first = Math.floor((left - MARGIN) / column) - AHEAD
  const last = Math.floor((left + width - MARGIN) / column) + AHEAD
  return [Math.max(0, first), Math.min(count - 1, last)]
}

/**
 * How far to scroll along one axis so that a node is seen with some room around it; 0 where it is.
 *
 * @param {number} start
 * @param {number} size
 * @param {number} windowStart
 * @param {number} windowSize
 * @param {number} room
 */
export function scrollBy(start, size, windowStart, windowSize, room) {
  const least = Math.min(room, Math.max(0, (windowSize - size) / 2))
  if (start - least < windowStart) return start - least - windowStart
  return Math.max(0, start + size + least - windowStart - windowSize)
}

// The line from a parent to a node.
/** @param {{ x: number, y: number }} from @param {{ x: number, y: number }} to @param {Box} box */
export function edge(from, to, box) {
  const [x, above, y] = [from.x + box.width, from.y + box.height / 2, to.y + box.height / 2]
  const middle = to.x - box.gap / 2
  return `M${x} ${above}C${middle} ${above} ${middle} ${y} ${to.x} ${y}`
}

