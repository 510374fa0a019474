// The reason for a region's state: a sentence, and the numbers of `okaeri explain` behind it.
import { el, put } from './base.js'
import { live } from './live.js'
import { deviceName, heardText, scanText, signText } from './now.js'
import { bluetoothReason, duration, plain, t } from './words.js'

const sensitivities = ['quick', 'balanced', 'patient']

/** The sign of one of the region's beacons, which has the settings. */
const signOf = (region, beacon) => region.signs?.[beacon.sign] ?? region

const rule = ({ enterRSSI, exitRSSI }) =>
  t(
    'x_enters',
    enterRSSI == null ? t('x_any') : t('x_enterAt', plain(enterRSSI)),
    exitRSSI == null ? t('x_silence') : t('x_exitAt', plain(exitRSSI)),
  )

/** The state of a region and its reason in a sentence. */
const plainly = ({ identifier, state, beacons, exitAfter, exitRSSI }) => {
  const beacon = beacons.find(({ keepsInside }) => keepsInside) ?? beacons[0]
  if (state === 'unknown') return t('p_unknown', identifier)
  if (!beacon) return t(state === 'inside' ? 'p_insideKept' : 'p_outsideNone', identifier)
  const silence = duration((beacon.exitAfter ?? exitAfter) * 1000)
  if (state === 'inside') return t(exitRSSI == null ? 'p_inside' : 'p_insideNear', identifier, heardText(beacon.age), silence)
  if (beacon.silence > beacon.exitAfter) return t('p_outsideSilent', identifier, duration(beacon.age * 1000))
  return t('p_outsideWeak', identifier)
}

const flapping = ({ flapping }) => flapping && t('x_flapping', flapping.returns, flapping.distance)

const period = (days) => {
  const hours = Math.round(days * 24)
  if (days >= 1) return plain(days) === '1' ? t('x_oneDay') : t('x_dayCount', plain(days))
  if (hours >= 1) return hours === 1 ? t('x_oneHour') : t('x_hourCount', hours)
  return t('x_minutes')
}

const mistakes = ({ mistakes, isLearned, sensitivity }) => {
  if (!mistakes) return null
  const others = sensitivities
    .filter((name) => !isLearned || name !== sensitivity)
    .map((name) => t('x_would', name, mistakes[name]))
    .join(t('sep'))
  return t(
    'x_mistakes',
    period(mistakes.days),
    mistakes.falseExits,
    others,
  )
}

const air = ({ air }) => {
  if (!air) return null
  if (!air.isCompany) return t('x_airFew', air.devices)
  return t('x_airMany', air.devices < 50 ? air.devices : t('x_more'), plain(air.deaf))
}

const heard = ({ age, silence }) =>
  age - silence < 0.1 ? t('x_ago', plain(age)) : t('x_agoPart', plain(age), plain(silence))

const gone = (beacon) => {
  if (beacon.exitReason === 'configured') return t('x_after', plain(beacon.exitAfter), t('x_configured'))
  const reasons = [t(beacon.tail?.memory === 'minutes' ? 'x_learnedMinutes' : 'x_learned')]
  if (beacon.gaps != null && beacon.gapsNeeded != null) reasons[0] = t('x_initial', beacon.gaps, beacon.gapsNeeded)
  if (beacon.prolongation) reasons.push(t('x_longer', beacon.prolongation))
  if (beacon.bound) reasons.push(t(`x_${beacon.bound}`))
  return t('x_after', plain(beacon.exitAfter), reasons.join(t('sepLong')))
}

const frequency = (rate) => {
  if (rate >= 1.5) return t('x_timesADay', Math.round(rate))
  if (rate < 1 / 30) return t('x_seldom')
  return rate > 2 / 3 ? t('x_onceADay') : t('x_onceInDays', Math.round(1 / rate))
}

const isHeldAtLongest = ({ exitReason, bound, phone }) => exitReason === 'learned' && bound === 'longest' && phone == null

const wrong = ({ exitReason, falseExits }) =>
  exitReason !== 'learned' || falseExits == null ? null : frequency(falseExits)

const tail = ({ exitReason, tail }) =>
  exitReason !== 'learned' || !tail
    ? null
    : t('x_tailText', plain(tail.gaps, 0), plain(tail.start), plain(tail.longest), duration(tail.listened * 1000))

const others = (beacon, region) =>
  beacon.exitReason === 'configured' || !beacon.exitTimes
    ? null
    : sensitivities
        .filter((name) => name !== signOf(region, beacon).sensitivity)
        .map((name) => t('x_if', plain(beacon.exitTimes[name]), name))
        .join(t('sep'))

const sends = ({ advertisingInterval, loss }) =>
  advertisingInterval == null || loss == null
    ? t('x_sendsUnknown')
    : t('x_every', plain(advertisingInterval, 3), Math.round(loss * 100))

const signal = ({ signal, rssi }) =>
  signal == null
    ? t('x_unknownYet')
    : [t('x_filtered', plain(signal)), rssi == null ? null : t('x_last', plain(rssi))].filter(Boolean).join(t('sep'))

// PathLoss.plausiblePower has the reasons.
const isPlausible = (power) => power >= -100 && power <= -20

const distance = (beacon, region) => {
  const sign = signOf(region, beacon)
  // A phone claims no power, and has no distance without one.
  if (sign.phone != null && sign.measuredPower == null) return null
  if (sign.measuredPower == null && beacon.claimedPower == null) return t('x_noPower', region.identifier)
  if (sign.measuredPower == null && !isPlausible(beacon.claimedPower)) {
    return t('x_implausible', plain(beacon.claimedPower), region.identifier)
  }
  const metres = beacon.accuracy < 0 ? t('noDistance') : `${t('metres', beacon.accuracy)} (${t(beacon.proximity)})`
  const [power, why] =
    sign.measuredPower != null
      ? [sign.measuredPower, t('x_calibrated')]
      : [beacon.claimedPower, t('x_claimed')]
  return `${metres}${t('sep')}${t('x_power', plain(power), why, sign.pathLossExponent ?? 2.5)}`
}

/** What the user can do something about, in sentences. */
const warnings = (region) => {
  const { bluetooth } = live.status
  const deaf = bluetooth.listening ? null : `${t('x_deaf')} ${bluetoothReason(bluetooth)}`
  const longest = region.beacons.some(isHeldAtLongest) ? t('x_heldAtLongest') : null
  return [flapping(region), longest, deaf].filter(Boolean).map((text) => el('p', {}, text))
}

const scanSentence = ({ listening, scan }) => (listening && scan ? t('x_scan', scanText(scan)) : null)

/** The numbers, of a region of the status. */
const explanation = (region) => {
  const status = live.status
  const sensitivity = region.isLearned && region.sensitivity ? t('x_sensitivity', t(region.sensitivity)) : null
  const sentences = [
    region.signs ? (region.signs.length > 1 ? t('x_anyOf') : null) : rule(region),
    ...(region.signs ?? []).map((sign) => `${signText(sign)}: ${t(sign.state)}. ${rule(sign)}`),
    sensitivity,
    mistakes(region),
    scanSentence(status.bluetooth),
    air(status),
    region.beacons.length ? null : t('noBeacons'),
  ]
  return [
    ...sentences.filter(Boolean).map((text) => el('p', {}, text)),
    ...region.beacons.flatMap((beacon) => [
      el(
        'h3',
        {},
        deviceName(beacon),
        beacon.keepsInside && el('span', { class: 'tag' }, t('keeps')),
      ),
      el(
        'dl',
        { class: 'facts' },
        [
          ['x_heard', heard(beacon)],
          ['x_gone', gone(beacon)],
          ['x_wrong', wrong(beacon)],
          ['x_tail', tail(beacon)],
          ['x_else', others(beacon, region)],
          ['x_sends', sends(beacon)],
          ['x_signal', signal(beacon)],
          ['x_distance', distance(beacon, region)],
        ]
          .filter(([, text]) => text)
          .map(([name, text]) => el('div', { class: 'row' }, el('dt', {}, t(name)), el('dd', {}, text))),
      ),
    ]),
  ]
}

/** The answer in a region's card. */
export const reasonsPart = () => {
  const plain = el('p')
  const warned = el('div')
  const numbers = el('div')
  return {
    node: el('div', { class: 'words' }, plain, warned, el('details', {}, el('summary', {}, t('numbers')), numbers)),
    /** @param region of the status */
    update(region) {
      put(plain, plainly(region))
      warned.replaceChildren(...warnings(region))
      numbers.replaceChildren(...explanation(region))
    },
  }
}
