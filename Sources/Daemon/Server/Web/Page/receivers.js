// Receivers of other makes that publish at the broker: an offer to use them.
import { api, el, field, keyed, put, putRich, say, session } from './base.js'
import { live } from './live.js'
import { t } from './words.js'

/** A broker is read for some seconds. */
const within = 45_000

/** A site may have hundreds of receivers. */
const mostRows = 50

let parts = 0

const receiverPart = (change) => (receiver) => {
  const { type, name, make } = receiver
  // A name may have spaces.
  const id = `receiver-${parts++}`
  const input = el('input', { id, autocomplete: 'off', maxlength: 64, value: receiver.saved ?? name })
  const tag = el('span', { class: 'tag' })
  const button = el('button', { type: 'button', 'aria-describedby': `${id}-name` })
  const room = field(id, t('roomOf'), input)
  const node = el(
    'li',
    { class: 'beacon own' },
    el('span', { class: 'who', id: `${id}-name` }, el('b', {}, name), ' ', el('span', { class: 'quiet small' }, make), ' ', tag),
    room,
    button,
  )
  let isUsed = false
  button.addEventListener('click', () => change({ type, name, room: isUsed ? null : input.value.trim() || name }, button))
  return {
    node,
    update({ saved, found }) {
      isUsed = saved != null
      put(tag, found ? t('receiverUsed') : t('receiverSilent'))
      tag.hidden = found && !isUsed
      room.hidden = isUsed
      put(button, t(isUsed ? 'receiverLeave' : 'receiverUse'))
      button.disabled = !session.now?.csrf
    },
  }
}

export const receiversPart = () => {
  const list = el('ul', { class: 'plain' })
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const done = el('p', { class: 'quiet', role: 'status' })
  const node = el(
    'div',
    { hidden: true },
    el('h2', {}, t('receivers')),
    el('p', { class: 'lead' }, t('receiversHow')),
    el('div', { class: 'card' }, list, done, problem),
  )
  const failed = (text) => {
    putRich(problem, text)
    problem.hidden = !text
  }
  let receivers = []
  const show = () => {
    // One that beacons.json names is changed there.
    const rows = receivers.filter(({ used, saved }) => !used || saved != null).slice(0, mostRows)
    update(rows, ({ type, name }) => `${type}/${name}`)
    node.hidden = !rows.length
  }
  const change = async (receiver, button) => {
    failed('')
    put(done, '')
    button.disabled = true
    try {
      const answer = await api('v1/configuration/receivers', { receivers: [receiver] })
      if (!answer.written) return failed(answer.reason)
      const { type, name, room } = receiver
      receivers = receivers.map((one) =>
        one.type === type && one.name === name ? { ...one, used: room != null, saved: room ?? undefined } : one,
      )
      put(done, t(room == null ? 'receiverLeft' : 'receiverAdded', name))
      say(done.textContent)
    } catch (error) {
      failed(error.message)
    } finally {
      show()
    }
  }
  const update = keyed(list, receiverPart(change))
  return {
    node,
    /** Looks for receivers. Without a connection to a broker there is nothing to find. */
    async load() {
      if (!live.status?.mqtt?.connected || !session.now?.csrf) {
        node.hidden = true
        return
      }
      try {
        receivers = (await api('v1/receivers', null, { within })).receivers
        show()
      } catch {
        // The status names what is wrong with the broker.
      }
    },
  }
}
