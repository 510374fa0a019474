// What happened in a part of a day, the latest first.
import { api, el, putRich, rich } from './base.js'
import { partQuery } from './picture.js'
import { bluetoothReason, has, promptText, resultText, sentence, t, timeWithSeconds } from './words.js'

/** What happened, in a line; null for what is not worth one. */
export const eventText = (event) => {
  const name = event.identifier ?? event.name ?? event.address
  const text = () => {
    switch (event.event) {
      case 'didRangeBeacons':
        return null
      case 'didDetermineState':
        return t('e_didDetermineState', event.region, t(`s_${event.state}`))
      case 'monitoringDidFail':
      case 'rangingBeaconsDidFail':
        return t(`e_${event.event}`, event.region, event.reason)
      case 'bluetoothStateDidUpdate':
        return t('e_bluetooth', t(`bt_${event.state}`), bluetoothReason(event))
      case 'wifiPrompt':
        return t('e_wifiPrompt', promptText('ask', event, event.ssid))
      case 'wifiPromptWithdrawn':
        return t('e_wifiPromptWithdrawn', promptText('ask', event, event.ssid))
      case 'wifiPromptAnswered':
        return t('e_wifiPromptAnswered', event.ssid, t(event.answer))
      case 'wifiJoined':
      case 'wifiJoinFailed':
      case 'wifiActionCompleted':
      case 'wifiActionFailed':
      case 'wifiUnavailable':
      case 'wifiAccessLimited':
        return resultText(event)
      case 'peripheralDidConnect':
      case 'peripheralDidDisconnect':
        return t(`e_${event.event}`, name ?? event.service)
      case 'peripheralDidFailToConnect':
        return t('e_peripheralDidFailToConnect', name ?? event.service, sentence(event.reason))
      case 'didDetermineRoom':
        return event.room ? t('e_room', event.region, event.room) : t('e_noRoom', event.region)
      default:
        return has(`e_${event.event}`) ? t(`e_${event.event}`, event.region) : event.event
    }
  }
  const line = text()
  return line && event.scope === 'house' && event.event !== 'didDetermineRoom' ? t('e_house', line) : line
}

/** The events that have a line in the list, with its text. */
export const shownEvents = (events) => {
  // An entry, an exit and a start of the monitoring imply the state.
  const implied = new Set(
    events
      .filter(({ event }) => /^did(Enter|Exit)Region$|^didStartMonitoring$/.test(event))
      .map((event) => `${event.region} ${event.time}`),
  )
  return events
    .filter((event) => event.event !== 'didDetermineState' || !implied.has(`${event.region} ${event.time}`))
    .map((event) => [event, eventText(event)])
    .filter(([, text]) => text)
}

export const happenedPart = () => {
  const list = el('ol', { class: 'plain events' })
  const nothing = el('p', { class: 'quiet', hidden: true }, t('nothingHappened'))
  const more = el('p', { class: 'quiet', hidden: true }, t('more'))
  const trouble = el('p', { class: 'error', role: 'alert', hidden: true })
  let asked = 0

  const fill = ({ events, more: isMore }) => {
    const items = shownEvents(events).reverse()
    list.replaceChildren(
      ...items.map(([event, text]) => {
        const time = el('time', { datetime: event.time }, timeWithSeconds(Date.parse(event.time)))
        return el('li', { 'data-event': event.event }, time, rich('span', {}, text))
      }),
    )
    nothing.hidden = items.length > 0
    more.hidden = !isMore
  }
  return {
    node: el('div', { class: 'card' }, list, nothing, more, trouble),
    async load(part) {
      asked += 1
      const mine = asked
      let answer = { events: [] }
      let why = ''
      try {
        answer = await api(`v1/history${partQuery(part)}`)
      } catch (error) {
        why = error.message
      }
      // The user may have opened another view meanwhile.
      if (mine !== asked) return
      putRich(trouble, why)
      trouble.hidden = !why
      fill(answer)
    },
  }
}
