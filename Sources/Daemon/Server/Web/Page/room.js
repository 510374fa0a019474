// The room of this machine, in a house of several.
import { api, el, field, put, putRich, say, session } from './base.js'
import { live } from './live.js'
import { t } from './words.js'

export const roomPart = () => {
  const input = el('input', { id: 'room', autocomplete: 'off', maxlength: 64 })
  const done = el('p', { class: 'quiet', role: 'status' })
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const failed = (text) => {
    putRich(problem, text)
    problem.hidden = !text
  }
  const submit = async (event) => {
    event.preventDefault()
    failed('')
    put(done, '')
    button.disabled = true
    try {
      const answer = await api('v1/configuration/room', { room: input.value.trim() || null })
      if (!answer.written) return failed(answer.reason)
      put(done, t('roomSaved'))
      say(done.textContent)
    } catch (error) {
      failed(error.message)
    } finally {
      button.disabled = !session.now?.csrf
    }
  }
  const button = el('button', { disabled: !session.now?.csrf }, t('save'))
  const form = el(
    'form',
    { class: 'card', novalidate: true, onsubmit: submit },
    field('room', t('roomOf'), input, t('roomHow')),
    el('div', { class: 'buttons' }, button, done),
    problem,
  )
  input.setAttribute('aria-describedby', 'room-hint')
  const node = el('div', { hidden: true }, el('h2', {}, t('thisPi')), form)
  return {
    node,
    /** Shows the room of the configuration. Without a house, rooms have no use. */
    async load() {
      node.hidden = !live.status?.mqtt
      if (node.hidden) return
      try {
        const { room } = await api('v1/configuration')
        if (document.activeElement !== input) input.value = room ?? ''
      } catch (error) {
        failed(error.message)
      }
    },
  }
}
