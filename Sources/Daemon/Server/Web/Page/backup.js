// A backup of this machine for download. The daemon encrypts it with the passphrase, in the format of age.
import { api, el, field, mayAll, putRich, Refused, session } from './base.js'
import { t } from './words.js'

/** The daemon takes 10 minutes at most, and sends for an hour at most. */
const longest = 70 * 60 * 1000

/** The daemon checks the same. */
const shortest = 12

const request = async (passphrase) => {
  let response
  try {
    response = await fetch('v1/backup', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Okaeri-Token': session.now?.csrf ?? '' },
      body: JSON.stringify({ passphrase }),
      cache: 'no-store',
      signal: AbortSignal.timeout(longest),
    })
    if (response.ok) return [response.headers, await response.blob()]
  } catch {
    throw new Refused(0, t('backupBroken'))
  }
  if (response.status === 401) session.ended()
  const answer = await response.json().catch(() => null)
  throw new Refused(response.status, answer?.error ?? `${response.status} ${response.statusText}`)
}

const save = (headers, content) => {
  const name = headers.get('Content-Disposition')?.match(/filename="([\w.-]+)"/)?.[1] ?? 'okaeri.tar.age'
  const address = URL.createObjectURL(content)
  el('a', { href: address, download: name }).click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60000)
  return name
}

export const backupPart = () => {
  const secret = (id, label, hint) => {
    const input = el('input', {
      id,
      type: 'password',
      autocomplete: 'new-password',
      maxlength: 256,
      'aria-describedby': hint && `${id}-hint`,
    })
    return [input, field(id, label, input, hint)]
  }
  const [first, firstField] = secret('backup-pass', t('backupPass'), t('backupPassHint', shortest))
  const [second, secondField] = secret('backup-again', t('backupAgain'))
  const start = el('button', {}, t('backupMake'))
  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const status = el('p', { class: 'quiet', role: 'status' })
  const failed = (text) => {
    putRich(problem, text)
    problem.hidden = !text
  }
  const submit = async (event) => {
    event.preventDefault()
    failed('')
    putRich(status, '')
    // A keyboard of another system may compose a letter otherwise.
    const [passphrase, again] = [first, second].map((input) => input.value.normalize('NFC'))
    if ([...passphrase].length < shortest) {
      failed(t('backupShort', shortest))
      return first.focus()
    }
    if (passphrase !== again) {
      failed(t('backupDiffers'))
      return second.focus()
    }
    start.disabled = true
    putRich(status, t('backupWorking'))
    try {
      const [headers, content] = await request(passphrase)
      const name = save(headers, content)
      const missing = Number(headers.get('X-Okaeri-Missing'))
      putRich(status, [t('backupDone', name), missing && t('backupMissing', missing)].filter(Boolean).join(' '))
      first.value = second.value = ''
    } catch (error) {
      putRich(status, '')
      failed(error.message)
    } finally {
      start.disabled = false
    }
  }
  const isPlain = location.protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)
  const form = el(
    'form',
    { class: 'card', novalidate: true, hidden: true, onsubmit: submit },
    isPlain && el('p', { class: 'quiet' }, t('backupPlain')),
    // The name under which a password manager stores the passphrase.
    el('input', { type: 'text', autocomplete: 'username', value: t('backup'), readonly: true, hidden: true }),
    firstField,
    secondField,
    el('div', { class: 'buttons' }, start),
    status,
  )
  const unavailable = el('p', { class: 'quiet' })
  const node = el(
    'div',
    { class: 'backup', hidden: !session.now?.csrf },
    el('h2', {}, t('backup')),
    el('p', { class: 'lead' }, t('backupLead')),
    unavailable,
    form,
    problem,
  )
  return {
    node,
    /** Requests whether the daemon offers a backup. A page that only reads gets none. */
    async load() {
      if (!session.now?.csrf) return
      if (!mayAll()) return putRich(unavailable, t('onlyListed'))
      try {
        const { available, code } = await api('v1/backup')
        form.hidden = !available
        putRich(unavailable, available ? '' : t(`backup_${code}`))
      } catch (error) {
        failed(error.message)
      }
    },
    hide() {
      first.value = second.value = ''
    },
  }
}
