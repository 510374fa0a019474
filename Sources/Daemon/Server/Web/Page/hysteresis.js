// How far apart enterRSSI and exitRSSI must be, by the noise of the filtered signal. Benchmarks/README.md has the figures.
// `okaeri setup` has the same numbers, in `ThresholdProposal`.

/** The distance in dB until the noise is measured: enough for 6 dB of noise in what is received once a second. */
const unmeasured = 21

/** The least distance in dB, for a signal is noisier at a boundary than beside the Pi; and how much for each decibel of noise. */
const [least, factor] = [7, 7]

/** The number of readings that the noise is measured from at least. */
const needed = 15

/** The standard deviation of filtered signals in dB; null while there are too few. */
export const noise = (signals) => {
  if (signals.length < needed) return null
  const mean = signals.reduce((sum, one) => sum + one, 0) / signals.length
  return Math.sqrt(signals.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (signals.length - 1))
}

/** The distance in dB at which a beacon that stays halfway between enters less than once an hour. */
export const distance = (noise) => (noise == null ? unmeasured : Math.max(least, Math.ceil(factor * noise)))
