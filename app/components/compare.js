// Two translations of a sentence, with the words that differ marked, and the change of every token's log-probability.

import { digits, element, tokenNode } from "./tokens.js"

export default function compare({ data, parentElement }) {
  const part = (name) => parentElement.querySelector(`.compare .${name}`)
  part("before").replaceChildren(...words(data.before, "del"))
  part("after").replaceChildren(...words(data.after, "ins"))
  for (const name of ["before", "after"]) part(name).dir = data.direction
  const most = Math.max(...data.changes.map(({ change }) => Math.abs(change)), 1e-9)
  part("changes").replaceChildren(...data.changes.map((token) => item(token, most)))
  part("facts").textContent = data.facts
}

function words(parts, tag) {
  return parts.flatMap(({ text, changed }) => {
    const node = element(changed ? tag : "span")
    node.append(element("bdi", "", text))
    return [node, document.createTextNode(" ")]
  })
}

function item({ label, change }, most) {
  const node = element("li")
  const bar = element("span", `strength ${change < 0 ? "loss" : "gain"}`)
  bar.style.setProperty("--share", Math.abs(change) / most)
  const sign = change > 0 ? "+" : ""
  node.append(tokenNode(label), bar, element("span", "number", Math.abs(change) < 0.005 ? "0.00" : sign + digits(change)))
  return node
}
