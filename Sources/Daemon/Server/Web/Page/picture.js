// A day's picture, and looking closer at a part of it: by dragging, by the keyboard, by buttons.
import { api, clock, el, putRich, say } from './base.js'
import { longDay, t, timeOfDay } from './words.js'

const shortest = 5 * 60_000

/** Where the time axis begins and ends within the picture, of its whole width: the daemon draws it so. */
const axis = { left: 64 / 960, right: 928 / 960 }

/** The beginning of a day such as `2026-11-21`, or of one some days later, by this machine's time zone. */
export const midnight = (day, days = 0) => {
  const [year, month, date] = day.split('-').map(Number)
  return new Date(year, month - 1, date + days)
}

/** A part of a day: `day`, and `from` and `to` in milliseconds since 1970. */
export const partQuery = ({ from, to }) =>
  `?from=${encodeURIComponent(new Date(from).toISOString())}&to=${encodeURIComponent(new Date(to).toISOString())}`

/** @param changed called with the part that is shown from now on */
export const dayPicture = (changed) => {
  let part = { day: '', from: 0, to: 0, isWhole: true }
  const image = el('img', { alt: '', draggable: 'false' })
  const band = el('span', { class: 'band', hidden: true })
  const stage = el(
    'div',
    { class: 'stage', role: 'group', tabindex: 0, 'aria-describedby': 'picture-keys' },
    image,
    band,
  )
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const tools = [
    ['zoomIn', '+', () => zoom(1 / 2)],
    ['zoomOut', '−', () => zoom(2)],
    ['earlier', '‹', () => move(-1 / 2)],
    ['laterTime', '›', () => move(1 / 2)],
    ['wholeDay', '', () => whole()],
  ].map(([name, sign, work]) =>
    el(
      'button',
      { type: 'button', onclick: work },
      sign && el('span', { 'aria-hidden': 'true' }, sign),
      el('span', { class: sign && 'word' }, t(name)),
    ),
  )

  image.onload = () => {
    problem.hidden = true
    stage.classList.remove('busy')
  }
  image.onerror = async () => {
    stage.classList.remove('busy')
    let why = ''
    try {
      await api(image.getAttribute('src'))
    } catch (error) {
      why = error.message
    }
    putRich(problem, t('noPicture', why))
    problem.hidden = false
  }

  const load = () => {
    image.alt = t('picture', longDay(midnight(part.day)))
    stage.setAttribute('aria-label', image.alt)
    stage.classList.add('busy')
    // `seen` only keeps the browser from showing an older picture of the same time.
    image.src = `/v1/days/${part.day}.svg${part.isWhole ? '?' : `${partQuery(part)}&`}seen=${Date.now()}`
    tools.forEach((tool, index) => {
      tool.disabled = index === 0 ? part.to - part.from <= shortest : part.isWhole
    })
  }
  const look = (begin, end) => {
    const [first, last] = [+midnight(part.day), +midnight(part.day, 1)]
    const length = Math.min(Math.max(end - begin, shortest), last - first)
    const from = Math.round(Math.min(Math.max(begin, first), last - length))
    const to = Math.round(from + length)
    part = { day: part.day, from, to, isWhole: from === first && to === last }
    say(t('shown', timeOfDay(from), timeOfDay(to)))
    load()
    changed(part)
  }
  const middle = () => (part.from + part.to) / 2
  const zoom = (factor, at = middle()) => look(at - (at - part.from) * factor, at + (part.to - at) * factor)
  const move = (share) => {
    const by = (part.to - part.from) * share
    look(part.from + by, part.to + by)
  }
  const whole = () => look(+midnight(part.day), +midnight(part.day, 1))

  // By the keyboard.
  stage.addEventListener('keydown', (event) => {
    const work = {
      '+': () => zoom(1 / 2),
      '=': () => zoom(1 / 2),
      '-': () => zoom(2),
      ArrowLeft: () => move(-1 / 4),
      ArrowRight: () => move(1 / 4),
      0: whole,
      Escape: whole,
    }[event.key]
    if (!work || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    work()
  })

  // By dragging; a finger moves the picture instead, and a double tap looks closer.
  const timeAt = (clientX) => {
    const box = image.getBoundingClientRect()
    const share = ((clientX - box.left) / box.width - axis.left) / (axis.right - axis.left)
    return part.from + Math.min(1, Math.max(0, share)) * (part.to - part.from)
  }
  let start = null
  const mark = (clientX) => {
    const box = image.getBoundingClientRect()
    const [a, b] = [start, Math.min(Math.max(clientX, box.left), box.right)].sort((x, y) => x - y)
    band.style.left = `${a - box.left}px`
    band.style.width = `${b - a}px`
  }
  stage.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' || event.button !== 0) return
    start = event.clientX
    stage.setPointerCapture(event.pointerId)
    mark(start)
    band.hidden = false
  })
  stage.addEventListener('pointermove', (event) => start != null && mark(event.clientX))
  const end = (event) => {
    if (start == null) return
    const [a, b] = [start, event.clientX].sort((x, y) => x - y)
    start = null
    band.hidden = true
    if (event.type === 'pointerup' && b - a > 8) look(timeAt(a), timeAt(b))
  }
  stage.addEventListener('pointerup', end)
  stage.addEventListener('pointercancel', end)
  stage.addEventListener('dblclick', (event) => zoom(1 / 4, timeAt(event.clientX)))

  return {
    nodes: [
      el('div', { class: 'scroll' }, stage),
      problem,
      el('div', { class: 'toolbar zoom' }, tools),
      el('p', { id: 'picture-keys', class: 'quiet small' }, t('pictureKeys')),
    ],
    load,
    /** The whole of a day. Where it is wider than the screen, what is now is seen first. */
    show(day) {
      part = { day, from: +midnight(day), to: +midnight(day, 1), isWhole: true }
      load()
      changed(part)
      const share = Math.min(1, Math.max(0, (clock.now() - part.from) / (part.to - part.from)))
      const scroll = stage.parentElement
      scroll.scrollLeft = (axis.left + share * (axis.right - axis.left)) * stage.clientWidth - scroll.clientWidth * 0.8
    },
  }
}
