// The frame: the login, the views, and the notices above all of them.
import { api, clock, el, put, rich, say, session } from './base.js'
import { live, pause, start, stop } from './live.js'
import { deviceName, loginView } from './login.js'
import { nowView } from './now.js'
import { controls } from './outage.js'
import { add, findingTexts, isNotice, language, parts, promptText, regionEventText, sentence, since, t } from './words.js'
import { zoneName } from './zone.js'

const find = (id) => document.getElementById(id)
const main = find('main')
put(find('skip'), t('skip'))
find('notices').setAttribute('aria-label', t('notices'))

// The other two views and the reasons are fetched when they are looked at, with their words, in one script.
let failures = 0
const further = async () => {
  try {
    const { modules } = await import(`./more.${language}.js?${failures}`)
    add(modules.further.further, modules.further.reasons)
    return modules
  } catch (error) {
    // A browser may keep the failure of an address.
    failures += 1
    throw error
  }
}
const views = {
  now: async () => nowView(async () => (await further()).explain),
  days: async () => (await further()).days.daysView(),
  setup: async () => (await further()).setup.setupView(),
}
let shown = null
let isIncomplete = false
const made = {}

const place = () => {
  const name = location.hash.slice(1)
  return Object.hasOwn(views, name) ? name : 'now'
}

const show = async (isFirst) => {
  const name = place()
  for (const link of find('nav').children) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  try {
    made[name] ??= await views[name]()
  } catch {
    isIncomplete = true
    shown?.hide()
    shown = null
    return main.replaceChildren(rich('p', { class: 'card error' }, t('unreachable')))
  }
  const view = made[name]
  if (place() !== name) return
  if (shown !== view) {
    shown?.hide()
    main.replaceChildren(controls(view.node))
    shown = view
    document.title = `${t(name)} – Okaeri`
    if (!isFirst) main.focus({ preventScroll: true })
    if (!isFirst) scrollTo(0, 0)
  }
  view.show()
}

const navigation = () => {
  const nav = find('nav')
  nav.setAttribute('aria-label', t('pages'))
  nav.replaceChildren(...Object.keys(views).map((name) => el('a', { href: `#${name}` }, t(name))))
  nav.hidden = false
}

// The notices above all views.
const notice = (kind, title, text) =>
  el(
    'div',
    { class: `notice ${kind}`, role: kind === 'alarm' ? 'alert' : 'note' },
    title && el('strong', {}, title),
    rich('p', {}, text),
  )

const noticeOf = (finding) => {
  const { verdict, code, values = [] } = finding
  if (code === 'notReal') return ['unreal', t('s_notReal'), values.map((part) => t(`notReal_${part}`)).join(' ')]
  const [part, ...texts] = findingTexts(finding)
  return [verdict === 'wrong' ? 'alarm' : 'info', code === 'stale' ? t('s_stale') : part, sentence(parts(texts))]
}

/** Whether Home Assistant has ended the login. */
let isPaused = false
let shownNotices = ''
const above = () => {
  const status = live.status
  const notices = []
  const seen = since(live.answeredAt, clock.now())
  if (isPaused) notices.push(['alarm', t('ingressEnded'), t('ingressEndedWhy', seen)])
  else if (live.isOut) notices.push(['alarm', t('out'), t('outWhy', seen)])
  const found = (status?.findings ?? []).filter(isNotice).map(noticeOf)
  notices.push(...found.sort(([one], [other]) => (other === 'unreal') - (one === 'unreal')))
  if (session.now && !session.now.csrf) notices.push(['info', '', t(session.now.ingress ? 'readOnlyUser' : 'readOnly')])
  const all = JSON.stringify(notices)
  if (all === shownNotices) return
  shownNotices = all
  find('notices').replaceChildren(...notices.map((one) => notice(...one)))
  find('notices').hidden = !notices.length
}

const link = () => {
  const node = find('link')
  const isLive = live.connected && !live.isOut
  node.classList.toggle('off', !isLive)
  put(node, t(isLive ? 'live' : 'away'))
}

const zone = () => put(find('zone'), live.status ? t('zone', zoneName(clock.now())) : '')

live.addEventListener('status', above)
live.addEventListener('status', zone)
live.addEventListener('outage', () => {
  above()
  link()
  if (!live.isOut && isIncomplete) location.reload()
})
live.addEventListener('link', link)
live.addEventListener('lost', () => say(t('lost')))
live.addEventListener('event', ({ detail: event }) => {
  if (event.event === 'didEnterRegion' || event.event === 'didExitRegion') say(regionEventText(event))
  if (event.event === 'wifiPrompt') say(promptText('ask', event, event.ssid))
})

const footer = () => {
  const name = session.now?.name
  find('footer').replaceChildren(
    ...(name
      ? [
          el('span', {}, t('loggedIn', name)),
          ' ',
          session.now.ingress ? '' : controls(el('button', { type: 'button', class: 'quiet', onclick: logout }, t('logout'))),
        ]
      : []),
  )
}

const logout = async () => {
  // First, or what listens would ask for more, and be refused.
  stop()
  try {
    await api('v1/web/logout', {})
  } catch {}
  ended('')
}

const tokenOf = (text) => text.match(/#login=([^&\s]+)/)?.[1]

const login = async (token) => {
  main.replaceChildren(el('p', { class: 'quiet' }, t('loading')))
  try {
    session.now = await api('v1/web/login', { token, name: deviceName() })
  } catch (error) {
    return ended(error.status === 401 ? t('loginBad') : error.message)
  }
  // The views were made for the session before.
  if (Object.keys(made).length) return location.reload()
  await begin()
}

/** Shows how to log in, if the browser has no session. */
const ended = (why) => {
  stop()
  shown?.hide()
  shown = null
  session.now = null
  live.status = null
  find('nav').hidden = true
  find('footer').replaceChildren()
  above()
  zone()
  put(find('link'), '')
  document.title = `${t('loginTitle')} – Okaeri`
  main.replaceChildren(loginView(why, (text) => login(tokenOf(text) ?? text)))
}
session.ended = () => (session.now?.ingress ? paused() : ended(t('loginEnded')))
session.rename = (name) => {
  session.now.name = name
  footer()
}

/** The path below which Home Assistant serves the page, where no link logs a browser in. */
const isBehindIngress = location.pathname.startsWith('/api/hassio_ingress/')

/** The session of Home Assistant is requested again at this interval: its own page makes another one, for example after a sleep. */
const renewEvery = 3000

/** Keeps what is shown, as outdated, until Home Assistant has another session of the user. */
const paused = () => {
  if (isPaused) return
  isPaused = true
  pause()
  above()
  setTimeout(renew, renewEvery)
}

const renew = async () => {
  try {
    const { name, rights } = session.now
    const found = await api('v1/web/session')
    // The views were made for the session before.
    if (!found.ingress || found.name !== name || found.rights !== rights) return location.reload()
    session.now = found
    await start()
  } catch {
    pause()
    setTimeout(renew, renewEvery)
    return
  }
  isPaused = false
  above()
  if (!shown) await show(true)
}

const begin = async () => {
  navigation()
  footer()
  link()
  try {
    await start()
  } catch (error) {
    if (error.status === 401) return
    main.replaceChildren(rich('p', { class: 'card error' }, error.message))
    setTimeout(begin, 5000)
    return
  }
  above()
  await show(true)
}

const open = async () => {
  const token = tokenOf(location.hash)
  if (token) {
    // Removes the token from the address, so that it is not bookmarked or shared.
    history.replaceState(null, '', location.pathname)
    return login(decodeURIComponent(token))
  }
  if (!main.childElementCount) main.replaceChildren(el('p', { class: 'quiet' }, t('loading')))
  try {
    session.now = await api('v1/web/session')
  } catch (error) {
    if (error.status === 401 && isBehindIngress) {
      main.replaceChildren(rich('p', { class: 'card error' }, t('ingressNone')))
      setTimeout(open, renewEvery)
      return
    }
    if (error.status === 401) return ended('')
    main.replaceChildren(rich('p', { class: 'card error' }, error.message))
    setTimeout(open, 5000)
    return
  }
  await begin()
}

find('skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})
addEventListener('hashchange', () => {
  if (tokenOf(location.hash)) open()
  else if (live.status) show(false)
})
open()
