// How a learned exit time weighs speed against false exits.
import { el, field, put } from './base.js'
import { t } from './words.js'

const values = ['quick', 'balanced', 'patient']

export const sensitivityPart = () => {
  const hint = el('p', { class: 'quiet small', hidden: true })
  const list = el(
    'select',
    { id: 'sensitivity' },
    el('option', { value: '' }, t('sensitivityDefault')),
    values.map((value) => el('option', { value }, t(value))),
  )
  return {
    node: el('div', { class: 'card' }, field('sensitivity', t('sensitivity'), list), hint),
    take(known) {
      list.value = known.sensitivity ?? ''
      hint.hidden = known.exitAfter == null
      if (known.exitAfter != null) put(hint, t('sensitivityFixed', known.exitAfter))
    },
    write: () => ({ sensitivity: list.value || null }),
  }
}
