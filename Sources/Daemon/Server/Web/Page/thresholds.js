// From which signal on a region is entered, and below which it is left: drawn on the live signal.
import { api, clock, el, put } from './base.js'
import { liveChart } from './livechart.js'
import { plain, t } from './words.js'

export const thresholdsPart = () => {
  const chart = liveChart()
  const limited = el('input', { type: 'checkbox', id: 'limited', onchange: () => propose() })
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
  const advice = el('p', { class: 'quiet', id: 'apart' })
  let isChosen = false
  // Of /v1/thresholds, from the signal of the last minute.
  let proposal = null

  const show = (moved) => {
    if (moved) isChosen = true
    // What enters must not leave at once.
    if (+exit.value > +enter.value) {
      if (moved === exit) enter.value = exit.value
      else exit.value = enter.value
    }
    sliders.hidden = !limited.checked
    chart.node.hidden = !limited.checked
    for (const [input, text] of [
      [enter, enterText],
      [exit, exitText],
    ]) {
      put(text, t('dBm', plain(input.value, 0)))
      input.setAttribute('aria-valuetext', text.textContent)
    }
    advise()
    chart.limits(limited.checked ? +enter.value : null, limited.checked ? +exit.value : null)
    chart.draw(clock.now())
  }
  const advise = () => {
    const { noise, distance } = proposal ?? {}
    const apart = enter.value - exit.value
    advice.hidden = !limited.checked
    put(advice, noise == null ? t('apartUnknown') : t(apart < distance ? 'apartTooLittle' : 'apartEnough', plain(noise), distance, apart))
  }
  // The proposed thresholds follow the measurement until a slider is moved.
  const propose = async () => {
    show()
    const signals = chart.filtered()
    // Without a reading the last proposal stays.
    if (proposal && !signals.length) return
    try {
      proposal = await api(`v1/thresholds?signals=${signals}`)
    } catch {
      return
    }
    if (!isChosen) {
      enter.value = proposal.enterRSSI
      exit.value = enter.value - proposal.distance
    }
    show()
  }
  propose()
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
      advice,
    ),
    take({ enterRSSI, exitRSSI }) {
      limited.checked = enterRSSI != null || exitRSSI != null
      if (!limited.checked) return
      isChosen = true
      enter.value = enterRSSI ?? exitRSSI
      exit.value = exitRSSI ?? enterRSSI
      show()
    },
    write: () => ({
      enterRSSI: limited.checked ? +enter.value : null,
      exitRSSI: limited.checked ? +exit.value : null,
    }),
    /** A beacon of /v1/beacons that was received anew; null: only time has passed. */
    heard(beacon) {
      if (beacon?.rssi != null) chart.add(clock.now() - beacon.age * 1000, beacon.rssi, beacon.signal)
      if (limited.checked && beacon) propose()
      else chart.draw(clock.now())
    },
  }
}
