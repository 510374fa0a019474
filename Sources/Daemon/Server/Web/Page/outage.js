// While the daemon does not answer: what is shown may be outdated, and what needs the daemon is disabled.
import { el, say } from './base.js'
import { live } from './live.js'
import { t } from './words.js'

/** Contains controls that need the daemon. */
export const controls = (...children) =>
  el('fieldset', { class: 'controls', role: 'presentation', disabled: live.isOut }, ...children)

let focused = null
live.addEventListener('outage', () => {
  if (live.isOut) focused = document.activeElement
  document.body.classList.toggle('out', live.isOut)
  for (const part of document.querySelectorAll('.controls')) part.disabled = live.isOut
  if (live.isOut) return
  say(t('answersAgain'))
  // A control that is disabled loses the focus.
  if (document.activeElement === document.body && focused?.isConnected) focused.focus({ preventScroll: true })
})
