// A day's picture, and looking closer at a part of it: by dragging, by the keyboard, by buttons.
import { api, el, put, putRich, say } from './base.js'
import { language, listed, longDay, t, timeOfDay } from './words.js'
import { midnight } from './zone.js'

const shortest = 5 * 60_000

/** Pictures of fewer pixels are narrow, and begin with what happened instead of the whole day. */
const narrow = 640

/** The maximum number of former regions whose names are shown. */
const mostNames = 8

/** The begin and the end of the time axis within a picture, as `Layout` of the daemon has them. */
const axis = (width) => (width < narrow ? { left: 40, right: width - 12 } : { left: 64, right: width - 32 })

/** A part of a day: `day`, and `from` and `to` in milliseconds since 1970. */
export const partQuery = ({ from, to }) =>
  `?from=${encodeURIComponent(new Date(from).toISOString())}&to=${encodeURIComponent(new Date(to).toISOString())}`

/** @param changed called with the part that is shown from now on; `isInitial`: the user has not chosen it */
export const dayPicture = (changed) => {
  let part = { day: '', from: 0, to: 0, isWhole: true, isInitial: true }
  let drawn = 0
  // A narrow screen begins with the bars.
  let hasSignals = false
  const image = el('img', { alt: '', draggable: 'false' })
  const band = el('span', { class: 'band', hidden: true })
  const stage = el(
    'div',
    { class: 'stage', role: 'group', tabindex: 0, 'aria-describedby': 'picture-keys' },
    image,
    band,
  )
  const frame = el('div', { class: 'frame' }, stage)
  const width = () => Math.min(960, Math.max(280, frame.clientWidth || 960))
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const isNarrow = () => width() < narrow
  const fold = () => {
    hasSignals = !hasSignals
    signals.setAttribute('aria-expanded', String(hasSignals))
    put(signals, t(hasSignals ? 'signalsHide' : 'signalsShow'))
    load()
  }
  const signals = el('button', { type: 'button', class: 'signals', 'aria-expanded': 'false', onclick: fold }, t('signalsShow'))
  // The regions that were renamed or deleted. Their picture is drawn when it is looked at.
  const formerNames = el('summary')
  const formerImage = el('img')
  const former = el('details', { class: 'former', hidden: true, ontoggle: () => former.open && load() }, formerNames, el('div', { class: 'frame' }, formerImage))
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
    drawn = width()
    // `seen` only keeps the browser from showing an older picture of the same time.
    const rest = `lang=${language}&width=${drawn}&signals=${hasSignals || !isNarrow()}&seen=${Date.now()}`
    const source = (regions) => `v1/days/${part.day}.svg${part.isWhole ? '?' : `${partQuery(part)}&`}regions=${regions}&${rest}`
    image.src = source('configured')
    signals.hidden = !isNarrow()
    if (former.open && !former.hidden) {
      formerImage.alt = t('formerOf', longDay(midnight(part.day)))
      formerImage.src = source('former')
    }
    tools.forEach((tool, index) => {
      tool.disabled = index === 0 ? part.to - part.from <= shortest : part.isWhole
    })
  }
  const look = (begin, end, isInitial = false) => {
    const [first, last] = [midnight(part.day), midnight(part.day, 1)]
    const length = Math.min(Math.max(end - begin, shortest), last - first)
    const from = Math.round(Math.min(Math.max(begin, first), last - length))
    const to = Math.round(from + length)
    part = { day: part.day, from, to, isWhole: from === first && to === last, isInitial }
    if (!isInitial) say(t('shown', timeOfDay(from), timeOfDay(to)))
    load()
    changed(part)
  }
  const middle = () => (part.from + part.to) / 2
  const zoom = (factor, at = middle()) => look(at - (at - part.from) * factor, at + (part.to - at) * factor)
  const move = (share) => {
    const by = (part.to - part.from) * share
    look(part.from + by, part.to + by)
  }
  const whole = () => look(midnight(part.day), midnight(part.day, 1))

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
  const timeOf = (pixels) => {
    const box = image.getBoundingClientRect()
    const { left, right } = axis(drawn)
    const share = ((pixels * drawn) / box.width - left) / (right - left)
    return part.from + share * (part.to - part.from)
  }
  const timeAt = (clientX) => Math.min(part.to, Math.max(part.from, timeOf(clientX - image.getBoundingClientRect().left)))
  let start = null
  const mark = (clientX) => {
    const box = image.getBoundingClientRect()
    const [a, b] = [start, Math.min(Math.max(clientX, box.left), box.right)].sort((x, y) => x - y)
    band.style.left = `${a - box.left}px`
    band.style.width = `${b - a}px`
  }
  let touched = null
  stage.addEventListener('pointerdown', (event) => {
    touched = event.pointerType === 'touch' && event.isPrimary ? event.clientX : null
    if (event.pointerType === 'touch' || event.button !== 0) return
    start = event.clientX
    stage.setPointerCapture(event.pointerId)
    mark(start)
    band.hidden = false
  })
  stage.addEventListener('pointermove', (event) => start != null && mark(event.clientX))
  const end = (event) => {
    const moved = touched == null || event.type !== 'pointerup' ? 0 : event.clientX - touched
    touched = null
    if (Math.abs(moved) > 24) {
      const by = timeOf(0) - timeOf(moved)
      return look(part.from + by, part.to + by)
    }
    if (start == null) return
    const [a, b] = [start, event.clientX].sort((x, y) => x - y)
    start = null
    band.hidden = true
    if (event.type === 'pointerup' && b - a > 8) look(timeAt(a), timeAt(b))
  }
  stage.addEventListener('pointerup', end)
  stage.addEventListener('pointercancel', end)
  stage.addEventListener('dblclick', (event) => zoom(1 / 4, timeAt(event.clientX)))

  let soon = 0
  new ResizeObserver(() => {
    clearTimeout(soon)
    if (part.day && frame.clientWidth && Math.abs(width() - drawn) >= 8) soon = setTimeout(load, 200)
  }).observe(frame)

  return {
    nodes: [
      frame,
      problem,
      signals,
      former,
      el('div', { class: 'toolbar zoom' }, tools),
      el('p', { id: 'picture-keys', class: 'quiet small' }, t('pictureKeys')),
    ],
    isNarrow,
    load,
    /** A day, or a part of it: `from` and `to` in milliseconds. `names`: the former regions of the day. */
    show(day, names, { from, to } = { from: midnight(day), to: midnight(day, 1) }) {
      part.day = day
      former.hidden = !names.length
      put(formerNames, t('former', `${listed(names.slice(0, mostNames))}${names.length > mostNames ? ' …' : ''}`))
      look(from, to, true)
    },
  }
}
