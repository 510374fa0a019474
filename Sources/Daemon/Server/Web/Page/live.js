// What the daemon says, kept current: its status, and its event stream.
import { api, clock, every } from './base.js'
import { setOffsets } from './zone.js'

const events = [
  'didStartMonitoring',
  'didDetermineState',
  'didEnterRegion',
  'didExitRegion',
  'didRangeBeacons',
  'monitoringDidFail',
  'rangingBeaconsDidFail',
  'bluetoothStateDidUpdate',
  'wifiPrompt',
  'wifiPromptAnswered',
  'wifiJoined',
  'wifiJoinFailed',
  'wifiAccessLimited',
  'peripheralDidConnect',
  'peripheralDidDisconnect',
  'didDetermineRoom',
]

/** A hidden page closes its stream after this time: a browser has six connections to a host. */
const hiddenFor = 60_000

export const live = new EventTarget()
live.status = null
live.connected = false

const news = (name, detail) => live.dispatchEvent(new CustomEvent(name, { detail }))

let loading = null
let applied = 0
let outrun = 0
/** Requests the status. Calls during a request share the next one. */
export const reload = async () => {
  if (loading) {
    loading.next ??= loading.then(reload, reload)
    return loading.next
  }
  loading = api('/v1/status')
  const mine = loading
  const before = applied
  try {
    const status = await mine
    if (!isOn) return
    // It may have been made before an event that is shown by now: then it is asked for once more.
    outrun = applied === before ? 0 : outrun + 1
    if (outrun > 0 && outrun < 4) return reloadSoon(0)
    const isNews =
      live.status &&
      status.regions.some(({ identifier, state }) =>
        live.status.regions.some((known) => known.identifier === identifier && known.state !== state),
      )
    // The stream should have said so, before this or at once: one that does not is dead, whatever the browser believes.
    if (isNews) setTimeout(() => isOn && source && applied === before && listen(), 3000)
    live.status = status
    clock.set(status.time)
    setOffsets(status)
    reachable(source?.readyState === EventSource.OPEN)
    news('status')
  } catch (error) {
    if (error.status !== 401) reachable(false)
    throw error
  } finally {
    if (loading === mine) loading = null
  }
}

const reachable = (is) => {
  if (live.connected === is) return
  live.connected = is
  news('link')
}

let soon = 0
const reloadSoon = (after = 250) => {
  clearTimeout(soon)
  soon = setTimeout(() => reload().catch(() => {}), after)
}

// Each event changes what is shown at once; the status that is asked for then has the rest.
const apply = (event) => {
  const region = live.status?.regions.find((region) => region.identifier === event.region)
  if (event.region && !region) return reloadSoon(0)
  const judged = event.scope === 'house' ? region?.house : region
  if (event.event === 'didRangeBeacons') {
    for (const beacon of event.beacons) {
      const known = region.beacons.find((one) => one.major === beacon.major && one.minor === beacon.minor)
      if (!known) reloadSoon()
      else
        Object.assign(known, {
          // Zero is CoreLocation's word for unknown.
          signal: beacon.rssi || null,
          accuracy: beacon.accuracy,
          proximity: beacon.proximity,
          age: 0,
        })
    }
    return
  }
  applied += 1
  if (judged && event.state && judged.state !== event.state) {
    judged.state = event.state
    judged.since = event.time
    if (event.state !== 'unknown') judged.lastKnown = event.state
  }
  if (judged && event.room !== undefined) judged.room = event.room
  if (event.event === 'bluetoothStateDidUpdate' && live.status) {
    Object.assign(live.status.bluetooth, { state: event.state, adapter: event.adapter, reason: event.reason })
  }
  reloadSoon()
}

let source = null
let retry = 0
let delay = 1000

const listen = () => {
  clearTimeout(retry)
  source?.close()
  const stream = new EventSource('/v1/events')
  source = stream
  // Also when the browser has connected anew, with Last-Event-ID: what it missed comes, and the status is asked for.
  stream.onopen = () => {
    delay = 1000
    reachable(true)
    reload().catch(() => {})
  }
  stream.onerror = () => {
    if (stream !== source) return
    reachable(false)
    if (stream.readyState !== EventSource.CLOSED) return
    retry = setTimeout(resume, delay)
    delay = Math.min(delay * 2, 30_000)
  }
  stream.addEventListener('lost', () => {
    news('lost')
    reload().catch(() => {})
  })
  for (const name of events) {
    stream.addEventListener(name, ({ data }) => {
      const event = JSON.parse(data)
      apply(event)
      news('event', event)
    })
  }
}

// Whether one is still logged in says the status: an event stream cannot.
const resume = () =>
  reload().then(listen, (error) => {
    if (error.status === 401) return
    retry = setTimeout(resume, delay)
    delay = Math.min(delay * 2, 30_000)
  })

const poll = every(15_000, () => reload())
let letGo = 0
let hiddenAt = 0
let isOn = false

document.addEventListener('visibilitychange', () => {
  clearTimeout(letGo)
  if (!isOn) return
  if (document.hidden) {
    hiddenAt = Date.now()
    letGo = setTimeout(() => source?.close(), hiddenFor)
    return
  }
  // A phone that slept has run no timer, and its stream may be dead without a word.
  const isFresh = Date.now() - hiddenAt < hiddenFor && source && source.readyState !== EventSource.CLOSED
  if (isFresh) reload().catch(() => {})
  else resume()
})
// A browser may keep a page that was left, with its stream. Six of them would take all connections to this host. A page that
// is shown again resumes when it becomes visible.
addEventListener('pagehide', () => source?.close())
addEventListener('online', () => isOn && resume())

export const start = async () => {
  isOn = true
  await reload()
  listen()
  poll.start()
}

export const stop = () => {
  isOn = false
  clearTimeout(retry)
  clearTimeout(soon)
  source?.close()
  source = null
  poll.stop()
}
