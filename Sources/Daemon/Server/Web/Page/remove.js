// The deletion of a region, and of this page's changes of one; each is asked about once more.
import { api, el } from './base.js'
import { t } from './words.js'

const confirmedPart = (name, { path, first: text, action, why, keep: keepText, done }, leave, failed, sign) => {
  // What the texts name: the region, or one of its signs and the region.
  const names = sign ? [sign.label, name] : [name]
  const query = Object.entries({ region: name, ...(sign && { sign: sign.name }) }).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  const remove = async () => {
    really.disabled = true
    failed('')
    try {
      const answer = await api(`${path}?${query.join('&')}`, undefined, { method: 'DELETE' })
      if (answer.written) return leave(t(done, ...names))
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
  const first = el('button', { type: 'button', onclick: () => ask(true) }, t(text, ...names))
  const really = el('button', { type: 'button', class: 'danger', onclick: remove }, t(action, ...names))
  const keep = el('button', { type: 'button', onclick: () => ask(false) }, t(keepText))
  const question = el(
    'div',
    { class: 'card', hidden: true, role: 'group', 'aria-label': t(action, ...names) },
    el('p', {}, t(why, ...names)),
    el('div', { class: 'buttons' }, really, keep),
  )
  const node = el('div', { class: 'remove', hidden: true }, el('div', { class: 'buttons end' }, first), question)
  return {
    node,
    /** Shows the button, if the page may do it. */
    enable(is) {
      node.hidden = !is
    },
  }
}

const deletion = {
  path: 'v1/configuration/region',
  first: 'deleteRegion',
  action: 'deleteOf',
  why: 'deleteWhy',
  keep: 'keepRegion',
  done: 'deleted',
}
const reversal = {
  path: 'v1/configuration/region/changes',
  first: 'revertChanges',
  action: 'revertOf',
  why: 'revertWhy',
  keep: 'keepChanges',
  done: 'reverted',
}
const signRemoval = {
  path: 'v1/configuration/region/signs',
  first: 'removeSign',
  action: 'removeSign',
  why: 'removeSignWhy',
  keep: 'keepSign',
  done: 'signRemoved',
}

/**
 * @param leave called with the message of a deletion
 * @param failed called with the sentence of a refusal
 */
export const removePart = (name, leave, failed) => confirmedPart(name, deletion, leave, failed)

/** The same for this page's changes of a region of beacons.json. */
export const revertPart = (name, leave, failed) => confirmedPart(name, reversal, leave, failed)

/** The same for one sign of a region: `{ name, label }`, the name of the configuration and that of the page. */
export const signPart = (name, sign, leave, failed) => confirmedPart(name, signRemoval, leave, failed, sign)
