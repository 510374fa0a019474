// Now: the regions, what waits for an answer, and how the machine fares.
import { api, clock, el, every, keyed, mayAll, put, putRich, rich, say, session } from './base.js'
import { signalBar, sparkline } from './chart.js'
import { findingsPart } from './findings.js'
import { guestsPart } from './guests.js'
import { live, reload } from './live.js'
import { radiosPart } from './radios.js'
import {
  bluetoothReason,
  duration,
  has,
  listed,
  plain,
  promptText,
  reasonText,
  resultText,
  since,
  t,
} from './words.js'

export const heardText = (age) => (age < 5 ? t('heardNow') : t('heard', duration(age * 1000)))
export const metresText = ({ accuracy }) =>
  accuracy < 0 ? t('noDistance') : t('metres', plain(accuracy, accuracy < 10 ? 1 : 0))
/** Empty for a phone that was not calibrated: it claims no power. */
const distanceText = (beacon) =>
  beacon.phone && beacon.accuracy < 0 ? '' : metresText(beacon) + (beacon.accuracy < 0 ? '' : ` · ${t(beacon.proximity)}`)

/** One of the signs of a region. */
export const signText = ({ phone, uuid, major, minor }) =>
  [phone ? t('phoneName', phone) : uuid, major == null ? null : `major ${major}`, minor == null ? null : `minor ${minor}`].filter(Boolean).join(' ')

/** A beacon or a phone of a region. */
export const deviceName = ({ phone, major, minor }) => (phone ? t('phoneName', phone) : t('beaconName', major, minor))

const beaconPart = (beacon) => {
  const name = deviceName(beacon)
  const bar = signalBar(t('signalOf', name))
  const [strength, distance, heard, keeps] = ['', '', 'heard', 'tag'].map((name) => el('span', { class: name }))
  const node = el(
    'li',
    { class: 'beacon' },
    bar.node,
    el('span', { class: 'who' }, el('b', {}, name), ' ', keeps),
    el('span', { class: 'facts' }, distance, strength, heard),
  )
  return {
    node,
    update(beacon) {
      const signal = beacon.age > 60 ? null : beacon.signal
      bar.set(signal)
      put(strength, signal == null ? t('noSignal') : t('dBm', plain(signal, 0)))
      put(distance, distanceText(beacon))
      distance.hidden = !distance.textContent
      put(heard, heardText(beacon.age))
      put(keeps, beacon.keepsInside ? t('x_keepsRegion') : '')
      keeps.hidden = !beacon.keepsInside
    },
  }
}

const regionPart = (fetchReasons) => (region) => {
  const id = region.identifier
  const state = el('strong', { class: 'state' })
  const time = el('time')
  const long = el('span', { class: 'long' })
  const last = el('p', { class: 'quiet' })
  const past = el('p', { class: 'past', hidden: true })
  const room = el('p', { class: 'room' })
  const battery = el('p', { class: 'battery', hidden: true })
  const none = el('p', { class: 'quiet' }, t('x_noBeacon'))
  const list = el('ul', { class: 'beacons' })
  const spark = sparkline()
  const answer = el('div', { hidden: true })
  const why = el('button', { type: 'button', class: 'why', 'aria-expanded': 'false', 'aria-label': `${t('why')} ${id}`, onclick: () => explain() }, t('why'))
  const node = el(
    'li',
    { class: 'card region' },
    el(
      'div',
      { class: 'head' },
      el('h3', {}, id),
      why,
    ),
    el('p', { class: 'now' }, state, ' ', el('span', { class: 'when' }, time, ' ', long)),
    answer,
    past,
    last,
    room,
    battery,
    list,
    none,
    el('div', { class: 'recent' }, spark.node),
  )
  const beacons = keyed(list, beaconPart)
  let begun = null

  // The reason for the state, and the numbers behind it: fetched when they are asked for.
  let reasons = null
  const explain = async () => {
    const isOpen = answer.hidden
    why.setAttribute('aria-expanded', String(isOpen))
    answer.hidden = !isOpen
    try {
      if (!reasons) answer.replaceChildren((reasons = (await fetchReasons()).reasonsPart()).node)
      reasons.update(region)
    } catch {
      put(answer, t('unreachable'))
    }
  }

  return {
    node,
    /** The stored signal of the last ten minutes. */
    fill(from, means) {
      spark.fill(from, means)
      spark.draw(clock.now())
    },
    /** With a new status; between two of them the user may read and select the text. */
    explain: () => answer.hidden || reasons?.update(region),
    heard(time, rssi) {
      spark.add(time, rssi)
      spark.draw(clock.now())
    },
    tick() {
      put(long, begun ? t('for', duration(clock.now() - begun)) : '')
      spark.draw(clock.now())
    },
    update(latest) {
      region = latest
      node.dataset.state = region.state
      put(state, t(`s_${region.state}`))
      past.hidden = !live.isOut
      put(past, live.isOut ? t('lastKnownAt', since(live.answeredAt, clock.now())) : '')
      begun = region.since && Date.parse(region.since)
      put(time, begun ? t('since', since(begun, clock.now())) : t('neverKnown'))
      if (begun) time.setAttribute('datetime', region.since)
      const known = region.state === 'unknown' && region.lastKnown !== 'unknown'
      put(last, known ? t('lastKnown', t(`s_${region.lastKnown}`)) : '')
      last.hidden = !known
      const house = region.house
      room.hidden = !house
      if (house) {
        const parts = [house.room ? t('room', house.room) : house.state === 'inside' ? t('noRoom') : null]
        if (house.state !== region.state) parts.push(t('houseSays', t(`s_${house.state}`)))
        if (house.waiting?.length) parts.push(t('waiting', house.waiting.join(', ')))
        put(room, parts.filter(Boolean).join(' · '))
        room.hidden = !room.textContent
      }
      const level = region.battery
      battery.hidden = !level
      battery.classList.toggle('bad', !!level?.low)
      put(battery, level ? t(level.low ? 'batteryLow' : 's_battery', plain(level.percent, 0)) : '')
      none.hidden = region.beacons.length > 0
      beacons(region.beacons, (beacon) => `${beacon.sign ?? 0}/${beacon.major}/${beacon.minor}`)
      this.tick()
    },
  }
}

const promptPart = (prompt) => {
  const problem = el('p', { class: 'error', role: 'alert' })
  const answer = async (word) => {
    for (const button of buttons) button.disabled = true
    try {
      await api(`v1/prompts/${encodeURIComponent(prompt.id)}`, { answer: word })
      const outcome = { later: 'answeredLater', never: 'answeredNever' }[word]
      const text = outcome ? t(outcome, prompt.ssid) : promptText('doing', prompt, prompt.ssid)
      if (text) announce(text)
      document.getElementById('main').focus({ preventScroll: true })
      await reload()
    } catch (error) {
      putRich(problem, error.message)
      for (const button of buttons) button.disabled = false
    }
  }
  const buttons = ['join', 'later', 'never'].map((word) =>
    el(
      'button',
      {
        type: 'button',
        class: word === 'join' ? 'main' : '',
        disabled: !session.now?.csrf,
        onclick: () => answer(word),
      },
      word === 'join' ? promptText('yes', prompt) : t(word),
    ),
  )
  const by = el('p', { class: 'quiet' })
  const [welcome, note] = ['welcome', 'note'].map((kind) => promptText(kind, prompt))
  const node = el(
    'li',
    { class: 'card prompt' },
    welcome ? el('h3', {}, welcome) : null,
    el('p', { class: 'question' }, promptText('ask', prompt, prompt.ssid)),
    note ? rich('p', {}, note) : null,
    by,
    el('div', { class: 'buttons' }, buttons),
    problem,
  )
  return { node, update: (prompt) => put(by, promptText('askBy', prompt, prompt.regions.join(', '))) }
}

const outcome = el('p', { class: 'outcome', hidden: true })
let fading = 0
const announce = (text, isBad = false) => {
  putRich(outcome, text)
  outcome.hidden = false
  outcome.classList.toggle('bad', isBad)
  say(text.replaceAll('`', ''))
  clearTimeout(fading)
  if (isBad) return
  fading = setTimeout(() => {
    outcome.hidden = true
  }, 20_000)
}

const wifiText = (wifi) => {
  if (!wifi.managerRunning) return t('s_noNetworkManager')
  if (!wifi.hardwareEnabled) return t('s_hardwareOff')
  if (!wifi.radioEnabled) return t('s_radioOff')
  if (!wifi.device) return t('s_noDevice')
  if (wifi.activating) return t('s_connecting', wifi.device)
  if (!wifi.connectedSSID) return t('s_notConnected', wifi.device)
  const limited = `s_${wifi.limitation}`
  return t(has(limited) ? limited : 's_connected', wifi.connectedSSID, wifi.device)
}

/** The share of the time in which the adapter receives, and why; null for a capture. */
export const scanText = (scan) => {
  if (!scan) return null
  const reason = `scan_${scan.reason}`
  // A daemon of a later version may have other reasons.
  if (!has(reason)) return scan.text
  return t(scan.share < 1 ? 's_scanPart' : 's_scanAll', t(reason), plain(Math.round(scan.share * 100)))
}

const machineRows = (status) => {
  const { bluetooth, wifi } = status
  const isGood = (subject) => !status.findings?.some((one) => one.subject === subject && (one.verdict === 'wrong' || one.alarm))
  const hears = bluetooth.state === 'poweredOn' && bluetooth.listening
  const word = bluetooth.state === 'poweredOn' ? t('notListening') : t(`bt_${bluetooth.state}`)
  const rows = [
    {
      name: t('bluetooth'),
      text: hears ? listed([t('listening', status.source), scanText(bluetooth.scan)].filter(Boolean)) : t('bt_why', word, bluetoothReason(bluetooth)),
      good: isGood('bluetooth'),
    },
    {
      name: t('wifi'),
      text: wifiText(wifi),
      good: wifi.managerRunning && wifi.hardwareEnabled && wifi.radioEnabled && !!wifi.device,
    },
  ]
  if (status.mqtt) rows.push({ name: t('mqtt'), text: reasonText('mqtt', status.mqtt, status.mqtt.broker), good: isGood('mqtt') })
  for (const service of status.services ?? []) {
    const who = service.name ?? service.address
    rows.push({
      name: service.identifier ?? service.service,
      text: service.connected ? t('s_peripheralConnected', who) : t('s_peripheralNotConnected'),
      good: service.connected,
    })
  }
  return rows
}

const machinePart = ({ name }) => {
  const text = el('dd')
  const node = el('div', { class: 'row' }, el('dt', {}, name), text)
  return {
    node,
    update(row) {
      node.classList.toggle('bad', !row.good)
      putRich(text, row.text)
    },
  }
}

/** The headline: which people are at home. What is outdated is unknown. */
export const headline = ({ occupancy, stale }, isCurrent) => {
  const { state, present } = isCurrent && !stale ? occupancy : { state: 'unknown' }
  const names = present?.map(({ region, room }) => (room ? t('homeIn', region, room) : region)) ?? []
  return { state, text: t({ inside: 'homeInside', outside: 'homeOutside', unknown: 'homeUnknown' }[state], listed(names)) }
}

const headlinePart = () => {
  const node = el('p', { class: 'headline', hidden: true })
  const update = () => {
    node.hidden = !live.status?.regions.length
    if (node.hidden) return
    const { state, text } = headline(live.status, !live.isOut)
    node.dataset.state = state
    put(node, text)
  }
  for (const name of ['status', 'outage']) live.addEventListener(name, update)
  update()
  return node
}

/** @param fetchReasons gets the module of the reasons, which is not needed at first */
export const nowView = (fetchReasons) => {
  const prompts = el('ul', { class: 'plain prompts' })
  const regions = el('ul', { class: 'plain grid' })
  const none = el('div', { class: 'card', hidden: true }, el('p', {}, t('noRegions')), el('a', { class: 'button', href: '#setup' }, t('setup')))
  const machine = el('dl', { class: 'card machine' })
  const guestList = el('div')
  const guestButton = el('button', { type: 'button', hidden: true, 'aria-expanded': 'false' }, t('guestsShow'))
  const machineTitle = el('h2', {}, t('machine'))
  const node = el(
    'section',
    { 'aria-labelledby': 'now-title' },
    el('h2', { id: 'now-title', class: 'unseen' }, t('now')),
    headlinePart(),
    prompts,
    outcome,
    guestList,
    el('h2', {}, t('regions')),
    regions,
    none,
    machineTitle,
    machine,
    findingsPart(),
    guestButton,
  )
  const updatePrompts = keyed(prompts, promptPart)
  const updateRegions = keyed(regions, regionPart(fetchReasons))
  const updateMachine = keyed(machine, machinePart)
  let parts = new Map()
  let isShown = false
  let radios = null
  let updateCodes = null

  // The networks for guests: shown while a region that is marked for it is inside, and on request. Only a browser with a login may
  // show them, because the codes contain passphrases.
  let networks = []
  let areGuestsWanted = false
  const updateGuests = () => {
    const inside = (live.status?.regions ?? []).filter(({ state }) => state === 'inside').map(({ identifier }) => identifier)
    const shown = networks.filter(({ regions }) => areGuestsWanted || regions.some((region) => inside.includes(region)))
    guestButton.hidden = networks.length === 0
    if (!updateCodes && shown.length === 0) return
    updateCodes ??= guestsPart(guestList).update
    updateCodes(shown)
  }
  guestButton.onclick = () => {
    areGuestsWanted = !areGuestsWanted
    guestButton.setAttribute('aria-expanded', String(areGuestsWanted))
    updateGuests()
    put(guestButton, t(areGuestsWanted ? 'guestsHide' : 'guestsShow'))
  }
  const fetchNetworks = async () => {
    if (!mayAll()) return
    try {
      networks = (await api('v1/guests')).networks
    } catch {}
    updateGuests()
  }
  // A house with a broker may have several radios.
  const addRadios = () => {
    if (radios || !live.status?.mqtt) return
    radios = radiosPart()
    machineTitle.before(radios.node)
    if (isShown) radios.show()
  }

  // The stored signals of all regions, in one answer.
  const fetchSignals = async () => {
    try {
      const { from, signals } = await api('v1/signals')
      for (const [id, part] of parts) part.fill(Date.parse(from), Object.hasOwn(signals, id) ? signals[id] : [])
    } catch {}
  }

  const update = () => {
    const status = live.status
    if (!status) return
    updatePrompts(status.prompts, (prompt) => prompt.id)
    const isNew = status.regions.some(({ identifier }) => !parts.has(identifier))
    parts = updateRegions(status.regions, (region) => region.identifier)
    if (isNew) fetchSignals()
    none.hidden = status.regions.length > 0
    updateMachine(machineRows(status), (row) => row.name)
    updateGuests()
  }
  live.addEventListener('status', () => {
    update()
    addRadios()
    for (const region of live.status.regions) {
      const part = parts.get(region.identifier)
      const beacon = region.beacons.find((beacon) => beacon.signal != null && beacon.age < 15)
      if (beacon) part?.heard(clock.now() - beacon.age * 1000, beacon.signal)
      part?.explain()
    }
  })
  live.addEventListener('event', ({ detail: event }) => {
    update()
    if (event.event === 'didRangeBeacons' && event.beacons[0]?.rssi < 0) {
      parts.get(event.region)?.heard(Date.parse(event.time), event.beacons[0].rssi)
    }
    if (/^wifi(Join|Action|Access)/.test(event.event)) announce(resultText(event), 'code' in event)
  })
  live.addEventListener('outage', update)
  const ticks = every(1000, () => {
    // The ages are those of the last answer.
    if (live.isOut) return
    for (const region of live.status?.regions ?? []) for (const beacon of region.beacons) beacon.age += 1
    update()
  })
  // What was sent while the page slept is drawn as well.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) fetchSignals()
  })
  update()
  addRadios()
  return {
    node,
    show() {
      isShown = true
      ticks.start()
      fetchNetworks()
      radios?.show()
    },
    hide() {
      isShown = false
      ticks.stop()
      radios?.hide()
    },
  }
}
