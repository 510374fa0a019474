// The deletion of a region, which is asked about once more.
import { api, el } from './base.js'
import { t } from './words.js'

/**
 * @param leave called with the message of a deletion
 * @param failed called with the sentence of a refusal
 */
export const removePart = (name, leave, failed) => {
  const remove = async () => {
    really.disabled = true
    failed('')
    try {
      const path = `/v1/configuration/region?region=${encodeURIComponent(name)}`
      const answer = await api(path, undefined, { method: 'DELETE' })
      if (answer.written) return leave(t('deleted', name))
      failed(answer.reason)
    } catch (error) {
      failed(error.message)
    } finally {
      really.disabled = false
    }
  }
  const ask = (isAsking) => {
    question.hidden = !isAsking
    first.hidden = isAsking
    ;(isAsking ? keep : first).focus()
  }
  const first = el('button', { type: 'button', onclick: () => ask(true) }, t('deleteRegion'))
  const really = el('button', { type: 'button', class: 'danger', onclick: remove }, t('deleteOf', name))
  const keep = el('button', { type: 'button', onclick: () => ask(false) }, t('keepRegion'))
  const question = el(
    'div',
    { class: 'card', hidden: true, role: 'group', 'aria-label': t('deleteOf', name) },
    el('p', {}, t('deleteWhy', name)),
    el('div', { class: 'buttons' }, really, keep),
  )
  const node = el('div', { class: 'remove', hidden: true }, el('div', { class: 'buttons end' }, first), question)
  return {
    node,
    /** Shows the button, if the page may delete the region. */
    enable(is) {
      node.hidden = !is
    },
  }
}
