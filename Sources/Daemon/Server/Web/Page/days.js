// Days: a day's picture, what happened on it, and what counts as gone.
import { api, clock, el, field, put } from './base.js'
import { explanation } from './explain.js'
import { happenedPart } from './happened.js'
import { live } from './live.js'
import { dayPicture, midnight } from './picture.js'
import { longDay, t, timeOfDay } from './words.js'

const two = (number) => String(number).padStart(2, '0')
const dateText = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

/** The present day at the daemon, by this machine's time zone. */
const today = () => dateText(new Date(clock.now()))

/** One region's explanation, and which one. */
const explainPart = () => {
  const select = el('select', { id: 'explained', onchange: () => show() })
  const words = el('div', { class: 'words' })
  let known = ''
  const show = (wanted = select.value) => {
    const regions = live.status?.regions ?? []
    const names = regions.map((region) => region.identifier)
    if (JSON.stringify(names) !== known) {
      known = JSON.stringify(names)
      select.replaceChildren(...names.map((name) => el('option', { value: name }, name)))
    }
    if (names.includes(wanted)) select.value = wanted
    const region = regions.find(({ identifier }) => identifier === select.value)
    words.replaceChildren(...(region ? explanation(region) : [el('p', { class: 'quiet' }, t('noRegions'))]))
  }
  return {
    node: el('div', { class: 'card' }, field('explained', t('region'), select), words),
    show,
  }
}

export const daysView = () => {
  let day = today()
  let shown = null
  let bounds = null
  let isShown = false

  const range = el('p', { class: 'range', role: 'status' })
  const happened = happenedPart()
  const explained = explainPart()
  const picture = dayPicture((part) => {
    shown = part
    const name = longDay(midnight(day))
    put(range, part.isWhole ? name : `${name}, ${t('shown', timeOfDay(part.from), timeOfDay(part.to))}`)
    happened.load(part)
  })

  const choose = () => picker.value && go(picker.value)
  const picker = el('input', { type: 'date', id: 'date', required: true, onchange: choose })
  const step = (days) => () => go(dateText(midnight(day, days)))
  const before = el('button', { type: 'button', 'aria-label': t('dayBefore'), onclick: step(-1) }, '‹')
  const after = el('button', { type: 'button', 'aria-label': t('dayAfter'), onclick: step(1) }, '›')
  const back = el('button', { type: 'button', onclick: () => go(today()) }, t('today'))
  const go = (wanted) => {
    day = wanted
    const last = today()
    picker.value = day
    picker.min = bounds?.first ?? ''
    picker.max = bounds?.last > last ? bounds.last : last
    before.disabled = !!picker.min && day <= picker.min
    after.disabled = day >= picker.max
    back.hidden = day === last
    picture.show(day)
  }

  // What happens today comes into the picture.
  let soon = 0
  const refresh = () => {
    if (!isShown || document.hidden || clock.now() > shown.to + 60_000) return
    picture.load()
    happened.load(shown)
  }
  live.addEventListener('event', ({ detail: event }) => {
    const time = Date.parse(event.time)
    if (!isShown || event.event === 'didRangeBeacons' || time < shown.from || time > shown.to) return
    clearTimeout(soon)
    soon = setTimeout(refresh, 1000)
  })
  document.addEventListener('visibilitychange', refresh)
  live.addEventListener('status', () => isShown && explained.show())

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
    el('h2', { id: 'explain-title' }, t('explain')),
    explained.node,
  )
  return {
    node,
    async show(region) {
      explained.show(region)
      if (region) requestAnimationFrame(() => document.getElementById('explain-title').scrollIntoView())
      try {
        bounds = await api('/v1/days')
      } catch {}
      go(day)
      isShown = true
    },
    hide() {
      isShown = false
    },
  }
}
