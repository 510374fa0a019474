// The time zone of the Pi, which need not be the browser's: the page shows and reads all times in it.

const parsed = (list) => list.map(({ from, name, seconds }) => ({ from: from ? Date.parse(from) : -Infinity, name, seconds }))

// The offsets of a status begin a year before it. Those of the days begin with the history.
const recent = { list: [{ from: -Infinity, name: 'UTC', seconds: 0 }], begin: -Infinity }
let all = null

export const setOffsets = ({ time, offsets }) => {
  if (!offsets?.length) return
  recent.list = parsed(offsets)
  recent.begin = Date.parse(time) - 365 * 86_400_000
}
export const setAllOffsets = (offsets) => {
  all = parsed(offsets)
}

const offset = (time) => {
  const list = (time < recent.begin && all) || recent.list
  return list.findLast(({ from }) => from <= time) ?? list[0]
}

/** The moment whose time in UTC is the Pi's time at `time`. */
export const local = (time) => +time + offset(+time).seconds * 1000

/** Such as `CET, UTC+01:00`. */
export const zoneName = (time) => {
  const { name, seconds } = offset(time)
  const minutes = Math.abs(Math.round(seconds / 60))
  const digits = [Math.floor(minutes / 60), minutes % 60].map((number) => String(number).padStart(2, '0')).join(':')
  const text = seconds === 0 ? 'UTC' : `UTC${seconds < 0 ? '−' : '+'}${digits}`
  // Zones without a name of their own are called +03.
  return /^[A-Z]/i.test(name) && name !== text ? `${name}, ${text}` : text
}

/** The day of a moment, such as `2026-11-21`. */
export const dayOf = (time) => new Date(local(time)).toISOString().slice(0, 10)

/** The beginning of such a day, or of the one some days later. */
export const midnight = (day, days = 0) => {
  const [year, month, date] = day.split('-').map(Number)
  const wanted = Date.UTC(year, month - 1, date + days)
  const before = offset(wanted - 86_400_000).seconds
  const found = [before, offset(wanted + 86_400_000).seconds]
    .map((seconds) => wanted - seconds * 1000)
    .filter((time) => local(time) === wanted)
  // Where the clock is put forward at midnight, the day begins at the change.
  return found.length ? Math.min(...found) : wanted - before * 1000
}
