// A search as a tree: its nodes, the way between them, and where they stand. Nothing here draws.
// @ts-check

/** @import { Lane } from "./beam_tree.js" */

/**
 * @typedef {object} TreeNode
 * @property {number} step
 * @property {number} index among the candidates of its step
 * @property {number | null} parent
 * @property {number} piece
 * @property {number} logProb
 * @property {number} total
 * @property {number} score
 * @property {number | null} margin
 * @property {number | null} drawn
 * @property {string} fate
 * @property {number} forced
 * @property {number} winner
 * @property {number | null} hypothesis
 * @property {number} row
 * @property {number | null} slim its row without pruned ones
 * @property {number} place among the nodes of its lane
 * @property {number[]} children
 * @property {number | null} live
 * @property {number} from
 */
/** @typedef {Omit<Lane, "nodes"> & { nodes: TreeNode[], columns: TreeNode[][] }} PlantedLane */

export const FIELDS = [
  "step", "index", "parent", "piece", "logProb", "total", "score", "margin", "drawn", "fate", "forced", "winner",
  "hypothesis", "row", "slim",
]
// The rows that travel, as nodes that know their parent and children. A node's `live` is its place among the hypotheses
// of the next step (null: it does not go on), `from` that of its parent among those that its own step extends.
/** @param {Lane} lane @param {string[]} fates */
export function planted(lane, fates) {
  const nodes = lane.nodes.map((row, place) => {
    /** @type {any} */
    const named = Object.fromEntries(FIELDS.map((name, at) => [name, row[at]]))
    return /** @type {TreeNode} */ ({ ...named, place, fate: fates[named.fate], children: [], live: null, from: 0 })
  })
  /** @type {TreeNode[][]} */
  const columns = lane.steps.map(() => [])
  for (const node of nodes) {
    const column = (columns[node.step] ??= [])
    if (node.parent !== null) {
      nodes[node.parent].children.push(node.place)
      node.from = nodes[node.parent].live ?? 0
    }
    if (node.fate === "kept" || node.fate === "cut off") node.live = column.filter((other) => other.live !== null).length
    column.push(node)
  }
  return { ...lane, nodes, columns }
}

// Nodes of a step from top to bottom. Folded, those that are pruned or excluded are left out, but for the selected one.
/** @param {PlantedLane} lane @param {number} step @param {boolean} pruned @param {TreeNode | null} [selected] */
export function drawn(lane, step, pruned, selected = null) {
  return (lane.columns[step] ?? []).filter((node) => pruned || node.slim !== null || node === selected)
}

// From the first piece to a node.
/** @param {PlantedLane} lane @param {TreeNode} node */
export function pathTo(lane, node) {
  const path = [node]
  for (let { parent } = node; parent !== null; { parent } = path[0]) path.unshift(lane.nodes[parent])
  return path
}

/** @param {PlantedLane} lane @param {TreeNode} node */
export function piecesTo(lane, node) {
  return pathTo(lane, node).map(({ piece }) => piece)
}

// Where a hypothesis goes on best: towards the winner, else to the child that went on or ended, else to the first one.
/** @param {PlantedLane} lane @param {TreeNode} node @param {boolean} [pruned] */
export function bestChild(lane, node, pruned = true) {
  const children = node.children.map((place) => lane.nodes[place]).filter((child) => pruned || child.slim !== null)
  return (
    children.find(({ winner }) => winner) ??
    children.find(({ fate }) => ["kept", "finished", "cut off"].includes(fate)) ??
    children[0] ??
    null
  )
}

// The node that an arrow key leads to; null: none.
/** @param {PlantedLane} lane @param {TreeNode} node @param {string} key @param {boolean} pruned */
export function neighbour(lane, node, key, pruned) {
  if (key === "ArrowLeft") return node.parent === null ? null : lane.nodes[node.parent]
  if (key === "ArrowRight") return bestChild(lane, node, pruned)
  const by = { ArrowUp: -1, ArrowDown: 1 }[key]
  const column = drawn(lane, node.step, pruned, node)
  if (by) return column[column.indexOf(node) + by] ?? null
  if (key === "Home") return pathTo(lane, node)[0]
  if (key === "End") return winnerAt(lane, lane.columns.length - 1) ?? null
  return null
}

// The winner's node in a step; behind its end, its last one.
/** @param {PlantedLane} lane @param {number} step */
export function winnerAt(lane, step) {
  const way = lane.nodes.filter(({ winner }) => winner)
  return way[Math.min(step, way.length - 1)] ?? null
}

// The node to select when one goes to a step from another node: on its own way back or on, else on the winner's, else
// the first one there.
/** @param {PlantedLane} lane @param {TreeNode} node @param {number} step */
export function atStep(lane, node, step) {
  if (step <= node.step) return pathTo(lane, node)[step]
  let found = node
  while (found && found.step < step) found = bestChild(lane, found)
  if (found) return found
  const winner = winnerAt(lane, step)
  return winner?.step === step ? winner : lane.columns[step]?.[0] ?? node
}

/** @param {number} logProb */
export function probability(logProb) {
  const value = Math.exp(logProb)
  return value < 0.005 ? "<0.01" : value.toFixed(2)
}

// A log-probability or a score, to so many decimals.
/** @param {number} value @param {number} [decimals] */
export function nats(value, decimals = 2) {
  return value.toFixed(decimals).replace(/^-(?=0\.?0*$)/, "").replace("-", "−")
}
