// What stands below the trees: the selected node, what may follow it, and all hypotheses of its step.
// @ts-check

import { board, choices, outcome } from "./steps.js"
import { nats, probability } from "./tree.js"
import { attributes, element, nameOf, one, tokenNode, variables } from "../base/tokens.js"

/** @import { Act, Aim, BeamTree, Piece, State } from "./beam_tree.js" */
/** @import { Choose } from "./lanes.js" */
/** @import { Bar } from "./steps.js" */
/** @import { TreeNode } from "./tree.js" */

// The selected node, its numbers, and what can be done with it.
/** @param {State} state @param {{ act: Act, open: () => void }} options */
export function showChosen(state, { act, open }) {
  const { lane, node } = state.at
  const { data, aim } = state
  const before = aim ? aim.text : lane.steps[node.step]?.[node.from]?.text ?? ""
  const piece = aim ? aim.bar.piece : node.piece
  const words = element("span", "words")
  if (before) words.append(element("bdi", "text", before), " ")
  words.append(tokenNode(data.pieces[piece]))
  const drawn = node.drawn === null ? "" : ` · drawn with ${probability(node.drawn)}`
  const numbers = aim ? [`p ${probability(aim.bar.logProb)}`, `log p ${nats(aim.bar.logProb, 3)}`, outcome(null)] : [
    `p ${probability(node.logProb)}`, `log p ${nats(node.logProb, 3)}`, `total log p ${nats(node.total, 3)}`,
    `score ${nats(node.score, 3)}`, outcome(node),
  ]
  const line = [words, element("span", "numbers", numbers.join(" · ") + (aim ? "" : drawn))]
  if (!data.present) {
    const told = (/** @type {string} */ verb) => () => act(state, verb, lane, aim ? aim.node : node, aim ? [piece] : [])
    const name = nameOf(data.pieces[piece])
    line.push(
      button("force", "Force it", `Force it: ${name}`, told("force"), data.full),
      button("forbid", "Forbid it", `Forbid it: ${name}`, told("forbid"), data.full),
    )
    if (!aim) line.push(button("more", "What may follow", "What may follow it", open, false, state.open))
  }
  state.part("chosen").replaceChildren(...line)
}

// The pieces that may follow the selected node, each to be forced or forbidden.
/** @param {State} state @param {{ act: Act }} options */
export function showChoices(state, { act }) {
  const { lane, node } = state.at
  const box = state.part("choices")
  box.hidden = !state.open
  if (!state.open) return
  const { data } = state
  const [typed, offered, ended] = [state.part("typed"), state.part("offered"), node.piece === data.end]
  box.setAttribute("aria-label", "What may follow")
  state.part("field").hidden = data.present || ended
  state.part("empty").hidden = true
  const ask = (/** @type {HTMLElement} */ item, /** @type {number[]} */ path, /** @type {string} */ name) => {
    if (data.present) return item
    item.append(
      button("force", "Force", `Force ${name}`, () => act(state, "force", lane, node, path), data.full),
      button("forbid", "Forbid", `Forbid ${name}`, () => act(state, "forbid", lane, node, path), data.full),
    )
    return item
  }
  if (typed.value.trim() && !typed.closest("[hidden]")) {
    const { offers } = data
    if (offers.typed !== typed.value) return undefined
    if (!offers.found.length) return offered.replaceChildren(element("p", "none", "No piece of the vocabulary begins so."))
    return offered.replaceChildren(listOf(offers.found.map(({ path, labels }) => ask(offer(labels), path, labels.map(nameOf).join("")))))
  }
  const found = choices(lane, node)
  if (!found.length) return offered.replaceChildren(element("p", "none", nothing(data.present, node)))
  return offered.replaceChildren(listOf(found.map((bar) => ask(row(data, bar), [bar.piece], nameOf(data.pieces[bar.piece])))))
}

/** @param {HTMLElement[]} items */
function listOf(items) {
  const list = element("ul")
  list.append(...items)
  return list
}

// Pieces that may be meant by what was typed.
/** @param {Piece[]} labels */
function offer(labels) {
  const item = element("li", "offer")
  const words = element("span", "words")
  words.append(...labels.map(tokenNode))
  item.append(words)
  return item
}

/** @param {boolean} present @param {TreeNode} node */
function nothing(present, node) {
  if (node.fate === "finished" || node.fate === "displaced") return "The translation ends here: nothing follows."
  if (node.fate === "cut off") return "The search ended here: nothing that follows was looked at."
  const what = `It was ${outcome(node)}, so nothing that would follow was looked at.`
  return present ? what : `${what} Force it, and the search goes on from here.`
}

// One card for each hypothesis that the selected node's step extends.
/** @param {State} state @param {{ choose: Choose, aim: (state: State, at: Aim) => void }} options */
export function showBoard(state, { choose, aim }) {
  const { lane, node } = state.at
  const own = node.parent === null ? null : lane.nodes[node.parent]
  const chooser = (/** @type {Bar} */ bar, /** @type {Omit<Aim, "bar">} */ behind) => () =>
    bar.node ? choose(state, lane, bar.node) : aim(state, { ...behind, bar })
  const cards = board(lane, node.step).map((card) => {
    const box = element("div", card.node === own ? "card own" : "card")
    const text = element("p", "text")
    text.append(card.text ? element("bdi", "", card.text) : element("em", "", "Nothing is written yet"))
    const numbers = `total log p ${nats(card.total, 3)} · score ${nats(card.score, 3)} · entropy ${nats(card.entropy)} nats`
    const list = element("ol")
    list.append(...card.bars.map((bar) => row(state.data, bar, chooser(bar, card), node)))
    list.append(others(card.rest))
    box.append(text, element("p", "numbers", numbers), list)
    return box
  })
  const all = state.part("board")
  all.replaceChildren(...cards)
  all.scrollTop = one(all, ".own")?.offsetTop ?? 0
}

/**
 * @param {BeamTree} data
 * @param {Bar} bar
 * @param {(() => void) | null} [onClick]
 * @param {TreeNode | null} [selected]
 */
function row(data, { piece, probability: p, node }, onClick = null, selected = null) {
  const item = element("li", node && node === selected ? "selected" : node?.winner ? "winner" : "")
  const fate = element("span", "fate", outcome(node))
  fate.title = outcome(node)
  item.append(tokenNode(data.pieces[piece]), share(p), element("span", "p", number(p)), fate)
  if (onClick) item.onclick = onClick
  return item
}

/** @param {number} rest */
function others(rest) {
  const item = element("li", "rest")
  item.append(element("span", "token", "all others"), share(rest), element("span", "p", number(rest)), element("span", "fate"))
  return item
}

/** @param {number} value */
function share(value) {
  const bar = element("span", "share")
  variables(bar, { share: value })
  return bar
}

/** @param {number} value */
function number(value) {
  return value < 0.005 ? "<0.01" : value.toFixed(2)
}

/**
 * @param {string} className
 * @param {string} text
 * @param {string} name
 * @param {() => void} onClick
 * @param {boolean} disabled
 * @param {boolean} [expanded]
 */
function button(className, text, name, onClick, disabled, expanded) {
  const node = element("button", className, text)
  node.type = "button"
  node.disabled = disabled
  node.title = disabled ? "Four branches stand side by side: close one first" : ""
  node.setAttribute("aria-label", name)
  if (expanded !== undefined) attributes(node, { "aria-expanded": expanded })
  node.onclick = onClick
  return node
}
