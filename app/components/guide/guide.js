// What a page opens with: what is seen, what to do next, and the stops of a tour. The browser remembers what was hidden.
// @ts-check

import { component, rove } from "../base/component.js"
import { attributes, element } from "../base/tokens.js"

/**
 * @typedef {object} Guide
 * @property {string} page
 * @property {string} seen
 * @property {string[]} steps
 * @property {number} stop
 * @property {number} stops
 * @property {string} told
 */

/** @typedef {{ hidden: string[], toured: boolean }} Memory of this browser: pages whose opening is hidden */
/** @typedef {{ label: string, act: () => void }} Choice */
/** @typedef {{ choices: Choice[], leave: () => void }} Choices buttons, and what Escape does */
/** @typedef {import("../base/component.js").State<Guide>} State */

const PLACE = "headscope.guide"

export default component(".guide", { draw })

/** @param {State} state @param {Guide | undefined} before */
function draw(state, before) {
  const { data, part, root } = state
  if (data.stop === 1) remember({ ...recall(), hidden: [] })
  const memory = recall()
  attributes(root, { role: "region", "aria-label": "About this page" })
  root.hidden = !data.stop && memory.hidden.includes(data.page)
  part("seen").textContent = data.stop ? `Stop ${data.stop} of ${data.stops}. ${data.told}` : data.seen
  part("steps").replaceChildren(...(data.stop ? [] : data.steps).map((step) => element("li", "", step)))
  const { choices, leave } = data.stop ? ofTour(state) : ofOpening(state, memory)
  const buttons = choices.map(button)
  buttons[0].tabIndex = 0
  part("buttons").replaceChildren(...buttons)
  // Where there is little room it is a line at first; whoever takes the tour reads.
  root.toggleAttribute("data-open", Boolean(data.stop))
  part("unfold").onclick = () => {
    root.setAttribute("data-open", "")
    buttons[0].focus({ preventScroll: true })
  }
  root.onkeydown = (event) => press(event, leave)
  // Whoever walks through the tour by keyboard goes on with the same key.
  if (data.stop && data.stop !== before?.stop) buttons[0].focus({ preventScroll: true })
}

/** @param {State} state @returns {Choices} */
function ofTour(state) {
  const { stop, stops } = state.data
  const go = (/** @type {number} */ to) => state.send("went", { stop: to })
  const leave = () => {
    remember({ ...recall(), toured: true })
    go(0)
  }
  const back = stop > 1 ? [{ label: "Back", act: () => go(stop - 1) }] : []
  const end = { label: stop < stops ? "Leave the tour" : "End the tour", act: leave }
  if (stop === stops) return { choices: [end, ...back], leave }
  return { choices: [{ label: "Next", act: () => go(stop + 1) }, ...back, end], leave }
}

/** @param {State} state @param {Memory} memory @returns {Choices} */
function ofOpening(state, memory) {
  const { data } = state
  const tour = [
    { label: "Take the tour", act: () => state.send("went", { stop: 1 }) },
    {
      label: "No tour",
      act: () => {
        remember({ ...recall(), toured: true })
        draw(state, data)
      },
    },
  ]
  const hide = () => {
    remember({ ...recall(), hidden: [...recall().hidden, data.page] })
    draw(state, data)
  }
  return { choices: [...(memory.toured ? [] : tour), { label: "Hide", act: hide }], leave: hide }
}

/** @param {Choice} choice */
function button({ label, act }) {
  const node = element("button", "", label)
  node.type = "button"
  node.tabIndex = -1
  node.onclick = act
  return node
}

/** @param {KeyboardEvent} event @param {() => void} leave */
function press(event, leave) {
  if (event.key === "Escape") return leave()
  const now = /** @type {HTMLElement} */ (event.target)
  const next = { ArrowRight: now.nextElementSibling, ArrowLeft: now.previousElementSibling }[event.key]
  if (next instanceof HTMLElement) rove(now, next)
}

// Nothing is remembered where the browser keeps nothing, or something else stands there.
/** @returns {Memory} */
function recall() {
  return read(storage()?.getItem(PLACE) ?? null)
}

/** @param {Memory} memory */
function remember(memory) {
  storage()?.setItem(PLACE, JSON.stringify(memory))
}

function storage() {
  try {
    return window.localStorage
  } catch {
    return null // a browser that is told to keep nothing
  }
}

/** @param {string | null} text @returns {Memory} */
export function read(text) {
  try {
    const { hidden, toured } = JSON.parse(text ?? "{}")
    return { hidden: Array.isArray(hidden) ? hidden.filter((page) => typeof page === "string") : [], toured: toured === true }
  } catch {
    return { hidden: [], toured: false }
  }
}
