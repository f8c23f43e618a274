// How often something occurred, as heights on a logarithmic scale: 0 stands at the foot, the most at the top.
// @ts-check

const height = (count, most) => (100 * Math.log10(1 + count)) / Math.log10(1 + most)

// The points of a polyline in a square of 100 by 100, for counts of positions 1, 2... of so many.
/** @param {number[]} counts @param {number} longest @param {number} most */
export function curve(counts, longest, most) {
  const step = 100 / Math.max(1, longest - 1)
  return counts.map((count, index) => `${rounded(index * step)},${rounded(100 - height(count, most))}`).join(" ")
}

// Every third power of ten up to the most: what it is called, and its height in percent.
/** @param {number} most */
export function powers(most) {
  const found = []
  for (let count = 1; count <= most; count *= 1000) {
    found.push({ label: count.toLocaleString("en"), height: height(count, most) })
  }
  return found
}

const rounded = (value) => Number(value.toFixed(2))
