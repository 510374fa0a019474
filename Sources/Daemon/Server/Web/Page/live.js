// The daemon's status and its event stream, kept current; and whether the daemon answers.
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
  'wifiPromptWithdrawn',
  'wifiJoined',
  'wifiJoinFailed',
  'wifiActionCompleted',
  'wifiActionFailed',
  'wifiUnavailable',
  'wifiAccessLimited',
  'peripheralDidConnect',
  'peripheralDidDisconnect',
  'peripheralDidFailToConnect',
  'didDetermineRoom',
]

/** A hidden page closes its stream after this time: a browser has six connections to a host. */
const hiddenFor = 60_000

/** A daemon that has not answered for this time is out: a restart takes less. */
const outAfter = 5000

/** The status is requested at this interval, and at `outAfter` while nothing is received. */
const pollEvery = 15_000

export const live = new EventTarget()
live.status = null
live.connected = false
/** Whether what is shown may be outdated, because the daemon does not answer. */
live.isOut = false
/** The last moment at which the daemon answered, by its own clock. */
live.answeredAt = 0

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
  loading = api('v1/status')
  const mine = loading
  const begun = Date.now()
  // It may be slow, or gone without a notice to the browser.
  const late = setTimeout(() => unanswered(begun), outAfter)
  const before = applied
  try {
    const status = await mine
    if (!isOn) return
    clock.set(status.time)
    setOffsets(status)
    // It may have been made before an event that is shown by now: then it is asked for once more.
    outrun = applied === before ? 0 : outrun + 1
    if (outrun > 0 && outrun < 4) {
      received()
      return reloadSoon(0)
    }
    const isNews =
      live.status &&
      status.regions.some(({ identifier, state }) =>
        live.status.regions.some((known) => known.identifier === identifier && known.state !== state),
      )
    // The stream should have had it, before this or at once: one that does not is dead, although the browser keeps it open.
    if (isNews) setTimeout(() => isOn && source && applied === before && listen(), 3000)
    live.status = status
    loadedAt = Date.now()
    back()
    reachable(source?.readyState === EventSource.OPEN)
    news('status')
  } catch (error) {
    if (error.status !== 401) {
      reachable(false)
      unanswered(begun)
    }
    throw error
  } finally {
    clearTimeout(late)
    if (loading === mine) loading = null
  }
}

const reachable = (is) => {
  if (live.connected === is) return
  live.connected = is
  news('link')
}

let loadedAt = 0
let receivedAt = 0
let shownAt = 0
let failingSince = null
let outTimer = 0
const received = () => {
  receivedAt = Date.now()
  live.answeredAt = clock.now()
  if (live.isOut) return
  failingSince = null
  clearTimeout(outTimer)
}
// The daemon is out from `outAfter` after the first failure on, until there is a new status.
const unanswered = (since) => {
  if (!isOn || !live.status || live.isOut || document.hidden || failingSince != null) return
  // No request is late because the browser slept.
  failingSince = Math.max(since, shownAt)
  outTimer = setTimeout(
    () => {
      if (!isOn || failingSince == null) return
      live.isOut = true
      news('outage')
    },
    failingSince + outAfter - Date.now(),
  )
}
const back = () => {
  const wasOut = live.isOut
  live.isOut = false
  received()
  if (!wasOut) return
  if (isOn && source?.readyState === EventSource.CLOSED) listen()
  news('outage')
}

let soon = 0
const reloadSoon = (after = 250) => {
  clearTimeout(soon)
  soon = setTimeout(() => reload().catch(() => {}), after)
}

// Each event changes what is shown at once; the status that is asked for then has the rest.
const apply = (event) => {
  // The first status is on its way, and is requested again if it may be older than the event.
  if (!live.status) {
    if (event.event !== 'didRangeBeacons') applied += 1
    return
  }
  const region = live.status.regions.find((region) => region.identifier === event.region)
  if (event.region && !region) return reloadSoon(0)
  const judged = event.scope === 'house' ? region?.house : region
  if (event.event === 'didRangeBeacons') {
    for (const beacon of event.beacons) {
      const known = region.beacons.find((one) => one.major === beacon.major && one.minor === beacon.minor)
      if (!known) reloadSoon()
      // Zero: nothing was received since the last event, and the values from before stay.
      else if (beacon.rssi) {
        const { rssi: signal, accuracy, proximity } = beacon
        Object.assign(known, { signal, accuracy, proximity, age: 0 })
      }
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
  if (event.event === 'bluetoothStateDidUpdate') {
    Object.assign(live.status.bluetooth, { state: event.state, adapter: event.adapter, code: event.code, reason: event.reason })
  }
  reloadSoon()
}

let source = null
let retry = 0
let delay = 1000

/** A status is requested without the stream after this time: a proxy may hold its beginning back. */
const streamWithin = 1000

/** Opens the stream. Returns a promise that is kept when the stream is open or has failed, and the status is requested. */
const listen = () => {
  clearTimeout(retry)
  source?.close()
  const stream = new EventSource('v1/events')
  source = stream
  // Also when the browser has connected anew, with Last-Event-ID: what it missed comes, and the status is asked for.
  stream.onopen = () => {
    delay = 1000
    received()
    reachable(true)
    reload().catch(() => {})
  }
  stream.onerror = () => {
    if (stream !== source) return
    reachable(false)
    // Whether the daemon has gone, too, the status shows.
    reload().catch(() => {})
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
      received()
      apply(event)
      news('event', event)
    })
  }
  // These listeners come last: the status is requested by then.
  return new Promise((done) => {
    for (const name of ['open', 'error']) stream.addEventListener(name, done, { once: true })
    setTimeout(done, streamWithin)
  })
}

// The status shows whether the session is still valid; an event stream cannot.
const resume = () =>
  reload().then(listen, (error) => {
    if (error.status === 401) return
    retry = setTimeout(resume, delay)
    delay = Math.min(delay * 2, 30_000)
  })

const poll = every(outAfter, () => {
  const isSilent = live.isOut || failingSince != null || Date.now() - receivedAt > outAfter - 1000
  if (isSilent || Date.now() - loadedAt >= pollEvery) return reload()
})
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
  shownAt = Date.now()
  // A phone that slept has run no timer, and its stream may be dead without a notice.
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
  // The stream comes first: no event is missed between the status and the stream, so that one status is enough.
  await listen()
  await (loading ?? reload())
  poll.start()
}

const halt = () => {
  isOn = false
  clearTimeout(retry)
  clearTimeout(soon)
  source?.close()
  source = null
  poll.stop()
}

export const stop = () => {
  halt()
  back()
}

/** Stops, and marks what is shown as outdated until the next start. */
export const pause = () => {
  halt()
  clearTimeout(outTimer)
  failingSince = null
  if (live.isOut) return
  live.isOut = true
  news('outage')
}

/** Whether a region is inside only while a sign of it is near: each sign has thresholds of its own. */
export const isLimited = (name) => {
  const region = live.status?.regions.find(({ identifier }) => identifier === name)
  return [region, ...(region?.signs ?? [])].some((one) => one?.enterRSSI != null || one?.exitRSSI != null)
}
