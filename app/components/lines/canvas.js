// The links as lines, and the rows that they lead between.
// @ts-check

import { parse } from "../base/colour.js"
import { roomBelow } from "../base/room.js"
import { variables } from "../base/tokens.js"
import { laneWidth, linksAt } from "./links.js"

/** @import { State } from "./lines.js" */
/** @import { Link } from "./links.js" */

const [ROW, MOST] = [22, 40]
// Pixels between rows and screen.
const EDGE = 48
const LEAST = 400

// The links inside the part that is shown, drawn once; they fade while a token is selected.
/** @param {State} state */
export function draw(state) {
  arrange(state)
  stroke(state, state.part("all"), state.drawn)
  highlight(state)
  edge(state)
}

// Rows as high as there is room for.
/** @param {State} state */
function arrange(state) {
  const { pane, root } = state
  const room = roomBelow(root) - EDGE
  state.row = Math.max(ROW, Math.min(MOST, Math.floor(room / Math.max(pane.rows, pane.columns))))
  variables(root, { row: `${state.row}px`, room: `${Math.max(LEAST, room + EDGE / 2)}px` })
}

// An edge shows where the rows go on.
/** @param {State} state */
export function edge({ part, row }) {
  const stage = part("stage")
  stage.classList.toggle("below", stage.scrollHeight - stage.clientHeight - stage.scrollTop > row / 2)
}

// Those of the selected token, also where they lead out of that part.
/** @param {State} state */
export function highlight(state) {
  const { links, part, place, root } = state
  const chosen = place.row !== null || place.column !== null
  root.classList.toggle("chosen", chosen)
  stroke(state, part("selected"), chosen ? linksAt(links, place) : [])
}

/** @param {State} state @param {HTMLCanvasElement} canvas @param {Link[]} links */
function stroke({ data, pane, part, row: size }, canvas, links) {
  const [width, height] = [canvas.clientWidth, Math.max(pane.rows, pane.columns) * size]
  const thick = laneWidth(data.heads.length, size)
  const sharp = window.devicePixelRatio || 1
  part("field").style.height = `${height}px`
  canvas.width = width * sharp
  canvas.height = height * sharp
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  pen.scale(sharp, sharp)
  for (const { row, column, weight, colour, lane } of links) {
    const share = Math.min(1, weight / data.most)
    const [red, green, blue] = parse(colour)
    pen.strokeStyle = `rgb(${red} ${green} ${blue} / ${0.15 + 0.85 * share})`
    pen.lineWidth = 0.75 + Math.max(0.5, thick - 0.75) * share
    pen.beginPath()
    pen.moveTo(0, (row - pane.top + 0.5) * size + lane * thick)
    pen.lineTo(width, (column - pane.left + 0.5) * size + lane * thick)
    pen.stroke()
  }
}
