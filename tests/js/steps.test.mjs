import assert from "node:assert/strict"
import { test } from "node:test"

import { bars, board, choices, outcome } from "../../app/components/beam_tree/steps.js"
import { planted } from "../../app/components/beam_tree/tree.js"

const FATES = ["kept", "pruned", "finished"]
const row = (step, index, parent, piece, p, fate, margin = null) => [
  step, index, parent, piece, Math.log(p), -2 - index, -1.5 - index, margin, null, FATES.indexOf(fate), 0, 0, null, index, index,
]

function lane() {
  const next = (...pairs) => pairs.map(([piece, p]) => [piece, Math.log(p)])
  return planted(
    {
      name: "a",
      steps: [
        [{ text: "", entropy: 0.5, next: next([10, 0.6], [11, 0.3], [12, 0.05]) }],
        [
          { text: "A", entropy: 0.7, next: next([20, 0.5], [21, 0.25]) },
          { text: "B", entropy: 0.1, next: next([2, 0.9]) },
        ],
      ],
      nodes: [
        row(0, 0, null, 10, 0.6, "kept"), row(0, 1, null, 11, 0.3, "kept"), row(0, 2, null, 12, 0.05, "pruned", -1.25),
        row(1, 0, 1, 2, 0.9, "finished"), row(1, 1, 0, 20, 0.5, "kept"),
      ],
    },
    FATES,
  )
}

test("a step has a card for each hypothesis that it extends", () => {
  const [first] = board(lane(), 0)
  assert.deepEqual([first.text, first.total, first.node, first.entropy], ["", 0, null, 0.5])
  const [a, b] = board(lane(), 1)
  assert.deepEqual([a.text, a.total, a.score, a.node.piece], ["A", -2, -1.5, 10])
  assert.deepEqual([b.text, b.total, b.score, b.node.piece], ["B", -3, -2.5, 11])
  assert.deepEqual(a.bars.map(({ piece, node }) => [piece, node?.fate ?? null]), [[20, "kept"], [21, null]])
  assert.deepEqual(b.bars.map(({ node }) => node.fate), ["finished"])
})

test("the most probable pieces, every candidate, and the rest as one bar", () => {
  const next = [0.4, 0.2, 0.1, 0.05].map((p, piece) => [piece, Math.log(p)])
  const { bars: found, rest } = bars(next, [{ piece: 3, logProb: Math.log(0.05) }, { piece: 9, logProb: Math.log(0.01) }], 2)
  assert.deepEqual(found.map(({ piece }) => piece), [0, 1, 3, 9])
  assert.ok(Math.abs(rest - 0.34) < 1e-9)
  assert.equal(bars([[0, 0]], [], 2).rest, 0)
})

test("what became of a candidate is said with its margin", () => {
  const [kept, , pruned, finished] = lane().nodes
  assert.equal(outcome(kept), "kept")
  assert.equal(outcome(pruned), "pruned by 1.250")
  assert.equal(outcome({ ...finished, winner: 1 }), "finished, the winner")
  assert.equal(outcome({ ...kept, forced: 1 }), "kept, forced")
  assert.equal(outcome(null), "not looked at")
})

test("what may follow a node is what its hypothesis knows of", () => {
  const found = lane()
  assert.deepEqual(choices(found, found.nodes[0]).map(({ piece }) => piece), [20, 21])
  assert.deepEqual(choices(found, found.nodes[2]), [], "pruned")
  assert.deepEqual(choices(found, found.nodes[4]), [], "nothing is known behind the last step")
})
