// How components of one page tell each other what is selected, within a frame and without the server.
// @ts-check

const bus = (globalThis[Symbol.for("headscope")] ??= Object.assign(new EventTarget(), { last: new Map() }))

/** @param {string} topic @param {unknown} detail */
export function tell(topic, detail) {
  bus.last.set(topic, detail)
  bus.dispatchEvent(new CustomEvent(topic, { detail }))
}

// The listener hears at once what was said last. Returns a function that ends it.
/** @param {string} topic @param {(detail: any) => void} listener */
export function hear(topic, listener) {
  const handler = (event) => listener(event.detail)
  bus.addEventListener(topic, handler)
  if (bus.last.has(topic)) listener(bus.last.get(topic))
  return () => bus.removeEventListener(topic, handler)
}
