// Round numbers along an axis of whole numbers.
// @ts-check

const MOST = 7

// At most a few, from the first on: the place of each, counted from 0, and how it is written.
/** @param {number} first @param {number} count */
export function ticks(first, count) {
  const power = 10 ** Math.floor(Math.log10(Math.max(count / MOST, 1)))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => count / each <= MOST) ?? 10 * power
  const begin = Math.ceil(first / step) * step
  const found = []
  for (let value = begin; value < first + count; value += step) {
    found.push({ at: value - first, name: String(value).replace("-", "−") })
  }
  return found
}
