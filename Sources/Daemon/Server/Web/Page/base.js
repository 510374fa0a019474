// What the views are made of: elements, requests, and the daemon's clock.
import { t } from './words.js'

const SVG = 'http://www.w3.org/2000/svg'

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else if (value === true) node.setAttribute(name, '')
    else if (value !== false && value != null) node.setAttribute(name, value)
  }
  // Text goes in as text, never as markup: other devices choose their names.
  node.append(...children.flat(3).filter((child) => child != null && child !== false))
  return node
}

export const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children)
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children)

/** An input with its label, and what helps to fill it in. */
export const field = (id, label, input, hint) =>
  el(
    'div',
    { class: 'field' },
    el('label', { for: id }, label),
    input,
    hint && el('p', { class: 'quiet small', id: `${id}-hint` }, hint),
  )

/** Sets a text, and touches nothing where it is that already: a screen reader would read it again. */
export const put = (node, text) => {
  if (node.textContent !== String(text)) node.textContent = text
}

/** Sets a sentence, in which `commands` are set apart. */
export const putRich = (node, text) => {
  if (node.rich === text) return
  node.rich = text
  node.replaceChildren(...text.split('`').map((part, index) => (index % 2 ? el('code', {}, part) : part)))
}
export const rich = (name, attributes, text) => {
  const node = el(name, attributes)
  putRich(node, text)
  return node
}

/** Announces a text to screen readers. */
export const say = (text) => {
  const said = document.getElementById('said')
  said.textContent = ''
  said.textContent = text
}

export class Refused extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * The session: `name`, `csrf` (null: may only read), `open`, `ingress` (the login is Home Assistant's), `rights` (`look`, `change` or `all`);
 * null before there is one.
 */
export const session = { now: null, ended: () => {}, rename: () => {} }

/** Whether the browser may do everything: see the passphrases of networks, set the network of a region, and download a backup. */
export const mayAll = () => session.now?.rights === 'all'

/** Requests the session again, because the tokens of Home Assistant's users end with the daemon. Returns whether there is a new one. */
const isRenewed = async () => {
  const { csrf } = session.now
  session.now = await api('v1/web/session')
  return session.now.csrf !== csrf
}

/** Asks the daemon. Throws a Refused with its sentence, or with status 0 where it cannot be reached. */
export const api = async (path, body, { method = body ? 'POST' : 'GET', within = 15000 } = {}) => {
  const headers = {}
  if (body) headers['Content-Type'] = 'application/json'
  if (method !== 'GET' && session.now?.csrf) headers['X-Okaeri-Token'] = session.now.csrf
  let response, text
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body && JSON.stringify(body),
      cache: 'no-store',
      signal: AbortSignal.timeout(within),
    })
    text = await response.text()
  } catch {
    throw new Refused(0, t('unreachable'))
  }
  let answer = null
  try {
    answer = text ? JSON.parse(text) : null
  } catch {}
  if (response.ok) return answer
  if (response.status === 401 && session.now) session.ended()
  const isRefusedChange = response.status === 403 && method !== 'GET'
  if (isRefusedChange && session.now?.ingress && (await isRenewed())) return api(path, body, { method, within })
  throw new Refused(response.status, answer?.error ?? `${response.status} ${response.statusText}`)
}

/** The daemon's clock, which need not be this machine's: in milliseconds. */
export const clock = {
  ahead: 0,
  set(time) {
    this.ahead = Date.parse(time) - Date.now()
  },
  now() {
    return Date.now() + this.ahead
  },
}

/** Calls back every so often while the page is seen and the view is shown. */
export const every = (milliseconds, work) => {
  let timer = 0
  let running = false
  const turn = async () => {
    clearTimeout(timer)
    if (!running || document.hidden) return
    try {
      await work()
    } catch {}
    if (!running) return
    clearTimeout(timer)
    timer = setTimeout(turn, milliseconds)
  }
  return {
    start() {
      if (running) return
      running = true
      document.addEventListener('visibilitychange', turn)
      turn()
    },
    stop() {
      running = false
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', turn)
    },
  }
}

/** Parts by their key: made once, changed in place, so that the focus stays where it is. */
export const keyed = (parent, make) => {
  const parts = new Map()
  return (items, key) => {
    const wanted = new Set(items.map(key))
    for (const [id, part] of parts) {
      if (wanted.has(id)) continue
      part.node.remove()
      parts.delete(id)
    }
    items.forEach((item, index) => {
      const id = key(item)
      let part = parts.get(id)
      if (!part) {
        part = make(item)
        parts.set(id, part)
      }
      if (parent.children[index] !== part.node) parent.insertBefore(part.node, parent.children[index] ?? null)
      part.update(item)
    })
    return parts
  }
}
