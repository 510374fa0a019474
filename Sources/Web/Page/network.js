// Which Wi-Fi is joined on arrival: one of those in sight, or another by its name.
import { api, el, field, putRich } from './base.js'
import { t } from './words.js'

/** What stands for a network that is named below the list; those of the list begin with `=`. */
const other = '*'

export const networkPart = () => {
  const list = el(
    'select',
    { id: 'network', onchange: () => show() },
    el('option', { value: '' }, t('networkNone')),
    el('option', { value: other }, t('networkOther')),
  )
  const ssid = el('input', { id: 'ssid', autocomplete: 'off', maxlength: 32 })
  const ways = [
    ['prompt', t('joinPrompt')],
    ['auto', t('joinAuto')],
    ['off', t('joinOff')],
  ]
  const way = el(
    'select',
    { id: 'way' },
    ways.map(([value, label]) => el('option', { value }, label)),
  )
  const ssidField = field('ssid', t('networkName'), ssid)
  const wayField = field('way', t('how'), way)
  const problem = el('p', { class: 'quiet small' })

  const show = () => {
    ssidField.hidden = list.value !== other
    wayField.hidden = list.value === ''
  }
  const offer = (name, label, isOff) => {
    if ([...list.options].some((option) => option.value === `=${name}`)) return
    list.insertBefore(el('option', { value: `=${name}`, disabled: isOff }, label), list.lastChild)
  }
  const ask = async () => {
    try {
      const { networks } = await api('/v1/wifi/networks')
      for (const { ssid, strength, secured } of networks) {
        offer(ssid, `${ssid} · ${strength} %${secured ? '' : ` (${t('unsecured')})`}`, !secured)
      }
    } catch (error) {
      putRich(problem, t('networkAway', error.message))
    }
  }
  show()
  ask()
  return {
    node: el('div', { class: 'card' }, field('network', t('network'), list), problem, ssidField, wayField),
    take({ wifi }) {
      if (!wifi?.ssid) return
      offer(wifi.ssid, wifi.ssid)
      list.value = `=${wifi.ssid}`
      way.value = wifi.join ?? 'prompt'
      show()
    },
    write(region) {
      const name = list.value === other ? ssid.value : list.value.slice(1)
      // What else is said of the same network stays, such as the file of its passphrase.
      const before = region.wifi?.ssid === name ? region.wifi : {}
      if (name) region.wifi = { ...before, ssid: name, join: way.value }
      else delete region.wifi
    },
  }
}
