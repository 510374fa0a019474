// The networks for guests: their QR codes while a region that is marked for it is inside, and on request.
import { api, el, keyed, put, putRich } from './base.js'
import { live } from './live.js'
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
      const { text } = await api(`/v1/guests/code?ssid=${encodeURIComponent(ssid)}`)
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

/** `place` gets the codes, `request` the button for them. */
export const guestsPart = (place, request) => {
  const list = el('ul', { class: 'plain prompts' })
  const button = el('button', { type: 'button', 'aria-expanded': 'false' }, t('guestsShow'))
  const updateCodes = keyed(list, codePart)
  let networks = []
  let isWanted = false
  const update = (known = networks) => {
    networks = known
    const inside = (live.status?.regions ?? []).filter(({ state }) => state === 'inside').map(({ identifier }) => identifier)
    const isShown = ({ regions }) => isWanted || regions.some((region) => inside.includes(region))
    updateCodes(networks.filter(isShown), ({ ssid }) => ssid)
    button.hidden = networks.length === 0
  }
  button.onclick = () => {
    isWanted = !isWanted
    button.setAttribute('aria-expanded', String(isWanted))
    put(button, t(isWanted ? 'guestsHide' : 'guestsShow'))
    update()
  }
  place.append(list)
  request.append(button)
  return { update }
}
