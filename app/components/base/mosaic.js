// Many small maps in one message, and the way from tile to tile.
// @ts-check

// Bytes as they travel: deflated (zlib), in base64.
/** @param {string} base64 */
export async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

// Whether what arrives is still asked for: by the message that came last, and by a picture that stands on the page, for one
// that has left it has no colours. Numbers below the maps may be others by then.
/** @param {{ data: { signature: string }, root: { isConnected: boolean } }} state @param {string} signature */
export function stillAsked({ data, root }, signature) {
  return data.signature === signature && root.isConnected
}

// Numbers from 0 to LEVELS, whose low bytes stand before their high bytes.
export const LEVELS = 1000
/** @param {Uint8Array} bytes */
export function levels(bytes) {
  const count = bytes.length / 2
  return Uint16Array.from({ length: count }, (_, at) => bytes[at] | (bytes[count + at] << 8))
}

// Float32 numbers whose lowest byte is 0, from the other three: all of one place stand together.
/** @param {Uint8Array} bytes */
export function floats(bytes) {
  const count = bytes.length / 3
  const bits = Uint32Array.from({ length: count }, (_, at) => (bytes[at] << 8) | (bytes[count + at] << 16) | (bytes[2 * count + at] << 24))
  return new Float32Array(bits.buffer)
}

// Half-precision numbers (IEEE 754) from their bits.
/** @param {Uint16Array} bits */
export function halves(bits) {
  return Float32Array.from(bits, (half) => {
    const [sign, exponent, fraction] = [half & 0x8000 ? -1 : 1, (half >> 10) & 31, half & 1023]
    if (exponent === 31) return fraction ? NaN : sign * Infinity
    return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction)
  })
}

// One array in pieces of equal size.
/** @param {any} bytes @param {any} size */
export function cut(bytes, size) {
  return Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

// The width of tiles in groups, in pixels: as wide as lets all groups stand in the room, below each other, and no
// narrower than can be told apart. One of several groups is a row as long as the tiles of such a row are wide enough.
// A tile is its map and a line of text; `aspect` is its map's width by height.
/**
 * @param {number[]} counts of tiles a group
 * @param {{ width: number, height: number }} room
 * @param {number} aspect
 * @param {{ gap: number, text: number, least: number, most: number }} sizes
 */
export function tileWidth(counts, { width, height }, aspect, { gap, text, least, most }) {
  const fits = (/** @type {number} */ across) => {
    const rows = counts.reduce((sum, count) => sum + Math.ceil(count / across), 0)
    const wide = Math.floor((width - gap * (across - 1)) / across)
    return Math.min(wide, Math.floor(((height - gap * (rows - 1)) / rows - text) * aspect))
  }
  const longest = Math.max(...counts, 1)
  const rows = counts.length > 1 && width / longest > least
  const choices = rows ? [fits(longest)] : Array.from({ length: longest }, (_, at) => fits(at + 1))
  return Math.max(Math.min(least, width), Math.min(most, Math.max(...choices)))
}

// The tile that an arrow key leads to, by index; null where there is none. Boxes stand in rows, in reading order.
/** @param {{ top: number, left: number }[]} boxes @param {number} now @param {string} key */
export function nextTile(boxes, now, key) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  if (step) return boxes[now + step] ? now + step : null
  if (key !== "ArrowDown" && key !== "ArrowUp") return null
  const beyond = boxes.filter(({ top }) => (key === "ArrowDown" ? top > boxes[now].top : top < boxes[now].top))
  if (!beyond.length) return null
  const tops = beyond.map(({ top }) => top)
  const top = key === "ArrowDown" ? Math.min(...tops) : Math.max(...tops)
  const away = (box) => Math.abs(box.left - boxes[now].left)
  const row = beyond.filter((box) => box.top === top)
  return boxes.indexOf(row.reduce((best, box) => (away(box) < away(best) ? box : best)))
}
