// Where one head looks when the selected piece is predicted: over the source, and over what is written so far.
// @ts-check

import { hear, tell } from "../base/bus.js"
import { colourOf, css, gradient, inkOn, table, themeScale } from "../base/colour.js"
import { component, unpaintAtEnd } from "../base/component.js"
import { UNPAINTED } from "../base/matrix.js"
import { element, nameOf, tokenNode } from "../base/tokens.js"

/** @import { Label } from "../base/tokens.js" */

/**
 * @typedef {object} Attend
 * @property {string} node
 * @property {string} head
 * @property {Label} predicts
 * @property {Label[]} source
 * @property {number[]} cross
 * @property {Label[]} reads
 * @property {number[]} decoder
 */

/** @typedef {import("../base/component.js").State<Attend> & { node?: string }} State */

export default component(".attend", { start, draw })

/** @param {State} state */
function start(state) {
  state.ends.push(
    hear("node", (node) => {
      state.node = node
      stale(state)
    }),
    // The sentence above tells what is pointed at whenever it is drawn anew, and has lost its colours then.
    hear("focus", () => paintSource(state)),
  )
  unpaintAtEnd(state)
}

/** @param {State} state */
function draw(state) {
  const { data, part, root } = state
  part("title").replaceChildren(`${data.head} predicts `, tokenNode(data.predicts))
  part("name.cross").textContent = "Cross-attention: over the source"
  part("name.decoder").textContent = "Decoder self-attention: over what it has read"
  const scale = themeScale(root)
  const colours = table(scale)
  const fill = (/** @type {string} */ name, /** @type {Label[]} */ tokens, /** @type {number[]} */ weights) => {
    part(name).replaceChildren(...tokens.map((label, index) => weighed(label, weights[index], colours)))
  }
  fill("source", data.source, data.cross)
  fill("written", data.reads, data.decoder)
  part("source").setAttribute("aria-label", `${part("name.cross").textContent}`)
  part("written").setAttribute("aria-label", `${part("name.decoder").textContent}`)
  part("bar").style.background = gradient(scale)
  part("legend").setAttribute("aria-label", "Colour scale of the weights, from 0.00 to 1.00")
  stale(state)
  paintSource(state)
  root.dataset.painted = data.node
}

// The source as it stands in the sentence above.
/** @param {State} state */
function paintSource({ data }) {
  if (data) tell("paint", { ...UNPAINTED, source: data.cross })
}

// Another node has been selected since, whose attention is under way.
/** @param {State} state */
function stale({ root, node, data }) {
  root.classList.toggle("stale", node !== undefined && node !== data?.node)
}

/** @param {Label} label @param {number} weight @param {Uint8ClampedArray} colours */
function weighed(label, weight, colours) {
  const box = element("div", "weighed")
  box.setAttribute("role", "listitem")
  const colour = colourOf(colours, weight)
  box.style.background = css(colour)
  box.style.color = inkOn(colour)
  box.title = `${nameOf(label)}: ${weight.toFixed(3)}`
  box.append(tokenNode(label), element("span", "weight", weight.toFixed(2)))
  return box
}
