// Phones and browsers: a link for another one, and the sessions of all.
import { api, clock, el, keyed, put, putRich, say, session } from './base.js'
import { picture } from './qr.js'
import { since, t } from './words.js'

const isLocal = (name) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(name)

/** The address of the page for another device: this browser's own, if others can reach it. */
const addressOf = ({ addresses }) => {
  const own = `${location.origin}/`
  if (!isLocal(location.hostname)) return own
  return addresses.find((address) => !isLocal(new URL(address).hostname)) ?? own
}

const linkPart = (failed) => {
  const shown = el('div', { class: 'newlink', hidden: true })
  const make = async () => {
    failed('')
    button.disabled = true
    try {
      const link = await api('v1/web/links', undefined, { method: 'POST' })
      const address = `${addressOf(link)}#login=${link.token}`
      const text = el('input', { readonly: true, value: address, 'aria-label': t('linkText'), onfocus: () => text.select() })
      const how = el('p', {}, t('linkHow', Math.round(link.seconds / 60)))
      const local = isLocal(new URL(address).hostname) && el('p', { class: 'error' })
      if (local) putRich(local, t('linkLocal'))
      shown.replaceChildren(...[how, picture(address, t('qrOf')), text, local].filter(Boolean))
      shown.hidden = false
      say(how.textContent)
    } catch (error) {
      failed(error.message)
    } finally {
      button.disabled = false
    }
  }
  const button = el('button', { type: 'button', onclick: make }, t('linkMake'))
  return { node: el('div', {}, el('div', { class: 'buttons' }, button), shown), shown }
}

const devicePart = (revoke, rename) => (device) => {
  const facts = el('span', { class: 'facts' })
  const isOwn = device.id === session.now?.id
  const name = el('b')
  const input = el('input', { 'aria-label': t('nameOf'), autocomplete: 'off', maxlength: 60 })
  const form = el('form', { class: 'buttons naming', hidden: true }, input, el('button', {}, t('save')))
  const open = (is) => {
    form.hidden = !is
    naming.setAttribute('aria-expanded', String(is))
    ;(is ? input : naming).focus()
  }
  const naming = el('button', { type: 'button', 'aria-expanded': 'false', onclick: () => open(form.hidden) }, t('rename'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (await rename(device, input.value.trim())) open(false)
  })
  const leave = isOwn ? null : el('button', { type: 'button', onclick: () => revoke(device) }, t('revoke'))
  const node = el(
    'li',
    { class: 'beacon own device' },
    el('span', { class: 'who' }, name, ' ', isOwn && el('span', { class: 'tag' }, t('thisDevice'))),
    facts,
    el('span', { class: 'choices' }, naming, leave),
    form,
  )
  return {
    node,
    update(known) {
      device = known
      put(name, device.name)
      naming.setAttribute('aria-label', t('renameOf', device.name))
      leave?.setAttribute('aria-label', t('revokeOf', device.name))
      if (form.hidden) input.value = device.name
      const [begun, seen] = [device.since, device.seen].map((time) => since(Date.parse(time), clock.now()))
      put(facts, t('deviceTimes', begun, seen))
    },
  }
}

export const devicesPart = () => {
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const failed = (text) => {
    putRich(problem, text)
    problem.hidden = !text
  }
  const list = el('ul', { class: 'plain' })
  const revoke = async (device) => {
    failed('')
    try {
      show(await api(`v1/web/devices/${device.id}`, undefined, { method: 'DELETE' }))
      say(t('revoked', device.name))
      heading.focus({ preventScroll: true })
    } catch (error) {
      failed(error.message)
    }
  }
  const rename = async (device, name) => {
    failed('')
    try {
      const devices = await api(`v1/web/devices/${device.id}`, { name })
      show(devices)
      const stored = devices.find(({ id }) => id === device.id)?.name
      if (device.id === session.now?.id) session.rename(stored)
      say(t('renamed', stored))
      return true
    } catch (error) {
      failed(error.message)
      return false
    }
  }
  const update = keyed(list, devicePart(revoke, rename))
  const show = (devices) => update(devices, (device) => device.id)
  const link = linkPart(failed)
  const heading = el('h2', { tabindex: -1 }, t('devices'))
  // Home Assistant logs its users in, and is where their sessions end.
  const isShown = !!session.now?.csrf && !session.now.ingress
  const node = el(
    'div',
    { class: 'devices', hidden: !isShown },
    heading,
    el('p', { class: 'lead' }, t('devicesHow')),
    el('div', { class: 'card' }, list, link.node, problem),
  )
  return {
    node,
    /** Requests the sessions. A page that only reads has none to show. */
    async load() {
      if (!isShown) return
      try {
        show(await api('v1/web/devices'))
      } catch (error) {
        failed(error.message)
      }
    },
    hide() {
      // A link logs a browser in: it is not left on the screen.
      link.shown.replaceChildren()
      link.shown.hidden = true
    },
  }
}
