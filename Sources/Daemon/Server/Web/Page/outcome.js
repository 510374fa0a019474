// The text of the configuration, as it would be, to be copied.
import { el, put, putRich } from './base.js'
import { t } from './words.js'

const copy = async (area) => {
  try {
    await navigator.clipboard.writeText(area.value)
  } catch {
    // Without TLS a browser has no clipboard but this one.
    area.select()
    document.execCommand('copy')
  }
}

export const outcomePart = () => {
  const reason = el('p')
  const copied = el('span', { role: 'status' })
  const area = el('textarea', { readonly: true, rows: 16, spellcheck: 'false', wrap: 'off', 'aria-label': t('text') })
  const button = el(
    'button',
    {
      type: 'button',
      onclick: async () => {
        await copy(area)
        put(copied, t('copied'))
      },
    },
    t('copy'),
  )
  const node = el(
    'div',
    { class: 'card text', hidden: true },
    reason,
    area,
    el('div', { class: 'buttons' }, button, copied),
  )
  return {
    node,
    show(text, why) {
      area.value = text
      putRich(reason, why)
      put(copied, '')
      node.hidden = false
      node.scrollIntoView({ block: 'nearest' })
      area.focus({ preventScroll: true })
    },
  }
}
