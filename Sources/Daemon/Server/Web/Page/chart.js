// Signals, drawn: a bar, and a sparkline.
import { el, put, svg } from './base.js'
import { plain, t } from './words.js'

const [weakest, strongest] = [-100, -40]
export const share = (dBm) => Math.min(1, Math.max(0, (dBm - weakest) / (strongest - weakest)))

/** A bar of five steps, as phones have it. */
export const signalBar = (label) => {
  const steps = [0, 1, 2, 3, 4].map((index) =>
    svg('rect', { x: index * 7, y: 16 - index * 4, width: 5, height: 4 + index * 4, rx: 1.5 }),
  )
  const node = el(
    'span',
    { class: 'bars', role: 'img', 'aria-label': label },
    svg('svg', { viewBox: '0 0 33 20', width: 33, height: 20, 'aria-hidden': 'true' }, steps),
  )
  return {
    node,
    set(dBm) {
      const lit = dBm == null ? 0 : Math.max(1, Math.ceil(share(dBm) * 5))
      for (const [index, step] of steps.entries()) step.classList.toggle('lit', index < lit)
      const text = `${label}: ${dBm == null ? t('noSignal') : t('dBm', plain(dBm, 0))}`
      if (node.getAttribute('aria-label') !== text) node.setAttribute('aria-label', text)
    },
  }
}

/** A line that is broken where nothing was received for `gap` milliseconds after a point, or for the point's own `gap`. */
export const path = (points, x, y, gap) => {
  let end = -Infinity
  return points
    .map((point) => {
      const at = `${x(point.time).toFixed(1)} ${y(point.rssi).toFixed(1)}`
      const isFirst = point.time > end
      end = point.time + (point.gap ?? gap)
      // A single point is a dot.
      return isFirst ? `M${at}h0` : `L${at}`
    })
    .join('')
}

const length = 600_000

/** A stored point stands for a minute, and the day's picture is not broken for fewer than three of them either. */
const minute = 60_000

/** The last ten minutes. */
export const sparkline = () => {
  const line = svg('path', { class: 'signal' })
  const node = svg(
    'svg',
    { class: 'spark', viewBox: '0 0 240 44', preserveAspectRatio: 'none', role: 'img' },
    svg('path', { class: 'base', d: 'M0 43H240' }),
    line,
  )
  const words = el('p', { class: 'quiet small' })
  const whole = el('div', { class: 'sparkline' }, node, words)
  let points = []
  return {
    node: whole,
    /**
     * The stored signal.
     *
     * @param from the beginning of the first minute, in milliseconds
     * @param means of the minutes from there on, in dBm; null for a minute without a signal
     */
    fill(from, means) {
      const all = means.map((rssi, index) => ({ time: from + (index + 1 / 2) * minute, rssi, gap: 3 * minute }))
      points = all.filter(({ rssi }) => rssi != null)
    },
    add(time, rssi) {
      if (points.length && time <= points.at(-1).time) return
      points.push({ time, rssi })
    },
    draw(now) {
      points = points.filter((point) => point.time > now - length)
      const x = (time) => 240 - ((now - time) / length) * 240
      line.setAttribute(
        'd',
        path(points, x, (rssi) => 40 - share(rssi) * 36, 45_000),
      )
      const all = points.map((point) => point.rssi)
      const range = all.length ? [plain(Math.min(...all), 0), plain(Math.max(...all), 0)] : []
      const text = all.length ? t('sparkline', ...range, plain(all.at(-1), 0)) : t('sparklineNone')
      if (node.getAttribute('aria-label') !== text) node.setAttribute('aria-label', text)
      put(words, t(all.length ? 'tenMinutes' : 'sparklineNone', ...range))
      node.classList.toggle('gone', !all.length)
    },
  }
}
