// Which Wi-Fi is joined on arrival: one of those in sight, or another by its name.
import { api, el, field, mayAll, put, putRich, session } from './base.js'
import { t } from './words.js'

/** What stands for a network that is named below the list; those of the list begin with `=`. */
const other = '*'

export const networkPart = () => {
  const list = el(
    'select',
    { id: 'network', disabled: !mayAll(), onchange: () => show() },
    el('option', { value: '' }, t('networkNone')),
    el('option', { value: other }, t('networkOther')),
  )
  const ssid = el('input', { id: 'ssid', autocomplete: 'off', maxlength: 32, oninput: () => show() })
  const ways = [
    ['prompt', t('joinPrompt')],
    ['auto', t('joinAuto')],
    ['once', t('joinOnce')],
    ['off', t('joinOff')],
  ]
  const way = el(
    'select',
    { id: 'way', disabled: !mayAll() },
    ways.map(([value, label]) => el('option', { value }, label)),
  )
  const ssidField = field('ssid', t('networkName'), ssid)
  const wayField = field('way', t('how'), way)
  const problem = el('p', { class: 'quiet small' })
  const loss = el('p', { class: 'quiet small', id: 'network-loss', role: 'status' })
  // The network in the file.
  let known = null

  const name = () => (list.value === other ? ssid.value : list.value.slice(1))
  const show = () => {
    const isLost = (known?.passphraseFile != null || known?.security != null) && name() !== known.ssid
    put(loss, isLost ? t('networkLoss', known.ssid) : '')
    ssidField.hidden = list.value !== other
    wayField.hidden = list.value === ''
  }
  const offer = (name, label, isOff) => {
    if ([...list.options].some((option) => option.value === `=${name}`)) return
    list.insertBefore(el('option', { value: `=${name}`, disabled: isOff }, label), list.lastChild)
  }
  const ask = async () => {
    try {
      const { networks } = await api('v1/wifi/networks')
      for (const { ssid, strength, secured } of networks) {
        offer(ssid, `${ssid} · ${strength} %${secured ? '' : ` (${t('unsecured')})`}`, !secured)
      }
    } catch (error) {
      putRich(problem, t('networkAway', error.message))
    }
  }
  show()
  if (mayAll()) ask()
  else if (session.now?.csrf) put(problem, t('onlyListed'))
  return {
    node: el('div', { class: 'card' }, field('network', t('network'), list), problem, ssidField, wayField, loss),
    take({ wifi }) {
      known = wifi
      if (wifi) offer(wifi.ssid, wifi.ssid)
      list.value = wifi ? `=${wifi.ssid}` : ''
      way.value = wifi?.join ?? 'prompt'
      // The profile of the join is made from the passphrase file, which the page does not change.
      way.querySelector('[value=once]').disabled = wifi?.passphraseFile == null
      show()
    },
    // The daemon keeps the passphrase file and the security of a network whose name stays.
    write: () => (mayAll() ? { wifi: list.value === '' ? null : { ssid: name(), join: way.value } } : {}),
  }
}
