// A text as a QR code (ISO/IEC 18004): byte mode, error correction L, versions 1 to 6, which is 134 bytes.

import { svg } from './base.js'

/** By version: data codewords, and the error correction codewords of each of so many blocks (table 9 of the standard). */
const versions = [
  [19, 7, 1],
  [34, 10, 1],
  [55, 15, 1],
  [80, 20, 1],
  [108, 26, 1],
  [136, 18, 2],
]

/** The format information for error correction L and mask 0 (annex C). */
const format = 0b111011111000100

// The field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
const powers = []
for (let index = 0, value = 1; index < 255; index++) {
  powers.push(value)
  value = value & 128 ? (value << 1) ^ 0x11d : value << 1
}
const product = (a, b) => (a && b ? powers[(powers.indexOf(a) + powers.indexOf(b)) % 255] : 0)

const correction = (data, count) => {
  let generator = [1]
  for (let degree = 0; degree < count; degree++) {
    const next = [...generator, 0]
    for (const [index, factor] of generator.entries()) next[index + 1] ^= product(factor, powers[degree])
    generator = next
  }
  const rest = [...data, ...Array(count).fill(0)]
  for (let index = 0; index < data.length; index++) {
    const lead = rest[index]
    for (const [place, factor] of generator.entries()) rest[index + place] ^= product(factor, lead)
  }
  return rest.slice(data.length)
}

const codewords = (bytes, [capacity, count, blocks]) => {
  const bits = [0, 1, 0, 0]
  const add = (value) => {
    for (let bit = 7; bit >= 0; bit--) bits.push((value >> bit) & 1)
  }
  add(bytes.length)
  for (const byte of bytes) add(byte)
  while (bits.length % 8 || bits.length < bytes.length * 8 + 16) bits.push(0)
  const data = []
  for (let at = 0; at < bits.length; at += 8) data.push(bits.slice(at, at + 8).reduce((value, bit) => value * 2 + bit, 0))
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad)
  const size = capacity / blocks
  const parts = Array.from({ length: blocks }, (_, index) => data.slice(index * size, (index + 1) * size))
  const corrections = parts.map((part) => correction(part, count))
  const woven = (lists) => lists[0].flatMap((_, index) => lists.map((list) => list[index]))
  return [...woven(parts), ...woven(corrections)]
}

/** The rows of modules, true for dark; null for a text that is too long. */
export const matrix = (text) => {
  const bytes = new TextEncoder().encode(text)
  const version = versions.findIndex(([capacity]) => bytes.length + 2 <= capacity)
  if (version < 0) return null
  const size = 21 + 4 * version
  const rows = Array.from({ length: size }, () => Array(size).fill(null))
  const set = (row, column, dark) => {
    if (rows[row] && column >= 0 && column < size) rows[row][column] = !!dark
  }
  const square = (row, column, radius, isDark) => {
    for (let y = -radius; y <= radius; y++) {
      for (let x = -radius; x <= radius; x++) set(row + y, column + x, isDark(Math.max(Math.abs(x), Math.abs(y))))
    }
  }
  for (let index = 0; index < size; index++) {
    set(6, index, index % 2 === 0)
    set(index, 6, index % 2 === 0)
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ]) {
    square(row, column, 4, (ring) => ring !== 2 && ring !== 4)
  }
  if (version > 0) square(size - 7, size - 7, 2, (ring) => ring !== 1)
  for (let bit = 0; bit < 15; bit++) {
    const dark = (format >> bit) & 1
    if (bit < 6) set(bit, 8, dark)
    else if (bit < 8) set(bit + 1, 8, dark)
    else set(8, bit === 8 ? 7 : 14 - bit, dark)
    if (bit < 8) set(8, size - 1 - bit, dark)
    else set(size - 15 + bit, 8, dark)
  }
  set(size - 8, 8, true)
  const bits = codewords(bytes, versions[version]).flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (word >> bit) & 1))
  let at = 0
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUp = ((right < 6 ? right + 1 : right) & 2) === ((size - 1) & 2)
    for (let step = 0; step < size; step++) {
      const row = isUp ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (rows[row][column] != null) continue
        // Any mask is valid, and the texts are short: mask 0 leaves no large areas of one colour.
        rows[row][column] = !!(bits[at++] ^ ((row + column) % 2 === 0))
      }
    }
  }
  return rows
}

const quiet = 4

/** The code as a picture with a label; null for a text that is too long. */
export const picture = (text, label) => {
  const rows = matrix(text)
  if (!rows) return null
  const size = rows.length + 2 * quiet
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : [])))
  return svg(
    'svg',
    { viewBox: `0 0 ${size} ${size}`, class: 'qr', role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' },
    svg('rect', { width: size, height: size }),
    svg('path', { d: dark.join('') }),
  )
}
