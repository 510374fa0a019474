// Days: a day's picture, and what happened on it.
import { api, clock, el, put } from './base.js'
import { happenedPart, shownEvents } from './happened.js'
import { live } from './live.js'
import { dayPicture, partQuery } from './picture.js'
import { longDay, t, timeOfDay } from './words.js'
import { dayOf, midnight, setAllOffsets } from './zone.js'

/** The present day. */
const today = () => dayOf(clock.now())

/** The part of a day in which something happened, for a screen without space for the whole; of today until now. */
const eventful = async (day) => {
  const part = { from: midnight(day), to: midnight(day, 1) }
  try {
    const { events, more } = await api(`v1/history${partQuery(part)}`)
    const times = shownEvents(events).map(([event]) => Date.parse(event.time))
    if (!times.length) return undefined
    if (more) times.push(part.to)
    if (day === today()) times.push(clock.now())
    const [first, last] = [Math.min(...times), Math.max(...times)]
    const margin = Math.max(600_000, (last - first) / 20)
    return { from: first - margin, to: last + margin }
  } catch {
    return undefined
  }
}

export const daysView = () => {
  let day = today()
  let shown = null
  let bounds = null
  let isShown = false

  const range = el('p', { class: 'range', role: 'status' })
  const happened = happenedPart()
  const picture = dayPicture((part) => {
    shown = part
    const name = longDay(midnight(day))
    put(range, part.isWhole ? name : t('dayPart', name, t('shown', timeOfDay(part.from), timeOfDay(part.to))))
    happened.load(part)
  })

  const choose = () => picker.value && go(picker.value)
  const picker = el('input', { type: 'date', id: 'date', required: true, onchange: choose })
  const step = (days) => () => go(dayOf(midnight(day, days)))
  const before = el('button', { type: 'button', 'aria-label': t('dayBefore'), onclick: step(-1) }, '‹')
  const after = el('button', { type: 'button', 'aria-label': t('dayAfter'), onclick: step(1) }, '›')
  const back = el('button', { type: 'button', onclick: () => go(today()) }, t('today'))
  const go = async (wanted) => {
    day = wanted
    const last = today()
    picker.value = day
    picker.min = bounds?.first ?? ''
    picker.max = bounds?.last > last ? bounds.last : last
    before.disabled = !!picker.min && day <= picker.min
    after.disabled = day >= picker.max
    back.hidden = day === last
    const part = picture.isNarrow() ? await eventful(wanted) : undefined
    // The user may have chosen another day meanwhile.
    if (day !== wanted) return
    const former = bounds?.former?.filter(({ first, last }) => first <= day && day <= last) ?? []
    picture.show(day, former.map(({ identifier }) => identifier), part)
  }

  // What happens today comes into the picture.
  let soon = 0
  const refresh = () => {
    if (!isShown || document.hidden || !shown) return
    if (shown.isInitial && !shown.isWhole && day === today()) return go(day)
    if (clock.now() > shown.to + 60_000) return
    picture.load()
    happened.load(shown)
  }
  live.addEventListener('event', ({ detail: event }) => {
    const time = Date.parse(event.time)
    if (!isShown || !shown || event.event === 'didRangeBeacons') return
    if (time < shown.from || (time > shown.to && !shown.isInitial)) return
    clearTimeout(soon)
    soon = setTimeout(refresh, 1000)
  })
  document.addEventListener('visibilitychange', refresh)

  const label = el('label', { for: 'date', class: 'unseen' }, t('day'))
  const node = el(
    'section',
    { 'aria-labelledby': 'days-title' },
    el('h2', { id: 'days-title', class: 'unseen' }, t('days')),
    el(
      'div',
      { class: 'card' },
      el('div', { class: 'toolbar' }, label, before, picker, after, back),
      range,
      picture.nodes,
    ),
    el('h2', {}, t('happened')),
    happened.node,
  )
  return {
    node,
    async show() {
      try {
        bounds = await api('v1/days')
        setAllOffsets(bounds.offsets)
      } catch {}
      isShown = true
      await go(day)
    },
    hide() {
      isShown = false
    },
  }
}
