// Where one head looks when the selected piece is predicted: over the source, and over what is written so far.

import { hear, tell } from "./bus.js"
import { colourOf, css, inkOn, table, themeScale } from "./colour.js"
import { element, nameOf, tokenNode } from "./tokens.js"

const states = new WeakMap()

export default function attend({ data, parentElement }) {
  const root = parentElement.querySelector(".attend")
  let state = states.get(root)
  if (!state) {
    state = {}
    states.set(root, state)
    state.unhear = [
      hear("node", (node) => {
        state.node = node
        stale(root, state)
      }),
      // The sentence above tells what is pointed at whenever it is drawn anew, and has lost its colours then.
      hear("focus", () => paintSource(state)),
    ]
  }
  state.data = data
  const part = (name) => root.querySelector(name)
  const title = [`${data.head} predicts `, tokenNode(data.predicts)]
  part(".title").replaceChildren(...title)
  part(".name.cross").textContent = "Cross-attention: over the source"
  part(".name.decoder").textContent = "Decoder self-attention: over what it has read"
  const scale = themeScale(root)
  const colours = table(scale)
  for (const [name, tokens, weights] of [["source", data.source, data.cross], ["written", data.reads, data.decoder]]) {
    part(`.${name}`).setAttribute("aria-label", part(name === "source" ? ".name.cross" : ".name.decoder").textContent)
    part(`.${name}`).replaceChildren(...tokens.map((label, index) => weighed(label, weights[index], colours)))
  }
  part(".bar").style.background = `linear-gradient(to right, ${scale.join(", ")})`
  part(".legend").setAttribute("aria-label", "Colour scale of the weights, from 0.00 to 1.00")
  stale(root, state)
  paintSource(state)
  root.dataset.painted = data.node
  return () => {
    state.unhear.forEach((end) => end())
    tell("paint", { source: null, output: null })
  }
}

// The source as it stands in the sentence above.
function paintSource({ data }) {
  if (data) tell("paint", { source: data.cross, output: null })
}

// Another node has been selected since, whose attention is under way.
function stale(root, { node, data }) {
  root.classList.toggle("stale", node !== undefined && node !== data?.node)
}

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
