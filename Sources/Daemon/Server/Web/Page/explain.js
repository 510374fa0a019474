// The reason for a region's state: a sentence, and the numbers of `okaeri explain` behind it.
import { el, put } from './base.js'
import { live } from './live.js'
import { deviceName, scanText, signText } from './now.js'
import { bluetoothReason, duration, ended, full, listed, parts, plain, sentence, t } from './words.js'

const sensitivities = ['quick', 'balanced', 'patient']

/** The sign of one of the region's beacons, which has the settings. */
const signOf = (region, beacon) => region.signs?.[beacon.sign] ?? region

const rule = ({ enterRSSI, exitRSSI }) => {
  const exit = exitRSSI == null ? t('x_exitSilence') : t('x_exitAt', plain(exitRSSI))
  return enterRSSI == null ? t('x_enterAny', exit) : t('x_enterAt', exit, plain(enterRSSI))
}

/** The state of a region and its reason in a sentence. */
const plainly = ({ identifier, state, beacons, exitAfter, exitRSSI }) => {
  const beacon = beacons.find(({ keepsInside }) => keepsInside) ?? beacons[0]
  if (state === 'unknown') return t('x_notKnown', identifier)
  if (!beacon) return t(state === 'inside' ? 'x_insideKept' : 'x_outsideNever', identifier)
  const isPhone = beacon.phone != null
  const age = duration(beacon.age * 1000)
  if (state === 'inside') {
    const silence = duration((beacon.exitAfter ?? exitAfter) * 1000)
    if (exitRSSI == null) return t(isPhone ? 'x_insidePhone' : 'x_insideBeacon', identifier, age, silence)
    return t(isPhone ? 'x_insideNearPhone' : 'x_insideNearBeacon', identifier, age, silence)
  }
  if (beacon.silence > beacon.exitAfter) return t(isPhone ? 'x_outsideSilentPhone' : 'x_outsideSilentBeacon', identifier, age)
  return t(isPhone ? 'x_outsideWeakPhone' : 'x_outsideWeakBeacon', identifier)
}

const flapping = ({ flapping }) => flapping && t('x_flapping', flapping.returns, flapping.distance)

const compromise = ({ isLearned, sensitivity, phone }) =>
  isLearned && sensitivity ? t(phone == null ? 'x_sensitivity' : 'x_phoneSensitivity', sensitivity) : null

const period = (days) => {
  const hours = Math.round(days * 24)
  if (days >= 1) return plain(days) === '1' ? t('x_day') : t('x_days', plain(days))
  if (hours >= 1) return hours === 1 ? t('x_hour') : t('x_hours', hours)
  return t('x_minutes')
}

const mistakes = ({ mistakes, isLearned, sensitivity }) => {
  if (!mistakes) return null
  const count = (number) => number || t('x_none')
  const others = sensitivities
    .filter((name) => !isLearned || name !== sensitivity)
    .map((name) => t('x_wouldHave', name, count(mistakes[name])))
  return t('x_mistakes', period(mistakes.days), count(mistakes.falseExits), '', listed(others))
}

const air = ({ air }) => {
  if (!air) return null
  if (!air.isCompany) return t('x_fewDevices', air.devices)
  return t('x_devices', air.devices < 50 ? air.devices : t('x_manyDevices'), plain(air.deaf))
}

const heard = ({ age, silence }) =>
  age - silence < 0.1 ? t('x_ago', plain(age)) : t('x_unlistened', plain(age), plain(silence))

const gone = (beacon) => {
  if (beacon.exitReason === 'configured') return t('x_afterSilence', plain(beacon.exitAfter), t('x_configured'))
  const reasons = [t(beacon.tail?.memory === 'minutes' ? 'x_learnedMinutes' : 'x_learned')]
  if (beacon.gaps != null && beacon.gapsNeeded != null) reasons[0] = t('x_initial', beacon.gaps, beacon.gapsNeeded)
  if (beacon.prolongation) reasons.push(t('x_longer', beacon.prolongation))
  if (beacon.bound) reasons.push(t(beacon.bound === 'longest' ? 'x_longest' : 'x_shortest'))
  return t('x_afterSilence', plain(beacon.exitAfter), parts(reasons))
}

const frequency = (rate) => {
  if (rate >= 1.5) return t('x_timesADay', Math.round(rate))
  if (rate > 2 / 3) return t('x_onceADay')
  return rate < 1 / 30 ? t('x_lessThanMonthly') : t('x_onceInDays', Math.round(1 / rate))
}

const isHeldAtLongest = ({ exitReason, bound, phone }) => exitReason === 'learned' && bound === 'longest' && phone == null

const wrong = (beacon) => {
  if (beacon.exitReason !== 'learned' || beacon.falseExits == null) return null
  const expected = t('x_expected', frequency(beacon.falseExits))
  return isHeldAtLongest(beacon) ? t('x_remedyForLongest', expected) : expected
}

const tail = ({ exitReason, tail }) =>
  exitReason !== 'learned' || !tail
    ? null
    : t('x_tail', plain(tail.gaps, 0), plain(tail.start), plain(tail.longest), duration(tail.listened * 1000))

const others = (beacon, region) =>
  beacon.exitReason === 'configured' || !beacon.exitTimes
    ? null
    : listed(
        sensitivities
          .filter((name) => name !== signOf(region, beacon).sensitivity)
          .map((name) => t('x_with', name, plain(beacon.exitTimes[name]))),
      )

const sends = ({ advertisingInterval, loss }) =>
  advertisingInterval == null || loss == null
    ? t('x_notKnownYet')
    : t('x_every', plain(advertisingInterval, 3), Math.round(loss * 100))

const signal = ({ signal, rssi }) => {
  if (signal == null) return t('x_notKnownYet')
  return rssi == null ? t('x_filtered', plain(signal)) : t('x_last', plain(signal), plain(rssi))
}

// PathLoss.plausiblePower has the reasons.
const [leastPower, mostPower] = [-100, -20]

const distance = (beacon, region) => {
  const sign = signOf(region, beacon)
  const power = sign.measuredPower ?? beacon.claimedPower
  // A phone claims no power, and has no distance without one.
  if (sign.phone != null && sign.measuredPower == null) return null
  const remedy = t('x_calibrateOnPage', region.identifier)
  if (power == null) return t('x_noPower', remedy)
  if (sign.measuredPower == null && (power < leastPower || power > mostPower)) {
    return t('x_implausible', plain(power), plain(leastPower), plain(mostPower), remedy)
  }
  const metres = beacon.accuracy < 0 ? t('noDistance') : t('x_metres', beacon.accuracy, t(beacon.proximity))
  const source = t(sign.measuredPower == null ? 'x_claimed' : 'x_calibrated', plain(power))
  return t('x_measured', metres, source, sign.pathLossExponent ?? 2.5)
}

/** What the user can do something about, in sentences. */
const warnings = (region) => {
  const { bluetooth } = live.status
  const deaf = bluetooth.listening ? null : t('x_noScan', bluetoothReason(bluetooth))
  const longest = region.beacons.filter(isHeldAtLongest).map(wrong)
  return [flapping(region), ...longest, deaf].filter(Boolean).map((text) => el('p', {}, full(text)))
}

const scanSentence = ({ listening, scan }) => (listening && scan ? t('x_scan', scanText(scan)) : null)

/** The numbers, of a region of the status. */
const explanation = (region) => {
  const status = live.status
  const signs = region.signs ?? [region]
  const isSingle = signs.length === 1
  const sentences = [
    ...(isSingle
      ? [rule(signs[0]), compromise(signs[0])]
      : [t('x_anyOfSigns', signs.length), ...signs.map((sign) => `${full(t('x_sign', signText(sign), t(`s_${sign.state}`)))} ${rule(sign)}`)]),
    mistakes(region),
    scanSentence(status.bluetooth),
    air(status),
    region.beacons.length ? null : t('x_noBeacon'),
  ]
  return [
    ...sentences.filter(Boolean).map((text) => el('p', {}, full(text))),
    ...region.beacons.flatMap((beacon) => [
      el(
        'h3',
        {},
        deviceName(beacon),
        beacon.keepsInside && el('span', { class: 'tag' }, t('x_keepsRegion')),
      ),
      el(
        'dl',
        { class: 'facts' },
        [
          ['x_received', heard(beacon)],
          ['x_exit', gone(beacon)],
          ['x_errors', isHeldAtLongest(beacon) ? null : wrong(beacon)],
          ['x_basis', tail(beacon)],
          ['x_others', others(beacon, region)],
          ['x_interval', sends(beacon)],
          ['x_signal', signal(beacon)],
          ['x_distance', distance(beacon, region)],
        ]
          .filter(([, text]) => text)
          .map(([name, text]) => el('div', { class: 'row' }, el('dt', {}, sentence(t(name))), el('dd', {}, text))),
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
      put(plain, ended(plainly(region)))
      warned.replaceChildren(...warnings(region))
      numbers.replaceChildren(...explanation(region))
    },
  }
}
