import assert from "node:assert/strict"
import { test } from "node:test"

import { atStep, bestChild, drawn, nats, neighbour, pathTo, piecesTo, probability, winnerAt } from "../../app/components/beam_tree/tree.js"
import { lane } from "./toys/lane.mjs"

test("nodes know their children, and which hypothesis they extend and become", () => {
  const { nodes, columns } = lane()
  assert.deepEqual(columns.map((column) => column.length), [3, 3, 2])
  assert.deepEqual(nodes[0].children, [4, 5])
  assert.deepEqual(nodes.map(({ live }) => live), [0, 1, null, 0, null, 1, null, 0])
  assert.deepEqual(nodes.map(({ from }) => from), [0, 0, 0, 1, 0, 0, 0, 1])
  assert.equal(nodes[7].fate, "cut off")
})

test("a path leads from the first piece to the node", () => {
  const found = lane()
  assert.deepEqual(piecesTo(found, found.nodes[6]), [11, 20, 2])
  assert.equal(pathTo(found, found.nodes[2]).length, 1)
})

test("arrow keys: left to the parent, right to the best child, up and down within the step", () => {
  const found = lane()
  const [a, b, c, d, , f, end, cut] = found.nodes
  assert.equal(neighbour(found, d, "ArrowLeft", true), b)
  assert.equal(neighbour(found, a, "ArrowLeft", true), null)
  assert.equal(neighbour(found, b, "ArrowRight", true), d)
  assert.equal(neighbour(found, a, "ArrowRight", true), f, "the excluded child is not the best one")
  assert.equal(neighbour(found, c, "ArrowRight", true), null)
  assert.equal(neighbour(found, b, "ArrowDown", true), c)
  assert.equal(neighbour(found, b, "ArrowDown", false), null, "the pruned one is not drawn")
  assert.equal(neighbour(found, a, "ArrowUp", true), null)
  assert.equal(neighbour(found, cut, "Home", true), a)
  assert.equal(neighbour(found, a, "End", true), end)
  assert.equal(neighbour(found, a, "x", true), null)
})

test("going to a step follows the hypothesis, or else the winner", () => {
  const found = lane()
  const [a, b, c, d, , f, end, cut] = found.nodes
  assert.equal(atStep(found, cut, 0), a)
  assert.equal(atStep(found, a, 2), cut)
  assert.equal(atStep(found, b, 2), end)
  assert.equal(atStep(found, c, 1), d, "nothing follows a pruned one")
  assert.equal(winnerAt(found, 0), b)
  assert.equal(winnerAt(found, 99), end)
  assert.equal(bestChild(found, end), null)
  assert.equal(atStep(found, f, 1), f)
})

test("folded, a step has the pruned node that is selected, and no other", () => {
  const found = lane()
  const [, , c, d, , f] = found.nodes
  assert.deepEqual(drawn(found, 1, false), [d, f])
  assert.deepEqual(drawn(found, 0, false, c).at(-1), c)
  assert.equal(neighbour(found, c, "ArrowUp", false), found.nodes[1])
})

test("numbers", () => {
  assert.equal(probability(Math.log(0.5)), "0.50")
  assert.equal(probability(-9), "<0.01")
  assert.equal(nats(-1.256), "−1.26")
  assert.equal(nats(-0.0001), "0.00")
})
