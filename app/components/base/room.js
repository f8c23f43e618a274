// How much of the screen there is for a picture, and when that changes.
// @ts-check

import { onResize } from "./component.js"
import { zoomOf } from "./pointer.js"

/** @import { State } from "./component.js" */

// Of a screen: what stands lower than this share of it is scrolled to, and then has all but DEEP pixels.
const LOW = 0.65
const DEEP = 96

/** @param {Element} node @param {string} testid */
function around(node, testid) {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? root.host.closest(`[data-testid=${testid}]`) : null
}

// Pixels from the top of a node, were the page not scrolled, to the bottom of the screen.
/** @param {Element} node */
export function roomBelow(node) {
  const [zoom, main] = [zoomOf(node), around(node, "stMain")]
  const height = main?.clientHeight ?? window.innerHeight
  const top = node.getBoundingClientRect().top + (main?.scrollTop ?? window.scrollY)
  return roomUnder(top, height) / zoom
}

// The same for a place on a screen of so many pixels.
/** @param {number} top @param {number} height */
export function roomUnder(top, height) {
  return height - (top < LOW * height ? top : DEEP)
}

// Draw again when there is other room: the window, or what stands above, has another size.
/** @param {State<any>} state @param {() => void} draw */
export function onRoom(state, draw) {
  onResize(state, state.root, draw)
  const page = /** @type {HTMLElement | null} */ (around(state.root, "stMainBlockContainer"))
  if (page) onResize(state, page, draw)
  const again = () => state.data && draw()
  addEventListener("resize", again)
  state.ends.push(() => removeEventListener("resize", again))
}
