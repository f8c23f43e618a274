// Two translations of a sentence, with the words that differ marked, and the change of every token's log-probability.
// @ts-check

import { component } from "../base/component.js"
import { element, signed, tokenNode, variables } from "../base/tokens.js"

/** @import { Label } from "../base/tokens.js" */

/**
 * @typedef {object} Compare
 * @property {[string, string]} names
 * @property {Word[]} before
 * @property {Word[]} after
 * @property {[boolean, boolean]} cut_off
 * @property {Change[]} changes
 * @property {number} most
 * @property {string} scale
 * @property {string} direction
 * @property {string} facts
 */

/**
 * @typedef {object} Word
 * @property {string} text
 * @property {boolean} changed
 */

/**
 * @typedef {object} Change
 * @property {Label} label
 * @property {number} change
 */

/** @typedef {import("../base/component.js").State<Compare>} State */

export default component(".compare", { draw })

/** @param {State} state */
function draw({ data, part }) {
  const [before, after] = data.cut_off
  part("first").textContent = data.names[0]
  part("second").textContent = data.names[1]
  part("before").replaceChildren(...words(data.before, "del", before))
  part("after").replaceChildren(...words(data.after, "ins", after))
  for (const name of ["before", "after"]) part(name).dir = data.direction
  part("changes").replaceChildren(...data.changes.map((token) => item(token, data.most)))
  part("facts").textContent = data.facts
  part("scale").textContent = data.scale
}

/**
 * @param {Word[]} parts
 * @param {"del" | "ins"} tag of those that changed
 * @param {boolean} cutOff
 */
function words(parts, tag, cutOff) {
  const nodes = parts.flatMap(({ text, changed }) => {
    const node = element(changed ? tag : "span")
    node.append(element("bdi", "", text))
    return [node, document.createTextNode(" ")]
  })
  return cutOff ? [...nodes, element("span", "cut-off", "cut off")] : nodes
}

/** @param {Change} token @param {number} most */
function item({ label, change }, most) {
  const node = element("li")
  const bar = element("span", `strength ${change < 0 ? "loss" : "gain"}`)
  const share = most && Math.abs(change) / most
  bar.classList.toggle("over", share > 1.005)
  variables(bar, { share: Math.min(1, share) })
  node.append(tokenNode(label), bar, element("span", "number", signed(change)))
  return node
}
