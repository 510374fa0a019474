// The live signal of the last minute, with the thresholds as lines across it.
import { clock, el, put, svg } from './base.js'
import { path, share } from './chart.js'
import { plain, t } from './words.js'

const height = 200
const shown = 60_000
const y = (dBm) => height - 12 - share(dBm) * (height - 24)

export const liveChart = () => {
  let width = 0
  let points = []
  const limits = { enter: null, exit: null }
  const line = svg('path', { class: 'signal' })
  const thresholds = ['enter', 'exit'].map((kind) => ({
    kind,
    line: svg('line', { class: `threshold ${kind}` }),
    text: svg('text', { class: kind }),
  }))
  const scale = [-90, -80, -70, -60, -50].map((dBm) => ({
    line: svg('line', { class: 'scale', y1: y(dBm), y2: y(dBm) }),
    text: svg('text', { x: 6, y: y(dBm) - 4 }, plain(dBm)),
  }))
  const all = [...scale, ...thresholds]
  const node = svg(
    'svg',
    { class: 'live-chart', role: 'img', height },
    scale.map((one) => [one.line, one.text]),
    line,
    thresholds.map((one) => [one.line, one.text]),
  )
  const caption = el('figcaption')

  // A unit is a pixel, so that words have their size on a phone too.
  const fit = () => {
    if (node.clientWidth === width || !node.clientWidth) return
    width = node.clientWidth
    node.setAttribute('viewBox', `0 0 ${width} ${height}`)
    for (const one of all) one.line.setAttribute('x2', width)
    for (const one of thresholds) one.text.setAttribute('x', width - 8)
  }
  const chart = {
    node: el('figure', { class: 'live' }, node, caption),
    /** What was received in the last minute, in dBm, as the daemon filters it. */
    filtered: () => points.map((point) => point.signal).filter((signal) => signal != null),
    add(time, rssi, signal) {
      points.push({ time, rssi, signal })
    },
    limits(enter, exit) {
      Object.assign(limits, { enter, exit })
    },
    draw(now) {
      fit()
      points = points.filter((point) => point.time > now - shown)
      line.setAttribute(
        'd',
        path(points, (time) => width - ((now - time) / shown) * width, y, 5000),
      )
      for (const { kind, line, text } of thresholds) {
        const dBm = limits[kind]
        for (const part of [line, text]) part.classList.toggle('gone', dBm == null)
        if (dBm == null) continue
        line.setAttribute('y1', y(dBm))
        line.setAttribute('y2', y(dBm))
        // The entry's words above its line, the exit's below: they are seldom far apart.
        text.setAttribute('y', y(dBm) + (kind === 'enter' ? -6 : 17))
        put(text, `${t(kind === 'enter' ? 'enterAt' : 'exitAt')} ${plain(dBm, 0)}`)
      }
      const last = points.at(-1)
      const text = t('liveSignal', last ? t('dBm', plain(last.rssi, 0)) : t('noSignal'))
      put(caption, text)
      node.setAttribute('aria-label', text)
    },
  }
  new ResizeObserver(() => chart.draw(clock.now())).observe(node)
  return chart
}
