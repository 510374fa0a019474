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

/** Whether a prompt asks about a join. The words of the other questions are among those of `more`. */
export const isJoin = ({ situation }) => !/^(hotspot|switch|leave)/.test(situation)

/** Whether the question is about a departure. */
export const isDeparture = ({ situation }) => /^(leave|hotspotOff|switchOff)/.test(situation)

/** The question of a prompt. */
export const question = (prompt) => {
  const { ssid, situation } = prompt
  if (!isJoin(prompt)) return t(`ask_${situation.replace(/LoggedIn$|Instead$/, '')}`, ssid)
  return t(situation === 'radioOff' || situation === 'countryUnset' ? 'askJoin_radioOff' : 'askJoin', ssid)
}

/** The circumstance that a prompt names. */
export const circumstance = ({ situation }) => {
  const name = `s_${/LoggedIn$/.test(situation) ? 'loggedIn' : situation}`
  return has(name) ? t(name) : null
}

/** The word on the button of an answer: `join` is yes to every question. */
export const answerWord = (word, prompt) => t(word === 'join' && !isJoin(prompt) ? 'yes' : word)

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

/** An event of a region that was entered or left, in a line. */
export const regionEventText = ({ event, region, scope }) => {
  const line = t(`e_${event}`, region)
  return scope === 'house' ? t('e_house', line) : line
}
