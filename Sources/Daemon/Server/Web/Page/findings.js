// All that is not fine, with what to do about it: the findings of the daemon, which `okaeri doctor` prints as well.
import { el, putRich } from './base.js'
import { live } from './live.js'
import { findingTexts, isJapanese, isListed, sentence, t } from './words.js'

/** The text and the remedy of a finding. */
const texts = (finding) => {
  const [part, text, remedy] = findingTexts(finding)
  return [`${part}${isJapanese ? '：' : ': '}${text}`, remedy && sentence(remedy)]
}

export const findingsPart = () => {
  const list = el('ul', { class: 'plain' })
  const node = el('div', { hidden: true }, el('h2', {}, t('findings')), el('div', { class: 'card findings' }, list))
  let shown = ''
  const update = () => {
    const found = (live.status?.findings ?? []).filter(isListed).sort((one, other) => (other.verdict === 'wrong') - (one.verdict === 'wrong'))
    node.hidden = !found.length
    const all = JSON.stringify(found)
    if (all === shown) return
    shown = all
    list.replaceChildren(
      ...found.map((one) => {
        const item = el('li', { class: one.verdict })
        for (const text of texts(one).filter(Boolean)) {
          const line = el('p')
          putRich(line, text)
          item.append(line)
        }
        return item
      }),
    )
  }
  live.addEventListener('status', update)
  update()
  return node
}
