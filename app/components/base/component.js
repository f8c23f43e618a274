// What all components are built on: one state for each place on the page, and how that hears of the others.
// @ts-check

import { hear, tell } from "./bus.js"
import { UNPAINTED } from "./matrix.js"
import { one } from "./tokens.js"

/** @import { Token } from "./matrix.js" */
/** @import { Part } from "./tokens.js" */

/**
 * @template D what Python sends
 * @typedef {object} State
 * @property {HTMLElement} root
 * @property {(name: string) => Part} part the element of that class
 * @property {D} data the last message; none before the first one
 * @property {(name: string, value: unknown) => void} send tells Python
 * @property {(() => void)[]} ends what is to be undone when the component leaves the page
 */

/**
 * The function that a page calls with every message.
 *
 * @template {State<any>} S
 * @param {string} selector of the element that everything stands in
 * @param {object} parts
 * @param {() => Partial<S>} [parts.own] what a state has at first
 * @param {(state: S) => void} [parts.start] called once, before the first message
 * @param {(state: S, before: S["data"] | undefined) => void} [parts.build] called with a message of another signature
 * @param {(state: S, before: S["data"] | undefined) => void} parts.draw called with every message
 * @returns {(sent: { data: S["data"], parentElement: ParentNode, setTriggerValue: S["send"] }) => () => void}
 */
export function component(selector, { own = () => ({}), start, build, draw }) {
  /** @type {WeakMap<Element, S>} */
  const states = new WeakMap()
  return ({ data, parentElement, setTriggerValue }) => {
    const root = one(parentElement, selector)
    let state = states.get(root)
    if (!state) {
      const part = (/** @type {string} */ name) => one(root, `.${name}`)
      state = /** @type {S} */ (/** @type {unknown} */ ({ root, part, ends: [], ...own() }))
      states.set(root, state)
      start?.(state)
    }
    const before = state.data
    Object.assign(state, { data, send: setTriggerValue })
    if (build && before?.signature !== data.signature) build(state, before)
    draw(state, before)
    const { ends } = state
    return () => ends.forEach((end) => end())
  }
}

/**
 * Select whatever the strip has in focus, as `state.token`.
 *
 * @template {State<any> & { token: Token | null }} S
 * @param {S} state
 * @param {(state: S) => void} select
 */
export function followFocus(state, select) {
  const unhear = hear("focus", (token) => {
    state.token = token
    if (state.data) select(state)
  })
  state.ends.push(unhear)
}

// Take away at the end what was painted on the strip.
/** @param {State<any>} state */
export function unpaintAtEnd(state) {
  state.ends.push(() => tell("paint", UNPAINTED))
}

// Draw again when an element has another size.
/** @param {State<any>} state @param {Element} node @param {() => void} draw */
export function onResize(state, node, draw) {
  const observer = new ResizeObserver(() => state.data && draw())
  observer.observe(node)
  state.ends.push(() => observer.disconnect())
}

// Rows and columns that an arrow key goes; none: it is another key.
/** @param {string} key @returns {[number, number] | undefined} */
export function arrow(key) {
  return { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[key]
}

// Of elements that arrow keys walk one alone is reached by Tab: the one that has the focus, or had it last.
/** @param {HTMLElement | null} now @param {HTMLElement} next */
export function rove(now, next) {
  if (now) now.tabIndex = -1
  next.tabIndex = 0
  next.focus()
}
