// A small tree of a search for the tests of its layout and of the ways through it.
import { planted } from "../../../app/components/beam_tree/tree.js"

const FATES = ["kept", "pruned", "finished", "cut off", "excluded"]
export const BOX = { width: 100, height: 30, gap: 20, drop: 10 }
const known = (text) => ({ text, entropy: 0, next: [] })

// Two hypotheses live; the second one becomes the winner, behind the first one's children.
//   step 0: 10 kept, 11 kept, 12 pruned      step 1: 20 (of 11) kept, 21 (of 10) excluded, 22 (of 10) kept
//   step 2: 2 (of 20) finished, winner; 30 (of 22) cut off
export function lane() {
  const row = (step, index, parent, piece, fate, winner, slim) => [
    step, index, parent, piece, -1, -2, -1.5, null, null, FATES.indexOf(fate), 0, winner, null, index, slim,
  ]
  const nodes = [
    row(0, 0, null, 10, "kept", 0, 0), row(0, 1, null, 11, "kept", 1, 1), row(0, 2, null, 12, "pruned", 0, null),
    row(1, 0, 1, 20, "kept", 1, 0), row(1, 1, 0, 21, "excluded", 0, null), row(1, 2, 0, 22, "kept", 0, 1),
    row(2, 0, 3, 2, "finished", 1, 0), row(2, 1, 5, 30, "cut off", 0, 1),
  ]
  const steps = [[known("")], [known("a"), known("b")], [known("b c"), known("a d")]]
  return planted({ name: "a", steps, nodes }, FATES)
}
