// A phone becomes a beacon: the steps of its pairing, the question whether digits match, and the result.
import { api, el, every, field, put, putRich, say, session } from './base.js'
import { isLimited, live, reload } from './live.js'
import { plain, t } from './words.js'

/** The states in which the enrollment goes on. */
const running = ['preparing', 'advertising', 'pairing', 'settling', 'writing', 'ending']

/** For so many seconds the daemon's count of receptions is shown. */
const counted = 600

const kinds = ['iphone', 'watch', 'android']
const profiles = ['heart-rate', 'keyboard']

const choice = (id, names, prefix) =>
  el(
    'select',
    { id },
    names.map((name) => el('option', { value: name }, t(`${prefix}_${name}`))),
  )

const deviceName = ({ device, address }) => (device ? t('phoneDevice', device, address) : t('phoneUnnamed', address))

const receptionText = ({ count, rssi, seconds }) => {
  if (count) return t(seconds < counted ? 'phoneReceived' : 'phoneCounted', rssi == null ? t('noSignal') : t('dBm', plain(rssi, 0)), count)
  return seconds < counted ? t('phoneAwaited', Math.ceil((counted - seconds) / 60)) : t('phoneSilentNow')
}

const resultText = ({ state, name, problem, reason, reception }) =>
  state === 'done'
    ? `${t('phoneDone', name)} ${receptionText(reception)}`
    : ['bluetooth', 'notWritten'].includes(problem)
      ? t(`phone_${problem}`, reason)
      : t(`phone_${problem}`)

export const enrollPart = () => {
  const name = el('input', {
    id: 'phone-name',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: 64,
    'aria-describedby': 'phone-name-hint',
  })
  const kind = choice('phone-kind', kinds, 'kind')
  const profile = choice('phone-as', profiles, 'as')
  const region = el('select', { id: 'phone-region' }, el('option', { value: '' }, t('phoneNew')))
  const limited = el('p', { class: 'quiet', hidden: true })
  region.addEventListener('change', () => {
    limited.hidden = !isLimited(region.value)
    putRich(limited, t('phoneNear', region.value))
  })
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const failed = (text) => {
    putRich(problem, text)
    problem.hidden = !text
  }
  const start = el('button', {}, t('phoneStart'))
  const status = el('p', { role: 'status' })
  // Not read out each second.
  const left = el('span', { class: 'countdown', 'aria-hidden': 'true' })
  const step = el('p')
  const asked = el('p')
  const agree = el('button', { type: 'button', class: 'main', onclick: () => answer(true) })
  const differ = el('button', { type: 'button', onclick: () => answer(false) })
  const question = el(
    'div',
    { class: 'question', role: 'group', 'aria-label': t('phoneQuestion'), hidden: true },
    asked,
    el('div', { class: 'buttons' }, agree, differ),
  )
  const cancel = el('button', { type: 'button', onclick: () => send(undefined, { method: 'DELETE' }) }, t('cancel'))
  const progress = el('div', { class: 'progress', hidden: true }, status, step, question, el('div', { class: 'buttons' }, cancel, left))
  const result = el('p', { class: 'outcome', role: 'status' })
  const again = el('button', { type: 'button', onclick: () => send(undefined, { method: 'DELETE' }) }, t('phoneAgain'))
  const end = el('div', { hidden: true }, result, el('div', { class: 'buttons' }, again))
  const form = el(
    'form',
    { novalidate: true, onsubmit: (event) => submit(event) },
    field('phone-name', t('phonePerson'), name, t('phonePersonHint')),
    field('phone-region', t('phoneRegion'), region),
    limited,
    field('phone-kind', t('phoneKind'), kind),
    field('phone-as', t('phoneAs'), profile),
    el('div', { class: 'buttons' }, start),
  )
  const unavailable = el('p', { class: 'quiet' })
  const card = el('div', { class: 'card', hidden: true }, el('p', { class: 'quiet' }, t('phoneHonest')), form, progress, end)
  const unfold = (is) => {
    card.hidden = !is
    opener.setAttribute('aria-expanded', String(is))
  }
  const toggle = () => {
    unfold(card.hidden)
    if (!card.hidden) name.focus()
  }
  const opener = el('button', { type: 'button', 'aria-expanded': 'false', hidden: true, onclick: toggle }, t('phoneBegin'))
  const node = el(
    'div',
    { class: 'enroll', hidden: !session.now?.csrf },
    el('h2', {}, t('phoneAdd')),
    el('p', { class: 'lead' }, t('phoneLead')),
    unavailable,
    opener,
    card,
    problem,
  )

  let shown = { state: '' }
  const show = (report) => {
    const before = shown
    shown = report
    const { state } = report
    const isRunning = running.includes(state)
    const isOver = state === 'done' || state === 'failed'
    for (const part of [name, region, profile, start]) part.disabled = isRunning
    opener.hidden = state !== 'idle'
    if (state === 'unavailable') unfold(false)
    // The steps and the result are shown, also to a page that was opened meanwhile.
    else if (state !== 'idle') unfold(true)
    putRich(unavailable, state === 'unavailable' ? t('phoneUnavailable', report.reason) : '')
    form.hidden = isOver
    progress.hidden = !isRunning
    end.hidden = !isOver
    if (isRunning) {
      if (document.activeElement !== name && report.name) name.value = report.name
      if (report.as) profile.value = report.as
      put(status, t(`phone_${state}`, report.device ?? t('phoneThe')))
      put(left, report.secondsLeft == null ? '' : t('phoneLeft', report.secondsLeft))
      put(step, state === 'advertising' ? t(`step_${kind.value}_${profile.value}`, report.advertised) : '')
      ask(report.question)
    } else {
      ask(null)
    }
    if (isOver) {
      result.classList.toggle('bad', state === 'failed')
      putRich(result, resultText(report))
    }
    if (state === 'done' && before.state !== 'done') reload().catch(() => {})
    // A button that has gone takes the focus with it.
    if (isOver && running.includes(before.state)) again.focus({ preventScroll: true })
    if (state === 'idle' && (before.state === 'done' || before.state === 'failed')) name.focus({ preventScroll: true })
  }
  const ask = (asking) => {
    if (question.dataset.id === String(asking?.id ?? '')) return
    question.dataset.id = asking?.id ?? ''
    question.hidden = !asking
    if (!asking) return
    const { digits } = asking
    put(asked, digits ? t('phoneDigits', deviceName(asking), digits) : t('phoneNoDigits', deviceName(asking)))
    put(agree, t(digits ? 'phoneMatch' : 'phoneAllow'))
    put(differ, t(digits ? 'phoneDiffer' : 'phoneReject'))
    agree.disabled = differ.disabled = false
    say(asked.textContent)
  }

  const send = async (body, options, path = 'v1/enrollment') => {
    failed('')
    try {
      show(await api(path, body, options))
      look.start()
      return true
    } catch (error) {
      failed(error.message)
      return false
    }
  }
  const answer = async (agrees) => {
    agree.disabled = differ.disabled = true
    await send({ question: shown.question?.id ?? 0, agrees }, undefined, 'v1/enrollment/answer')
    cancel.focus({ preventScroll: true })
  }
  const submit = async (event) => {
    event.preventDefault()
    const wanted = name.value.trim()
    if (!/^[\w-]{1,64}$/.test(wanted)) {
      failed(t('phonePersonWrong'))
      return name.focus()
    }
    start.disabled = true
    if (await send({ name: wanted, as: profile.value, ...(region.value && { region: region.value }) })) cancel.focus({ preventScroll: true })
    else start.disabled = false
  }
  kind.addEventListener('change', () => show(shown))

  const look = every(1000, async () => {
    try {
      show(await api('v1/enrollment'))
      if (!running.includes(shown.state) && !(shown.reception?.seconds < counted)) look.stop()
    } catch (error) {
      failed(error.message)
    }
  })
  return {
    node,
    /** Shows what the daemon does. A page that only reads cannot enroll a phone. */
    show() {
      if (!session.now?.csrf) return
      const names = (live.status?.regions ?? []).map(({ identifier }) => identifier)
      const chosen = region.value
      region.replaceChildren(region.firstChild, ...names.map((name) => el('option', { value: name }, name)))
      region.value = names.includes(chosen) ? chosen : ''
      look.start()
    },
    hide() {
      look.stop()
    },
  }
}
