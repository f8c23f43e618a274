// What stands below the trees: the selected node, what may follow it, and all hypotheses of its step.

import { board, choices, outcome } from "./steps.js"
import { nats, pathTo, probability } from "./tree.js"
import { element, nameOf, tokenNode } from "./tokens.js"

// The selected node, its numbers, and what can be done with it.
export function showChosen(state, { act, open }) {
  const { lane, node } = state.at
  const { data } = state
  const before = lane.steps[node.step]?.[node.from]?.text ?? ""
  const words = element("span", "words")
  if (before) words.append(element("bdi", "text", before), " ")
  words.append(tokenNode(data.pieces[node.piece]))
  const drawn = node.drawn === null ? "" : ` · drawn with ${probability(node.drawn)}`
  const numbers = [
    `p ${probability(node.logProb)}`, `log p ${nats(node.logProb, 3)}`, `total ${nats(node.total, 3)}`,
    `score ${nats(node.score, 3)}`, outcome(node),
  ]
  const line = [words, element("span", "numbers", numbers.join(" · ") + drawn)]
  if (!data.present) {
    const name = nameOf(data.pieces[node.piece])
    line.push(
      button("more", "What may follow", "What may follow it", open, false, state.open),
      button("force", "Force it", `Force it: ${name}`, () => act(state, "force", lane, node), data.full),
      button("forbid", "Forbid it", `Forbid it: ${name}`, () => act(state, "forbid", lane, node), data.full),
    )
  }
  state.part("chosen").replaceChildren(...line)
}

// The pieces that may follow the selected node, each to be forced or forbidden.
export function showChoices(state, { act }) {
  const { lane, node } = state.at
  const box = state.part("choices")
  box.hidden = !state.open
  if (!state.open) return
  const found = choices(lane, node)
  box.setAttribute("aria-label", "What may follow")
  if (!found.length) return box.replaceChildren(element("p", "none", nothing(state.data.present, node)))
  const list = element("ul")
  list.append(
    ...found.map((bar) => {
      const item = row(state.data, bar)
      if (state.data.present) return item
      const name = nameOf(state.data.pieces[bar.piece])
      item.append(
        button("force", "Force", `Force ${name}`, () => act(state, "force", lane, node, bar.piece), state.data.full),
        button("forbid", "Forbid", `Forbid ${name}`, () => act(state, "forbid", lane, node, bar.piece), state.data.full),
      )
      return item
    }),
  )
  return box.replaceChildren(list)
}

function nothing(present, node) {
  if (node.fate === "finished" || node.fate === "displaced") return "The translation ends here: nothing follows."
  if (node.fate === "cut off") return "The search ended here: nothing that follows was looked at."
  const what = `It was ${outcome(node)}, so nothing that would follow was looked at.`
  return present ? what : `${what} Force it, and the search goes on from here.`
}

// One card for each hypothesis that the selected node's step extends.
export function showBoard(state, { choose }) {
  const { lane, node } = state.at
  const own = node.parent === null ? null : lane.nodes[node.parent]
  const cards = board(lane, node.step).map((card) => {
    const box = element("div", card.node === own ? "card own" : "card")
    const text = element("p", "text")
    text.append(card.text ? element("bdi", "", card.text) : element("em", "", "Nothing is written yet"))
    const numbers = `total ${nats(card.total, 3)} · score ${nats(card.score, 3)} · entropy ${nats(card.entropy)} nats`
    const list = element("ol")
    list.append(...card.bars.map((bar) => row(state.data, bar, bar.node && (() => choose(state, lane, bar.node)), node)))
    list.append(others(card.rest))
    box.append(text, element("p", "numbers", numbers), list)
    return box
  })
  const all = state.part("board")
  all.replaceChildren(...cards)
  all.scrollTop = all.querySelector(".own")?.offsetTop ?? 0
}

function row(data, { piece, probability: p, node }, onClick = null, selected = null) {
  const item = element("li", node && node === selected ? "selected" : node?.winner ? "winner" : "")
  if (!node) item.classList.add("unseen")
  const fate = element("span", "fate", outcome(node))
  fate.title = outcome(node)
  item.append(tokenNode(data.pieces[piece]), share(p), element("span", "p", number(p)), fate)
  if (onClick) item.onclick = onClick
  return item
}

function others(rest) {
  const item = element("li", "rest")
  item.append(element("span", "token", "all others"), share(rest), element("span", "p", number(rest)), element("span", "fate"))
  return item
}

function share(value) {
  const bar = element("span", "share")
  bar.style.setProperty("--share", value)
  return bar
}

function number(value) {
  return value < 0.005 ? "<0.01" : value.toFixed(2)
}

function button(className, text, name, onClick, disabled, expanded) {
  const node = element("button", className, text)
  node.type = "button"
  node.disabled = disabled
  node.title = disabled ? "Four branches stand side by side: close one first" : ""
  node.setAttribute("aria-label", name)
  if (expanded !== undefined) node.setAttribute("aria-expanded", expanded)
  node.onclick = onClick
  return node
}
