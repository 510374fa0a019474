// Set up: the beacons in the air, of which one becomes a region; and the regions there are.
import { api, el, every, keyed, put, putRich, say, session } from './base.js'
import { backupPart } from './backup.js'
import { signalBar } from './chart.js'
import { devicesPart } from './devices.js'
import { editor } from './editor.js'
import { enrollPart } from './enroll.js'
import { live, reload } from './live.js'
import { deviceName, heardText, metresText, signText } from './now.js'
import { receiversPart } from './receivers.js'
import { removePart, revertPart, signPart } from './remove.js'
import { roomPart } from './room.js'
import { plain, t } from './words.js'

const shownAtMost = 20

/** How much louder one must be to be put above another, in dB: else the list would never rest. */
const clearly = 5

const keyOf = (beacon) => `${beacon.uuid}/${beacon.major}/${beacon.minor}`

// The nearest beacon first, by a smoothed signal. The order does not change while the user reads or chooses.
const ranking = (list) => {
  const smooth = new Map()
  let order = []
  return (beacons) => {
    const present = new Map(beacons.map((beacon) => [keyOf(beacon), beacon]))
    for (const key of smooth.keys()) if (!present.has(key)) smooth.delete(key)
    for (const [key, { rssi }] of present) {
      const before = smooth.get(key)
      smooth.set(key, before == null ? (rssi ?? -120) : before + 0.4 * ((rssi ?? -120) - before))
    }
    const isUsed = list.contains(document.activeElement) || list.matches(':hover')
    const added = [...present.keys()]
      .filter((key) => !order.includes(key))
      .sort((a, b) => smooth.get(b) - smooth.get(a))
    order = order.filter((key) => present.has(key))
    if (isUsed) order.push(...added)
    else {
      for (const key of added) {
        const index = order.findIndex((other) => smooth.get(other) < smooth.get(key))
        order.splice(index < 0 ? order.length : index, 0, key)
      }
      for (let index = 1; index < order.length; index++) {
        for (let at = index; at > 0 && smooth.get(order[at]) > smooth.get(order[at - 1]) + clearly; at--) {
          ;[order[at - 1], order[at]] = [order[at], order[at - 1]]
        }
      }
    }
    return order.slice(0, shownAtMost).map((key) => present.get(key))
  }
}

/** The region with the fewest beacons of those that a beacon belongs to. */
const regionOf = ({ regions }) => {
  const meant = live.status?.regions.filter(({ identifier }) => regions.includes(identifier)) ?? []
  const width = ({ major, minor }) => (major == null) + (minor == null)
  return meant.filter(({ signs }) => !signs).sort((a, b) => width(a) - width(b))[0]
}

/** What few people need: the numbers of a beacon. */
const identity = (summary, codes) =>
  el('details', { class: 'identity' }, summary, codes.map((code) => el('code', { class: 'uuid' }, code)))

const airPart = (choose, change) => (beacon) => {
  const name = t('beaconName', beacon.major, beacon.minor)
  const bar = signalBar(t('signalOf', name))
  const [strength, heard, member] = [0, 1, 2].map(() => el('span'))
  const title = el('b')
  member.className = 'tag'
  const button = el(
    'button',
    {
      type: 'button',
      disabled: !session.now?.csrf,
      'aria-label': t('useOf', beacon.major, beacon.minor, beacon.uuid),
      onclick: () => choose(beacon),
    },
    t('use'),
  )
  const changing = el('button', { type: 'button', hidden: true, onclick: () => change(own) }, t('change'))
  let own = null
  const note = el('span', { class: 'quiet small', hidden: true })
  const node = el(
    'li',
    { class: 'beacon choice' },
    bar.node,
    el('span', { class: 'who' }, title, ' ', member, note),
    el('span', { class: 'facts' }, strength, heard),
    el('span', { class: 'choices' }, changing, button),
    identity(el('summary', {}, name), [beacon.uuid]),
  )
  return {
    node,
    update(beacon) {
      bar.set(beacon.rssi)
      put(title, t(beacon.isStrongest ? 'airStrongest' : 'airBeacon', metresText(beacon)))
      put(strength, beacon.rssi == null ? t('noSignal') : t('dBm', plain(beacon.rssi, 0)))
      put(heard, heardText(beacon.age))
      put(member, beacon.regions.length ? t('inRegion', beacon.regions.join(', ')) : '')
      member.hidden = !beacon.regions.length
      const { transmitters, proposedMask } = beacon
      const fields = proposedMask && Object.keys(proposedMask).map((key) => (key === 'uuid' ? 'UUID' : key))
      put(note, fields ? t('airChanging', fields.join(', ')) : transmitters ? t('airShared', transmitters) : '')
      note.hidden = !fields && !transmitters
      own = regionOf(beacon)
      changing.hidden = !own
      changing.disabled = button.disabled
      if (own) changing.setAttribute('aria-label', t('changeOf', own.identifier))
      // A region of this beacon alone is changed; a second one of the same beacon has no use.
      button.hidden = own?.minor != null
    },
  }
}

const ownPart = (change, removed, failed) => (region) => {
  const what = el('summary')
  const saved = el('span', { class: 'tag', hidden: true }, t('savedHere'))
  const beacons = region.signs?.map(signText) ?? [region.uuid]
  const node = el(
    'li',
    { class: 'beacon own' },
    el('span', { class: 'who' }, el('b', {}, region.identifier), ' ', saved),
    identity(what, beacons),
    el(
      'button',
      {
        type: 'button',
        disabled: !session.now?.csrf,
        hidden: !!region.signs,
        'aria-label': t('changeOf', region.identifier),
        onclick: () => change(region),
      },
      t('change'),
    ),
  )
  // A phone that was added on this page has no form, and can be deleted.
  const parts = region.signs && region.saved ? [removePart, revertPart].map((part) => part(region.identifier, removed, failed)) : []
  node.append(...parts.map((part) => part.node))
  const enable = async () => {
    try {
      const from = (await api('v1/configuration')).regions?.find(({ identifier }) => identifier === region.identifier)
      parts[0]?.enable(!from?.fixed)
      parts[1]?.enable(!!from?.changed)
      // Each sign alone.
      from?.signs?.forEach(({ name, fixed }, index) => {
        const sign = region.signs[index]
        if (fixed || !sign) return
        const part = signPart(region.identifier, { name, label: deviceName(sign) }, removed, failed)
        part.enable(true)
        node.append(part.node)
      })
    } catch {}
  }
  if (region.signs && session.now?.csrf) enable()
  return {
    node,
    update(region) {
      const { major, minor } = region
      saved.hidden = !region.saved
      if (region.signs) {
        return putRich(what, t(region.signs.length > 1 ? 'severalSigns' : region.saved ? 'savedPhone' : 'onePhone'))
      }
      put(
        what,
        major == null ? t('whichUUID') : minor == null ? `${t('whichMajor')}: ${major}` : t('beaconName', major, minor),
      )
    },
  }
}

export const setupView = () => {
  const air = el('ul', { class: 'plain air' })
  const none = el('p', { class: 'quiet' }, t('airNone'))
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const own = el('ul', { class: 'plain' })
  const ownProblem = el('p', { class: 'error', role: 'alert', hidden: true })
  const ownCard = el('div', {}, el('h2', {}, t('yours')), el('div', { class: 'card' }, own, ownProblem))
  const phones = enrollPart()
  const devices = devicesPart()
  const backup = backupPart()
  const room = roomPart()
  const receivers = receiversPart()
  const done = el('p', { class: 'outcome', hidden: true })
  const lists = el(
    'div',
    {},
    done,
    el('h2', {}, t('air')),
    el('p', { class: 'lead' }, t('airHow')),
    el('div', { class: 'card' }, air, none, problem),
    ownCard,
    phones.node,
    room.node,
    receivers.node,
    devices.node,
    backup.node,
  )
  const node = el(
    'section',
    { 'aria-labelledby': 'setup-title' },
    el('h2', { id: 'setup-title', class: 'unseen' }, t('setup')),
    lists,
  )

  let open = null
  const leave = (saved) => {
    open = null
    node.replaceChild(lists, node.lastChild)
    done.hidden = !saved
    if (saved) {
      ownProblem.hidden = true
      put(done, saved)
      say(done.textContent)
      reload().catch(() => {})
    }
    document.getElementById('main').focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  const edit = (subject) => {
    open = editor(subject, leave)
    node.replaceChild(open.node, node.lastChild)
    scrollTo(0, 0)
    open.focus()
  }

  const rank = ranking(air)
  const updateAir = keyed(
    air,
    airPart(
      (beacon) => edit({ beacon }),
      (region) => edit({ region }),
    ),
  )
  const updateOwn = keyed(
    own,
    ownPart(
      (region) => edit({ region }),
      (text) => leave(text),
      (text) => {
        putRich(ownProblem, text)
        ownProblem.hidden = !text
      },
    ),
  )
  const regions = () => {
    updateOwn(live.status?.regions ?? [], ({ identifier, uuid, signs, saved }) => JSON.stringify([identifier, uuid, signs?.map(signText), saved]))
    ownCard.hidden = !live.status?.regions.length
  }
  live.addEventListener('status', regions)
  const look = every(1000, async () => {
    try {
      const beacons = await api('v1/beacons')
      problem.hidden = true
      if (open) return open.heard(beacons)
      updateAir(rank(beacons).map((beacon, index) => ({ ...beacon, isStrongest: index === 0 })), keyOf)
      none.hidden = beacons.length > 0
    } catch (error) {
      putRich(problem, error.message)
      problem.hidden = false
    }
  })
  regions()
  return {
    node,
    show() {
      regions()
      phones.show()
      room.load()
      receivers.load()
      devices.load()
      backup.load()
      look.start()
    },
    hide() {
      look.stop()
      phones.hide()
      devices.hide()
      backup.hide()
      open?.stop()
    },
  }
}
