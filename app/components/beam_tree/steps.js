// What a step of a search looked at, as a lecture needs it. Nothing here draws.
// @ts-check

/** @import { PlantedLane, TreeNode } from "./tree.js" */
/** @typedef {{ piece: number, logProb: number, probability: number, node: TreeNode | null }} Bar */

const BARS = 6

// One card for each hypothesis that a step extends: what it reads, its numbers, and what may follow it.
/** @param {PlantedLane} lane @param {number} step */
export function board(lane, step) {
  const before = (lane.columns[step - 1] ?? []).filter(({ live }) => live !== null)
  return (lane.steps[step] ?? []).map((known, at) => ({
    text: known.text,
    entropy: known.entropy,
    total: before[at]?.total ?? 0,
    score: before[at]?.score ?? 0,
    node: before[at] ?? null,
    ...bars(known.next, candidatesOf(lane, step, at)),
  }))
}

/** @param {PlantedLane} lane @param {number} step @param {number} at */
export function candidatesOf(lane, step, at) {
  return (lane.columns[step] ?? []).filter(({ from }) => from === at)
}

// The most probable pieces, every candidate among them, and one bar for all others together.
/** @param {[number, number][]} next @param {TreeNode[]} candidates @param {number} [count] */
export function bars(next, candidates, count = BARS) {
  const nodes = new Map(candidates.map((node) => [node.piece, node]))
  const best = next.filter(([piece], rank) => rank < count || nodes.has(piece)).map(([piece, logProb]) => ({ piece, logProb }))
  const listed = new Set(best.map(({ piece }) => piece))
  for (const { piece, logProb } of candidates) if (!listed.has(piece)) best.push({ piece, logProb })
  const bars = best.map((bar) => ({ ...bar, probability: Math.exp(bar.logProb), node: nodes.get(bar.piece) ?? null }))
  const rest = Math.max(0, 1 - bars.reduce((sum, bar) => sum + bar.probability, 0))
  return { bars, rest }
}

// What became of a candidate, in words.
/** @param {TreeNode | null | undefined} node */
export function outcome(node) {
  if (!node) return "not looked at"
  const margin = node.margin === null ? "" : ` by ${(-node.margin).toFixed(3)}`
  const what = node.fate === "finished" && node.winner ? "finished, the winner" : `${node.fate}${margin}`
  return node.forced ? `${what}, forced` : what
}

// What may follow a node, for the visitor to choose from: every piece that its hypothesis knows of. Empty where it
// does not go on.
/** @param {PlantedLane} lane @param {TreeNode} node */
export function choices(lane, node) {
  if (node.live === null) return []
  const known = lane.steps[node.step + 1]?.[node.live]
  return known ? bars(known.next, candidatesOf(lane, node.step + 1, node.live), known.next.length).bars : []
}
