// The headline of Now: which people are at home, by the regions of their beacons.
import { el, put } from './base.js'
import { live } from './live.js'
import { t } from './words.js'

/** The state that counts: the agreed one of a house, if there is one. */
const stateOf = ({ state, house }) => (!house || (house.state === 'unknown' && state === 'inside') ? state : house.state)

/** `inside`, `outside` or `unknown`. An empty home is only reported while every state is known. */
export const presence = (status, isCurrent) => {
  const regions = status?.regions ?? []
  if (!regions.length) return null
  if (!isCurrent || status.stale) return { state: 'unknown', text: t('homeUnknown') }
  const inside = regions.filter((region) => stateOf(region) === 'inside')
  if (inside.length) {
    const names = inside.map(({ identifier, house }) => (house?.room ? t('homeIn', identifier, house.room) : identifier))
    return { state: 'inside', text: t('homeInside', names.join(t('comma'))) }
  }
  const isEmpty = regions.every((region) => stateOf(region) === 'outside')
  return isEmpty ? { state: 'outside', text: t('homeOutside') } : { state: 'unknown', text: t('homeUnknown') }
}

export const headlinePart = () => {
  const node = el('p', { class: 'headline', hidden: true })
  const update = () => {
    const found = presence(live.status, !(live.isOut ?? !live.connected))
    node.hidden = !found
    if (!found) return
    node.dataset.state = found.state
    put(node, found.text)
  }
  for (const name of ['status', 'event', 'link', 'outage']) live.addEventListener(name, update)
  update()
  return node
}
