// Colour scales of the theme.
// @ts-check

/** @import { Quantity } from "./matrix.js" */

/** @param {string} hex */
export function parse(hex) {
  const digits = hex.trim().replace("#", "")
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16))
}

// 256 colours as one array of red, green, blue: the stops evenly spaced from 0 to 1.
/** @param {string[]} stops */
export function table(stops) {
  const colours = stops.map(parse)
  const entries = new Uint8ClampedArray(256 * 3)
  for (let index = 0; index < 256; index++) {
    const place = (index / 255) * (colours.length - 1)
    const below = Math.min(Math.floor(place), colours.length - 2)
    const share = place - below
    for (const channel of [0, 1, 2]) {
      const [from, to] = [colours[below][channel], colours[below + 1][channel]]
      entries[index * 3 + channel] = from + (to - from) * share
    }
  }
  return entries
}

// The colour of a value between 0 and 1, as [red, green, blue].
/** @param {Uint8ClampedArray} entries @param {number} value */
export function colourOf(entries, value) {
  const index = Math.round(Math.min(1, Math.max(0, value)) * 255) * 3
  return [entries[index], entries[index + 1], entries[index + 2]]
}

// Opaque pixels for a list of values, as a canvas wants them.
/** @param {Uint8ClampedArray} entries @param {ArrayLike<number>} values */
export function pixels(entries, values) {
  const found = new Uint8ClampedArray(values.length * 4)
  for (let at = 0; at < values.length; at++) found.set([...colourOf(entries, values[at]), 255], at * 4)
  return found
}

// Pixels with some columns of the map seen through, for what is not there has no colour.
/** @template {Uint8ClampedArray} P @param {P} colours @param {boolean[]} without of each column */
export function seenThrough(colours, without) {
  for (let at = 0; at < colours.length / 4; at++) if (without[at % without.length]) colours[4 * at + 3] = 0
  return colours
}

// The same for whole numbers from 0 to the largest, by a table: for many of them.
/** @param {Uint8ClampedArray} entries @param {Uint16Array} levels @param {number} most */
export function levelPixels(entries, levels, most) {
  const shares = Array.from({ length: most + 1 }, (_, level) => level / most)
  const lookup = new Uint32Array(pixels(entries, shares).buffer)
  const found = new Uint32Array(levels.length)
  for (let at = 0; at < levels.length; at++) found[at] = lookup[levels[at]]
  return new Uint8ClampedArray(found.buffer)
}

// Black or white, whichever is read better on a colour (WCAG relative luminance).
/** @param {number[]} number */
export function inkOn([red, green, blue]) {
  const linear = [red, green, blue].map((c) => (c <= 10 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4))
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  return luminance > 0.179 ? "#000000" : "#FFFFFF"
}

/**
 * Draw a map into a canvas, one pixel a cell.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} columns
 * @param {Uint8ClampedArray<ArrayBuffer>} colours of all cells, row by row
 */
export function paintCanvas(canvas, columns, colours) {
  const image = new ImageData(colours, columns)
  canvas.width = image.width
  canvas.height = image.height
  canvas.getContext("2d")?.putImageData(image, 0, 0)
}

// A scale from left to right.
/** @param {string[]} stops */
export function gradient(stops) {
  return `linear-gradient(to right, ${stops.join(", ")})`
}

/** @param {number[]} number */
export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`
}

// The place of a value on a scale that ends at `most`, from 0 to 1; on a signed one 0 is in the middle.
/** @param {boolean} signed @param {number} most @returns {(value: number) => number} */
export function placeOn(signed, most) {
  const share = (/** @type {number} */ value) => (most === 0 ? 0 : value / most)
  return signed ? (value) => (share(value) + 1) / 2 : share
}

// The scale of a quantity in the colours of the theme: its stops, its table, and the place of a value.
/** @param {Element} element @param {Quantity} quantity @param {number} most */
export function scaleOf(element, quantity, most) {
  const signed = quantity === "difference"
  const stops = signed ? themeDiverging(element) : themeScale(element)
  return { stops, entries: table(stops), at: placeOn(signed, most) }
}

// The stops of the theme's sequential scale, as Streamlit hands them to a component.
/** @param {Element} element */
export function themeScale(element) {
  return getComputedStyle(element).getPropertyValue("--st-chart-sequential-colors").split(",")
}

// The stops of its diverging scale, from −1 to 1, with the page's background as the exact middle.
/** @param {Element} element */
export function themeDiverging(element) {
  const style = getComputedStyle(element)
  const stops = style.getPropertyValue("--st-chart-diverging-colors").split(",")
  const middle = style.getPropertyValue("--st-background-color")
  return [...stops.slice(0, stops.length / 2), middle, ...stops.slice(stops.length / 2)]
}
