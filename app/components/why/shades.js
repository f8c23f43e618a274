// What a row of attributions is in words and colours, without the page.
// @ts-check

import { digits, nameOf } from "../base/tokens.js"

/** @import { Label } from "../base/tokens.js" */
/** @import { Matrix } from "../base/matrix.js" */

// The largest size in a row of both sides; 0 where there is nothing.
/** @param {ArrayLike<number>[]} parts */
export function largestOf(...parts) {
  return Math.max(0, ...parts.flatMap((part) => Array.from(part, Math.abs)))
}

// Source and prefix as one map: the columns of the one, then those of the other.
/** @param {Matrix} source @param {Matrix} prefix @returns {Matrix} */
export function joined(source, prefix) {
  const { rows } = source
  const columns = source.columns + prefix.columns
  const values = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    values.set(source.values.subarray(row * source.columns, (row + 1) * source.columns), row * columns)
    values.set(prefix.values.subarray(row * prefix.columns, (row + 1) * prefix.columns), row * columns + source.columns)
  }
  return { rows, columns, values }
}

// A number with its sign where signs mean something.
/** @param {number} value @param {boolean} signed */
export function told(value, signed) {
  return signed && value > 0 ? `+${digits(value)}` : digits(value)
}

// A cell in words.
/** @param {Label} label @param {boolean} ofSource @param {Label} predicts @param {number} value @param {{ signed: boolean, unit: string, title: string }} shading */
export function cellText(label, ofSource, predicts, value, { signed, title, unit }) {
  const of = ofSource ? "source" : "already written"
  return `${title}: ${nameOf(label)} (${of}) for ${nameOf(predicts)}: ${told(value, signed)}${unit ? ` ${unit}` : ""}`
}

// The points of the curve of shares, in stretches without a gap; x and y from 0 to 1, y from the top.
/** @param {(number | null)[]} shares */
export function stretches(shares) {
  /** @type {[number, number][][]} */
  const found = [[]]
  shares.forEach((share, row) => {
    if (share === null) return found.push([])
    return found[found.length - 1].push([(row + 0.5) / shares.length, 1 - share])
  })
  return found.filter((stretch) => stretch.length)
}
