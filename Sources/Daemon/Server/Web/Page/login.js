// The page of a browser without a session.
import { el, rich } from './base.js'
import { t } from './words.js'

/** The name that the browser gives itself: the owner can give it another one. */
export const deviceName = () => {
  const agent = navigator.userAgent
  const one = (list) => list.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = one([
    [/Edg\//, 'Edge'],
    [/Firefox|FxiOS/, 'Firefox'],
    [/SamsungBrowser/, 'Samsung Internet'],
    [/Chrome|CriOS/, 'Chrome'],
    [/Safari/, 'Safari'],
  ])
  const system = one([
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Mac OS X/, 'Mac'],
    [/Windows/, 'Windows'],
    [/Linux|X11/, 'Linux'],
  ])
  return [browser ?? 'Browser', system].filter(Boolean).join(' on ')
}

/**
 * How to log in.
 *
 * @param why a sentence about a session that has ended, or nothing
 * @param login called with the link that the user has pasted, or its token
 */
export const loginView = (why, login) => {
  const problem = rich('p', { class: 'error', role: 'alert' }, why)
  const input = el('input', {
    id: 'paste',
    name: 'link',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
  })
  const submit = (event) => {
    event.preventDefault()
    const text = input.value.trim()
    if (text) login(text)
  }
  return el(
    'section',
    { class: 'card login', 'aria-labelledby': 'login-title' },
    el('h2', { id: 'login-title' }, t('loginTitle')),
    why && problem,
    rich('p', {}, t('loginHow')),
    el('p', { class: 'quiet' }, t('loginOnce')),
    el(
      'form',
      { onsubmit: submit },
      el('label', { for: 'paste' }, t('loginPaste')),
      el('div', { class: 'buttons' }, input, el('button', { class: 'main' }, t('loginGo'))),
    ),
  )
}
