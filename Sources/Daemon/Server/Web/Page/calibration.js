// The signal at one metre, measured as `okaeri calibrate` does. Echoes make single readings swing: a tenth of them is left
// out at either end, and the rest is averaged.
import { el, put } from './base.js'
import { full, plain, t } from './words.js'

const seconds = 20
const needed = 10
const steadySpan = 10

/** What `readings` in dBm tell: `{ power, text }`, or `{ text }` where they tell nothing. */
const level = (readings, claimed) => {
  const sorted = [...readings].sort((a, b) => a - b)
  const count = sorted.length
  if (count < needed) return { text: full(t('c_tooFew', count, needed, seconds, t('c_again'))) }
  const span = sorted[Math.floor((count * 3) / 4)] - sorted[Math.floor(count / 4)]
  if (span > steadySpan) return { text: full(t('c_unsteady', span, steadySpan)) }
  const kept = sorted.slice(Math.floor(count / 10), count - Math.floor(count / 10))
  const mean = kept.reduce((sum, one) => sum + one, 0) / kept.length
  const power = Math.min(-1, Math.max(-127, -Math.round(-mean)))
  const claim = claimed == null ? null : t('measuredClaim', plain(claimed))
  const measured = full(t('c_measured', plain(power)))
  return { power, text: [measured, full(t('c_readings', count, plain(kept[0]), plain(kept.at(-1)))), claim].filter(Boolean).join(' ') }
}

export const calibrationPart = () => {
  let power = null
  let timer = 0
  let started = 0
  let readings = []
  let counts = new Map()
  let claimed = null

  const measure = el('button', { type: 'button', onclick: () => begin() }, t('measure'))
  const progress = el('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('measure') })
  // Read out at its end, not four times a second.
  const countdown = el('span', { class: 'countdown', 'aria-hidden': 'true' })
  const result = el('p', { class: 'measured', role: 'status' })

  const begin = () => {
    started = performance.now()
    readings = []
    counts = new Map()
    measure.disabled = true
    progress.hidden = false
    put(result, '')
    timer = setInterval(tick, 250)
    tick()
  }
  const stop = () => {
    clearInterval(timer)
    timer = 0
    measure.disabled = false
    progress.hidden = true
    put(countdown, '')
  }
  const tick = () => {
    const passed = (performance.now() - started) / 1000
    progress.value = passed / seconds
    put(countdown, t('c_left', plain(Math.max(0, seconds - passed), 0), readings.length))
    if (passed < seconds) return
    stop()
    const found = counts.size > 1 ? { text: t('measureSeveral') } : level(readings, claimed)
    power = found.power ?? power
    result.classList.toggle('error', found.power == null)
    put(result, found.text)
  }
  return {
    node: el(
      'div',
      { class: 'card' },
      el('h3', {}, t('calibrate')),
      el('p', { class: 'quiet' }, t('calibrateHow')),
      el('div', { class: 'buttons' }, measure, progress, countdown),
      result,
    ),
    isRunning: () => timer !== 0,
    stop,
    /** The beacons that are meant, as /v1/beacons has them: a reading where one was heard anew. */
    heard(beacons) {
      if (!timer) return
      for (const { major, minor, count, rssi, age, measuredPower } of beacons) {
        const key = `${major}/${minor}`
        // One that was heard before this began, and not since, is of no account.
        if (!counts.has(key) && age > 2) continue
        if (counts.has(key) && counts.get(key) !== count && rssi != null) readings.push(rssi)
        counts.set(key, count)
        claimed = measuredPower
      }
    },
    take({ measuredPower }) {
      if (measuredPower == null) return
      power = measuredPower
      put(result, t('measuredOld', plain(power)))
    },
    write: () => ({ measuredPower: power }),
  }
}
