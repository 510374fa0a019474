// The QR codes of networks for guests.
import { api, el, keyed, putRich } from './base.js'
import { picture } from './qr.js'
import { t } from './words.js'

/** The code is requested when it is shown, and goes with its card. */
const codePart = ({ ssid }) => {
  const code = el('div')
  const problem = el('p', { class: 'error', role: 'alert' })
  const node = el(
    'li',
    { class: 'card guest' },
    el('h3', {}, t('guestsTitle', ssid)),
    el('p', { class: 'quiet' }, t('guestsHint')),
    code,
    problem,
  )
  const show = async () => {
    try {
      const { text } = await api(`v1/guests/code?ssid=${encodeURIComponent(ssid)}`)
      const shown = picture(text, t('guestsTitle', ssid))
      if (shown) code.append(shown)
      else putRich(problem, t('guestsLong'))
    } catch (error) {
      putRich(problem, error.message)
    }
  }
  show()
  return { node, update() {} }
}

/** The cards of the networks, in `place`. */
export const guestsPart = (place) => {
  const list = el('ul', { class: 'plain prompts' })
  const updateCodes = keyed(list, codePart)
  place.append(list)
  return { update: (networks) => updateCodes(networks, ({ ssid }) => ssid) }
}
