// From which signal on a region is entered, and below which it is left: drawn on the live signal.
import { clock, el, put } from './base.js'
import { liveChart } from './livechart.js'
import { plain, t } from './words.js'

/** How far below the signal of now one enters, and how far below that one leaves, in dB, before somebody says otherwise. */
const [slack, hysteresis] = [8, 7]

export const thresholdsPart = () => {
  const chart = liveChart()
  const limited = el('input', { type: 'checkbox', id: 'limited', onchange: () => begin() })
  const slider = (id) => {
    const input = el('input', { type: 'range', id, min: -100, max: -40, step: 1, oninput: () => show(input) })
    return input
  }
  const [enter, exit] = [slider('enter'), slider('exit')]
  const [enterText, exitText] = [el('output', { for: 'enter' }), el('output', { for: 'exit' })]
  const sliders = el(
    'div',
    { class: 'sliders' },
    el('div', { class: 'field enter' }, el('label', { for: 'enter' }, t('enterAt')), enter, enterText),
    el('div', { class: 'field exit' }, el('label', { for: 'exit' }, t('exitAt')), exit, exitText),
  )
  let isChosen = false

  const show = (moved) => {
    if (moved) isChosen = true
    // What enters must not leave at once.
    if (+exit.value > +enter.value) {
      if (moved === exit) enter.value = exit.value
      else exit.value = enter.value
    }
    sliders.hidden = !limited.checked
    for (const [input, text] of [
      [enter, enterText],
      [exit, exitText],
    ]) {
      put(text, t('dBm', plain(input.value, 0)))
      input.setAttribute('aria-valuetext', text.textContent)
    }
    chart.limits(limited.checked ? +enter.value : null, limited.checked ? +exit.value : null)
    chart.draw(clock.now())
  }
  const begin = () => {
    if (!isChosen) {
      const heard = chart.heard().sort((a, b) => a - b)
      enter.value = Math.round((heard[Math.floor(heard.length / 2)] ?? -62) - slack)
      exit.value = enter.value - hysteresis
    }
    show()
  }
  show()
  return {
    node: el(
      'div',
      { class: 'card' },
      el(
        'label',
        { class: 'option', for: 'limited' },
        limited,
        el('span', {}, t('limits'), el('small', {}, t('limitsHow'))),
      ),
      chart.node,
      sliders,
    ),
    take({ enterRSSI, exitRSSI }) {
      limited.checked = enterRSSI != null || exitRSSI != null
      if (!limited.checked) return
      isChosen = true
      enter.value = enterRSSI ?? exitRSSI
      exit.value = exitRSSI ?? enterRSSI
      show()
    },
    write(region) {
      delete region.enterRSSI
      delete region.exitRSSI
      if (limited.checked) Object.assign(region, { enterRSSI: +enter.value, exitRSSI: +exit.value })
    },
    /** A reading, `age` seconds ago; nil: only time has passed. */
    heard(rssi, age) {
      if (rssi != null) chart.add(clock.now() - age * 1000, rssi)
      chart.draw(clock.now())
    },
  }
}
