// Translations of one sentence by several models, the words that differ marked, with their log-probability under each.
// @ts-check

import { component } from "../base/component.js"
import { element } from "../base/tokens.js"

/**
 * @typedef {object} Versions
 * @property {Version[]} versions
 * @property {string} direction
 * @property {string} facts
 */

/**
 * @typedef {object} Version
 * @property {string} letter
 * @property {string} name
 * @property {VersionWord[]} words
 * @property {boolean} cut_off
 * @property {string[]} log_probs
 */

/**
 * @typedef {object} VersionWord
 * @property {string} text
 * @property {boolean} space
 * @property {boolean} differs
 */

/** @typedef {import("../base/component.js").State<Versions>} State */

export default component(".versions", { draw })

/** @param {State} state */
function draw({ data, part }) {
  const letters = data.versions.map(({ letter }) => letter)
  const heads = [head("Model"), head("Translation"), ...letters.map((letter) => head(`log p by ${letter}`))]
  part("heads").replaceChildren(...heads)
  part("rows").replaceChildren(...data.versions.map((version, row) => line(version, row, letters, data.direction)))
  part("facts").textContent = data.facts
}

/** @param {string} text */
function head(text) {
  const node = element("th", "", text)
  node.setAttribute("scope", "col")
  return node
}

/** @param {Version} version @param {number} row @param {string[]} letters @param {string} direction */
function line(version, row, letters, direction) {
  const node = element("tr")
  const name = element("th", "name")
  name.setAttribute("scope", "row")
  name.append(element("b", "", version.letter), " ", element("bdi", "", version.name))
  const words = element("td", "words")
  words.dir = direction
  words.append(...version.words.flatMap(parts))
  if (version.cut_off) words.append(" ", element("span", "cut-off", "cut off"))
  const numbers = version.log_probs.map((text, column) => {
    const cell = element("td", column === row ? "number own" : "number", text)
    cell.dataset.label = letters[column]
    return cell
  })
  node.append(name, words, ...numbers)
  return node
}

/** @param {VersionWord} word @param {number} place */
function parts({ text, space, differs }, place) {
  const node = element(differs ? "mark" : "span")
  node.append(element("bdi", "", text))
  return space && place ? [document.createTextNode(" "), node] : [node]
}
