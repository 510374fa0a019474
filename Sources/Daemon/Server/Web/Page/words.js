// The texts of the page in the browser's language: words, times in the Pi's time zone, events.
import { first } from './texts.js'
import { prompts, served } from './served.js'
import { dayOf, local } from './zone.js'

/** The language of the page: the daemon has chosen it by those of the browser. */
export const language = document.documentElement.lang
export const isJapanese = language === 'ja'
const spoken = navigator.languages?.find((tag) => new RegExp(`^${language}\\b`, 'i').test(tag)) ?? language
const words = { ...first, ...served }
const filled = (text, values) => text.replace(/\{(\d)(?: (\w+))?\}/g, (_, index, noun) => (values[index] ?? '') + (noun ? ` ${noun}${values[index] === 1 ? '' : 's'}` : ''))

/** The sentence of that name, with what goes into it. */
export const t = (name, ...values) => filled(words[name] ?? name, values)

/** Adds the words of the views that are not shown first. */
export const add = (...texts) => Object.assign(words, ...texts)

export const has = (name) => name in words

/** A text about a prompt, such as the question: `ask`. It is empty if the prompt has none. */
export const promptText = (kind, { situation }, ...values) => filled({ ...prompts.join, ...prompts[situation] }[kind], values)

/** What became of an action on the network, or why there is none, in a sentence. */
export const resultText = ({ event, ssid, action = 'join', code, reason }) => {
  const name = { wifiUnavailable: 'unavailable', wifiAccessLimited: 'accessLimited' }[event]
  // The daemon's own sentences are English.
  const why = has(`why_${code}`) ? t(`why_${code}`, reason) : reason
  return t(name ?? `${code ? 'didNot' : 'did'}_${action}`, ssid, why)
}

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

/** The daemon's sentences begin like the end of one, or with a name such as hci0 or mDNS. */
export const sentence = (text) => (/^[a-z]+[\dA-Z]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))

/** A text of the command line, with its end; and with its beginning. */
export const ended = (text) => text.replace(/[^.。]$/, isJapanese ? '$&。' : '$&.')
export const full = (text) => ended(sentence(text))

/** A reason of the daemon, by its code: the daemon's own sentences are English. */
export const reasonText = (kind, { code, reason }, value) =>
  has(`${kind}_${code}`) ? t(`${kind}_${code}`, value, reason) : sentence(reason ?? '')

/** The state of Bluetooth and its reason. */
export const bluetoothReason = (state) => reasonText('bluetooth', state, state.adapter ?? 'Bluetooth')

/** Names in a list, and the parts of a sentence. */
export const listed = (names) => names.join(isJapanese ? '、' : ', ')
export const parts = (texts) => texts.filter(Boolean).join(isJapanese ? '。' : '; ')

/** Now has the findings about these in their places. */
const inPlace = ['bluetooth', 'mqtt', 'battery']

/** Whether a finding stands above each view. */
export const isNotice = ({ subject, verdict, code }) =>
  code === 'notReal' || (!inPlace.includes(subject) && (verdict === 'wrong' || code === 'restartPending'))

/** Whether a finding stands in the list of Now: it is shown once. */
export const isListed = (finding) => finding.verdict !== 'ok' && !isNotice(finding)

/** The part of a finding, its text and its remedy. The daemon's own sentences are English. */
export const findingTexts = ({ subject, code, finding, fix, values = [] }) => {
  const part = sentence(has(`part_${subject}`) ? t(`part_${subject}`) : subject)
  const kind = { notPoweredOn: 'bluetooth', brokerAway: 'mqtt', brokerUnsuitable: 'mqtt' }[code]
  const reason = kind && `${kind}_${values[0]}`
  if (has(reason)) return [part, t(reason, values[1], values[2])]
  if (has(`f_${code}`)) return [part, t(`f_${code}`, ...values), has(`fix_${code}`) && t(`fix_${code}`, ...values)]
  return [part, finding, fix]
}

/** An event of a region that was entered or left, in a line. */
export const regionEventText = ({ event, region, scope }) => {
  const line = t(`e_${event}`, region)
  return scope === 'house' ? t('e_house', line) : line
}
