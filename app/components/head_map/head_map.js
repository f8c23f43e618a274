// The map of one head: one pixel a weight, scaled up; labels as text; the numbers of what is selected beside it.
// @ts-check

import { arrive } from "../base/arrival.js"
import { hear } from "../base/bus.js"
import { component, followFocus, unpaintAtEnd } from "../base/component.js"
import { decode } from "../base/matrix.js"
import { firstPane } from "../base/pane.js"
import { onRoom } from "../base/room.js"
import { digits, element, numbersOf, signed } from "../base/tokens.js"
import { arrange, scrolled } from "./layout.js"
import { draw, label } from "./picture.js"
import { listen, select } from "./walk.js"

/** @import { Cell, Kind, Matrix, Numbers, Place, Quantity, Token } from "../base/matrix.js" */
/** @import { Label, Row } from "../base/tokens.js" */
/** @import { Overview, Pane } from "../base/pane.js" */

/**
 * @typedef {object} HeadMap
 * @property {string} signature
 * @property {string} tokens
 * @property {Kind} kind
 * @property {string} title
 * @property {string} name
 * @property {Quantity} quantity
 * @property {number} most
 * @property {string} query_axis
 * @property {string} key_axis
 * @property {Row[]} rows
 * @property {Label[]} columns
 * @property {string} weights
 * @property {Overview | null} overview
 * @property {number[] | null} hidden
 * @property {string} meaning
 * @property {[number, number][]} settable the first and the last key of each row
 * @property {SetCell | null} set
 */

/**
 * @typedef {object} SetCell
 * @property {number} row
 * @property {number} column
 * @property {number} before
 */

/**
 * @typedef {object} Own
 * @property {Token | null} token that the strip has in focus
 * @property {Cell | null} cell that is pointed at
 * @property {Cell | null} held cell that was chosen, to have its weight set
 * @property {Place} place that is selected: the cell, else what stands for the token
 * @property {Matrix} matrix
 * @property {{ of: string, values: Float32Array } | null} moment weights of another time that a map of its signature shows
 * @property {Pane} pane
 * @property {number} size pixels of a cell
 * @property {boolean} signed its numbers are differences
 * @property {(value: number) => string} number as it is written
 * @property {ReturnType<typeof import("../base/colour.js").scaleOf>} scale of its colours
 * @property {Label[]} queries
 * @property {Numbers} numbers
 * @property {boolean[]} unseen columns that are hidden
 */
/** @typedef {import("../base/component.js").State<HeadMap> & Own} State */

export default component(".frame", {
  own: () => ({ cell: null, held: null, token: null, moment: null }),
  start(state) {
    onRoom(state, () => arrange(state))
    arrive(state.part("scroll"))
    followFocus(state, select)
    state.ends.push(hear("moment", (moment) => {
      state.moment = moment
      if (state.data && take(state)) {
        redraw(state)
        state.part("overview").dataset.of = ""
        scrolled(state)
      }
    }))
    unpaintAtEnd(state)
  },
  build,
  draw(state) {
    redraw(state)
    listen(state)
  },
})

/** @param {State} state */
function redraw(state) {
  draw(state)
  select(state)
}

// The weights of the moment that is chosen elsewhere on the page, where it is one of this map. Returns whether it is.
/** @param {State} state */
function take({ data, matrix, moment }) {
  if (moment?.of !== data.signature) return false
  matrix.values = moment.values
  return true
}

/** @param {State} state @param {HeadMap | undefined} before */
function build(state, before) {
  const { data, matrix: last } = state
  if (before?.tokens !== data.tokens) state.held = null
  state.cell = null
  state.unseen = data.columns.map(({ special }) => special && data.hidden !== null)
  state.signed = data.quantity === "difference"
  state.number = state.signed ? signed : digits
  const matrix = decode(data.weights, data.rows.length, data.columns.length)
  state.matrix = matrix
  take(state)
  if (last?.rows !== matrix.rows || last.columns !== matrix.columns) state.pane = firstPane(matrix, data.overview)
  state.queries = data.rows.map(({ reads, predicts }) => predicts ?? reads)
  state.numbers = { queries: numbersOf(state.queries), keys: numbersOf(data.columns) }
  const { part } = state
  const [reads, predicts] = data.query_axis.split(/(?<=→ )/)
  const axis = element("span", "query", predicts ?? reads)
  if (predicts) axis.prepend(element("span", "reads", reads))
  part("corner").replaceChildren(element("span", "key", data.key_axis), axis)
  part("title").textContent = data.title
  part("panel").setAttribute("aria-label", `Numbers of ${data.title}`)
  part("meaning").textContent = data.meaning
  part("scroll").setAttribute("aria-label", data.name)
  // Another head of the same tokens keeps its labels: to lay them out anew takes longer than all else here.
  if (before?.tokens === data.tokens) arrange(state)
  else label(state)
}
