// The texts of the page in the browser's language: words, times in the Pi's time zone, events.
import { dayOf, local } from './zone.js'

const spoken = navigator.languages?.find((tag) => /^(en|ja)\b/i.test(tag)) ?? 'en'
export const isJapanese = /^ja/i.test(spoken)
export const language = isJapanese ? 'ja' : 'en'
const { default: words } = await import(`./${language}.js`)

/** The sentence of that name, with what goes into it. */
export const t = (name, ...values) => (words[name] ?? name).replace(/\{(\d)\}/g, (_, index) => values[index] ?? '')

/** Brings the words of the views that are not shown first. */
export const more = async () => Object.assign(words, (await import(`./${language}.more.js`)).default)

export const has = (name) => name in words

/** Why a network was not joined or has limited access; `reason` is the daemon's own sentence. */
export const failure = (code, reason) => (has(`j_${code}`) ? t(`j_${code}`, reason) : reason)

/** The question of a prompt. */
export const question = ({ ssid, situation }) => {
  if (situation === 'radioOff' || situation === 'countryUnset') return t('askJoin_radioOff', ssid)
  const own = `ask_${(situation ?? '').replace(/LoggedIn$|Instead$/, '')}`
  return t(has(own) ? own : 'askJoin', ssid)
}

/** The circumstance that a prompt names. */
export const circumstance = ({ situation }) => {
  const name = (situation ?? '').endsWith('LoggedIn') ? 's_loggedIn' : `s_${situation}`
  return has(name) ? t(name) : null
}

/** Whether the question is about a departure. */
export const isDeparture = ({ situation }) => /^(leave|hotspotOff|switchOff)/.test(situation ?? '')

/** The word on the button of an answer: `join` is yes to every question. */
export const answerWord = (word, { situation }) =>
  t(word === 'join' && has(`ask_${(situation ?? '').replace(/LoggedIn$|Instead$/, '')}`) ? 'yes' : word)

const format = (options) => {
  // `local` has added the offset of the Pi's time zone.
  const format = new Intl.DateTimeFormat(spoken, { ...options, timeZone: 'UTC' })
  return (time) => format.format(local(time))
}
const hour = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const second = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const day = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const short = format({ weekday: 'short', day: 'numeric', month: 'short' })

export const timeOfDay = hour
export const timeWithSeconds = second
export const longDay = day

/** The time of the day, with its day if that is not today's. */
export const since = (time, now) => (dayOf(time) === dayOf(now) ? hour(time) : `${short(time)} ${hour(time)}`)

/** How long, in the two largest units: `2 h 10 min`. */
export const duration = (milliseconds) => {
  const total = Math.max(0, Math.floor(milliseconds / 1000))
  const [d, h, min, s] = [
    Math.floor(total / 86400),
    Math.floor(total / 3600) % 24,
    Math.floor(total / 60) % 60,
    total % 60,
  ]
  const units = isJapanese ? [' 日', ' 時間', ' 分', ' 秒'] : [' d', ' h', ' min', ' s']
  const parts = [d, h, min, s].map((count, index) => [count, `${count}${units[index]}`])
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return parts[3][1]
  return parts
    .slice(first, first === 2 ? 3 : first + 2)
    .filter(([count]) => count > 0)
    .map(([, text]) => text)
    .join(' ')
}

/** Without needless digits. */
export const plain = (number, digits = 1) => String(+(+number).toFixed(digits)).replace('-', '−')

/** The daemon's sentences begin like the end of one, or with a name such as hci0. */
export const sentence = (text) => (/^[a-z]+\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))

/** What happened, in a line; null for what is not worth one. */
export const eventText = (event) => {
  const name = event.identifier ?? event.name ?? event.address
  const text = () => {
    switch (event.event) {
      case 'didRangeBeacons':
        return null
      case 'didDetermineState':
        return t('e_didDetermineState', event.region, t(event.state))
      case 'monitoringDidFail':
      case 'rangingBeaconsDidFail':
        return t(`e_${event.event}`, event.region, event.reason)
      case 'bluetoothStateDidUpdate':
        return t('e_bluetooth', t(`bt_${event.state}`), sentence(event.reason))
      case 'wifiPrompt':
        return t('e_wifiPrompt', question(event))
      case 'wifiPromptWithdrawn':
        return t('e_wifiPromptWithdrawn', question(event))
      case 'wifiPromptAnswered':
        return t('e_wifiPromptAnswered', event.ssid, t(event.answer))
      case 'wifiJoined':
        return t('joined', event.ssid)
      case 'wifiJoinFailed':
        return t('joinFailed', event.ssid, failure(event.code, event.reason))
      case 'wifiActionCompleted':
        return t(`did_${event.action}`, event.ssid)
      case 'wifiActionFailed':
        return t(`didNot_${event.action}`, event.ssid, failure(event.code, event.reason))
      case 'wifiUnavailable':
        return t('unavailable', event.ssid, failure(event.code, event.reason))
      case 'wifiAccessLimited':
        return t('accessLimited', event.ssid, failure(event.code, event.reason))
      case 'peripheralDidConnect':
      case 'peripheralDidDisconnect':
        return t(`e_${event.event}`, name ?? event.service)
      case 'didDetermineRoom':
        return event.room ? t('e_room', event.region, event.room) : t('e_noRoom', event.region)
      default:
        return has(`e_${event.event}`) ? t(`e_${event.event}`, event.region) : event.event
    }
  }
  const line = text()
  return line && event.scope === 'house' && event.event !== 'didDetermineRoom' ? t('e_house', line) : line
}
