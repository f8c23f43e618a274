// One search as a picture: only the steps that the window shows are drawn.
// @ts-check

import { MARGIN, TOP, clipped, edge, place, roomIn, scrollBy, sizeOf, stepsIn } from "./layout.js"
import { drawMap, frameMap } from "./map.js"
import { outcome } from "./steps.js"
import { drawn, nats, pathTo, probability } from "./tree.js"
import { attributes, element, nameOf, shape, variables } from "../base/tokens.js"

/** @import { Act, Box, Piece, State } from "./beam_tree.js" */
/** @import { PlantedLane, TreeNode } from "./tree.js" */

/**
 * @typedef {object} View of one search
 * @property {PlantedLane} lane
 * @property {HTMLElement} section
 * @property {HTMLElement} scroll
 * @property {HTMLElement} map of the whole tree
 * @property {SVGElement} svg
 * @property {Map<number, SVGElement>} columns the steps that are drawn
 * @property {{ width: number, height: number }} size of the tree, what is folded left out
 * @property {TreeNode | null} unfolded the node that is drawn though it is folded: the selected one
 */
/** @typedef {(state: State, lane: PlantedLane, node: TreeNode) => void} Choose */

// Translations that are written above a tree.
const LISTED = 5
const LIVE = ["kept", "finished", "cut off"]
const ROUND = ["finished", "displaced"]

/**
 * Its heading, what it found, and the scrolling window of its tree.
 *
 * @param {State} state
 * @param {PlantedLane} lane
 * @param {{ press: (state: State, view: View, event: KeyboardEvent) => void, choose: Choose, act: Act }} options
 */
export function drawLane(state, lane, { press, choose, act }) {
  const section = element("section", "lane")
  section.setAttribute("aria-label", `Search ${lane.title}`)
  const { box, data: { pruned } } = state
  const [scroll, size] = [element("div", "scroll"), sizeOf(lane, box, pruned)]
  const map = drawMap(lane, box, pruned, size, scroll)
  /** @type {View} */
  const view = { lane, section, scroll, map, svg: shape("svg"), columns: new Map(), size, unfolded: null }
  section.append(heading(state, lane, act), found(lane), scroll, map)
  if (!lane.nodes.length) {
    scroll.hidden = map.hidden = true
    return view
  }
  view.svg.classList.toggle("narrow", roomIn(box).narrow)
  attributes(view.svg, { width: size.width, height: size.height, role: "none" })
  const others = state.data.lanes.filter(({ name }) => name === lane.name || lane.name === "a")
  const parts = new Set(others.flatMap(({ parts }) => (parts === null ? [] : [parts])))
  view.svg.append(...[...parts].map((step) => parting(state, step, size)))
  view.scroll.append(view.svg)
  attributes(view.scroll, { role: "tree", tabindex: 0, "aria-label": `${lane.title}: ${lane.how}, ${lane.columns.length} steps` })
  view.scroll.onkeydown = (event) => press(state, view, event)
  view.scroll.onscroll = () => {
    for (const { scroll } of state.views) if (scroll !== view.scroll) scroll.scrollLeft = view.scroll.scrollLeft
    paint(state, view)
  }
  view.scroll.onclick = (event) => {
    const node = /** @type {Element} */ (event.target).closest("[data-place]")
    if (node) choose(state, lane, lane.nodes[Number(node.getAttribute("data-place"))])
  }
  return view
}

/** @param {State} state @param {PlantedLane} lane @param {Act} act */
function heading(state, lane, act) {
  const head = element("div", "head")
  head.append(element("strong", "title", lane.title), element("span", "how", lane.how))
  if (lane.note) head.append(element("span", "note", lane.note))
  if (lane.closable && !state.data.present) {
    const close = element("button", "close", "Close")
    close.type = "button"
    close.setAttribute("aria-label", `Close ${lane.title}`)
    close.onclick = () => act(state, "close", lane)
    head.append(close)
  }
  return head
}

/** @param {PlantedLane} lane */
function found(lane) {
  const list = element("ol", "found")
  list.append(
    ...lane.found.slice(0, LISTED).map(({ text, total, score, finished, length }) => {
      const item = element("li")
      item.append(text ? element("bdi", "text", text) : element("em", "", "the empty translation"))
      const cutOff = finished ? "" : " · cut off"
      item.append(element("span", "numbers", `score ${nats(score, 3)} · log p ${nats(total)} · ${length} pieces${cutOff}`))
      return item
    }),
  )
  const others = lane.found.length - LISTED
  const end = element("p", "ended", others > 0 ? `And ${others} others. ${lane.ended}` : lane.ended)
  const box = element("div", "result")
  box.append(list, end)
  return box
}

// Where a search and A part: a line before the step.
/** @param {State} state @param {number} step @param {{ width: number, height: number }} size */
function parting(state, step, size) {
  const x = MARGIN + step * (state.box.width + state.box.gap) - state.box.gap / 2
  const line = shape("line", "parts", { x1: x, x2: x, y1: 0, y2: size.height })
  line.append(shape("title", "", {}, `The first step that differs: ${step + 1}`))
  return line
}

// Draw the steps in the window, and take the others away.
/** @param {State} state @param {View} view */
export function paint(state, view) {
  const { lane, scroll, svg, columns } = view
  if (!lane.nodes.length) return
  variables(svg, { top: `${scroll.scrollTop}px` })
  const [first, last] = stepsIn(scroll.scrollLeft, scroll.clientWidth, state.box, lane.columns.length)
  const { node } = state.at?.lane === lane ? state.at : { node: null }
  const before = view.unfolded
  view.unfolded = node && node.slim === null && !state.data.pruned ? node : null
  const stale = before === view.unfolded ? [] : [before?.step, view.unfolded?.step]
  attributes(svg, { height: view.size.height + (view.unfolded ? state.box.height + state.box.drop : 0) })
  for (const [step, group] of columns) {
    if (step < first || step > last || stale.includes(step)) {
      group.remove()
      columns.delete(step)
    }
  }
  for (let step = first; step <= last; step++) {
    if (columns.has(step)) continue
    const group = column(state, view, step)
    columns.set(step, group)
    svg.append(group)
  }
  frameMap(view)
  mark(state, view)
}

/** @param {State} state @param {View} view @param {number} step */
function column(state, { lane, unfolded }, step) {
  const group = shape("g", "", { role: "none" })
  const { box, data: { pruned } } = state
  const nodes = drawn(lane, step, pruned, unfolded)
  const x = MARGIN + step * (box.width + box.gap)
  for (const node of nodes) {
    if (node.parent === null) continue
    const parent = lane.nodes[node.parent]
    const [from, to] = [parent, node].map((each) => place(lane, each, box, pruned))
    group.append(shape("path", `edge ${classOf(node)}`, { d: edge(from, to, box) }))
  }
  const folded = lane.columns[step].filter((node) => !nodes.includes(node))
  group.append(...nodes.map((node, at) => item(state, lane, node, at, nodes.length)), stepNumber(x, step, box, folded))
  return group
}

// The number of a step, and how many of its nodes are folded, stay in sight above the others.
/** @param {number} x @param {number} step @param {Box} box @param {TreeNode[]} folded */
function stepNumber(x, step, box, folded) {
  const group = shape("g", "number", { "aria-hidden": "true" })
  const back = shape("rect", "", { x: x - box.gap / 2, y: 0, width: box.width + box.gap, height: TOP - 6 })
  const text = shape("text", "", { x: x + roomIn(box).padding, y: 16 }, String(step + 1))
  group.append(back, text)
  const words = folded.some(({ fate }) => fate === "excluded") ? "left out" : "pruned"
  const end = { x: x + box.width, y: 16, "text-anchor": "end" }
  if (folded.length) group.append(shape("text", "folded", end, `${folded.length} ${words}`))
  return group
}

/** @param {State} state @param {PlantedLane} lane @param {TreeNode} node @param {number} at @param {number} count */
function item({ data, box }, lane, node, at, count) {
  const label = data.pieces[node.piece]
  const { x, y } = place(lane, node, box, data.pruned)
  const room = roomIn(box)
  const left = x + room.padding
  const group = shape("g", `node ${classOf(node)}`, {
    id: idOf(lane, node),
    role: "treeitem",
    "aria-level": node.step + 1,
    "aria-posinset": at + 1,
    "aria-setsize": count,
    "aria-label": describe(lane, node, label),
    "data-place": node.place,
  })
  const sign = node.forced ? "forced" : data.signs[data.fates.indexOf(node.fate)]
  const below = [probability(node.logProb), room.narrow ? "" : "·", nats(node.score), room.fate ? sign : ""]
  const rx = ROUND.includes(node.fate) ? box.height / 2 : 4
  group.append(
    shape("title", "", {}, describe(lane, node, label)),
    shape("rect", "ring", { x: x - 3, y: y - 3, width: box.width + 6, height: box.height + 6, rx: rx + 3 }),
    shape("rect", "frame", { x, y, width: box.width, height: box.height, rx }),
    shape("text", "piece", { x: left, y: y + box.height / 2 - 2 }, clipped(label, box)),
    shape("text", "below", { x: left, y: y + box.height / 2 + 13 }, below.filter(Boolean).join(" ")),
  )
  return group
}

/** @param {PlantedLane} lane @param {TreeNode} node @param {Piece} label */
function describe(lane, node, label) {
  const before = lane.steps[node.step]?.[node.from]?.text ?? ""
  const numbers = `log-probability ${nats(node.logProb, 3)}, total ${nats(node.total, 3)}, score ${nats(node.score, 3)}`
  return `Step ${node.step + 1}: ${before} + ${nameOf(label)}; probability ${probability(node.logProb)}, ${numbers}; ${outcome(node)}`
}

/** @param {TreeNode} node */
function classOf(node) {
  const names = [node.fate.replace(" ", "-")]
  if (node.winner) names.push("winner")
  if (node.forced) names.push("forced")
  if (!LIVE.includes(node.fate)) names.push("lost")
  return names.join(" ")
}

/** @param {PlantedLane} lane @param {TreeNode} node */
function idOf(lane, node) {
  return `node-${lane.name}-${node.place}`
}

// The selected node, and the way to it.
/** @param {State} state @param {View} view */
export function mark(state, view) {
  const { lane, scroll, columns } = view
  const here = state.at?.lane === lane
  const way = new Set(here ? pathTo(lane, state.at.node).map((node) => node.place) : [])
  for (const group of columns.values()) {
    for (const item of group.querySelectorAll(".node")) {
      const at = Number(item.getAttribute("data-place"))
      const chosen = here && at === state.at.node.place
      item.classList.toggle("way", way.has(at))
      item.classList.toggle("selected", chosen)
      attributes(item, { "aria-selected": chosen, "aria-expanded": chosen && state.open })
    }
  }
  view.section.classList.toggle("here", here)
  if (here) scroll.setAttribute("aria-activedescendant", idOf(lane, state.at.node))
  else scroll.removeAttribute("aria-activedescendant")
}

// Scroll the selected node into the window, and draw what is there.
/** @param {State} state @param {View} view */
export function follow(state, view) {
  const { box, data: { pruned } } = state
  const { x, y } = place(view.lane, state.at.node, box, pruned)
  const { scroll } = view
  state.views.forEach((each) => paint(state, each))
  scroll.scrollLeft += scrollBy(x, box.width, scroll.scrollLeft, scroll.clientWidth, box.width + box.gap)
  scroll.scrollTop += scrollBy(y, box.height, scroll.scrollTop, scroll.clientHeight, box.height + box.drop)
  state.views.forEach((each) => paint(state, each))
}
