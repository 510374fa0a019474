// The radios of a house with several Pis: what each receives, and which of them are away.
import { api, el, keyed, put, putRich } from './base.js'
import { live } from './live.js'
import { duration, has, plain, sentence, since, t } from './words.js'

/** The nodes are requested at this interval while Now is shown. */
const pollEvery = 30_000

/** A site may have hundreds of nodes. */
const mostRows = 50

/** The claim at the broker decides which node is the hub. A second hub has the same kind. */
const kindOf = ({ name, kind, online }, { hub }) => {
  if (name === hub) return t('node_hub')
  if (kind === 'hub' && hub) return online ? t('node_second') : null
  return has(`node_${kind}`) ? t(`node_${kind}`) : null
}

/** The state of a node as text, and whether its radio receives. */
const stateOf = (node, report) => {
  const { name, online, radio, listening, reason, receiver } = node
  const isOwn = name === report.node
  if (!online) return [t(isOwn && !report.connected ? 'nodeAlone' : 'nodeOffline'), false]
  if (radio?.away && !isOwn) return [t('nodeAway', duration(radio.age * 1000)), false]
  if (listening === false) return [reason ? sentence(reason) : t('notListening'), false]
  if (receiver?.deaf) return [t('notListening'), false]
  const interval = receiver?.interval >= 0.1 ? t('nodeInterval', plain(receiver.interval)) : ''
  const rejected = Object.values(receiver?.rejected ?? {}).reduce((sum, count) => sum + count, 0)
  const notes = [interval, rejected ? t('nodeRejected', plain(rejected, 0)) : ''].filter(Boolean)
  return [[radio && !isOwn ? t('nodeReport', duration(radio.age * 1000)) : t('nodeOnline'), ...notes].join(' · '), true]
}

/** A row for each node of the house; none if there is one node alone. */
export const radioRows = (report) => {
  if (report.nodes.length < 2) return []
  return report.nodes.map((node) => {
    const { name, room, radio } = node
    const [state, isGood] = stateOf(node, report)
    const current = isGood && radio
    return {
      name,
      kind: node.receiver?.make ?? kindOf(node, report),
      isOwn: name === report.node,
      room: room ? t('room', room) : '',
      state,
      isGood,
      // The hub counts what its own radio receives, and the reports of the others; a receiver counts none.
      numbers: [
        current ? plain(radio.rate) : '',
        current ? t('percent', plain(radio.share * 100, 0)) : '',
        radio ? plain(radio.lost, 0) : '',
      ],
    }
  })
}

const columns = ['nodeRate', 'nodeShare', 'nodeLost']

const rowPart = ({ name }) => {
  const [kind, own] = [0, 1].map(() => el('span', { class: 'tag' }))
  const room = el('span', { class: 'quiet small' })
  // A narrow screen shows the names of the columns in the cells.
  const numbers = columns.map((name) => el('td', { class: 'number', 'data-name': t(name) }))
  const state = el('td')
  const node = el('tr', {}, el('th', { scope: 'row' }, el('b', {}, name), ' ', kind, ' ', own, ' ', room), numbers, state)
  return {
    node,
    update(row) {
      put(kind, row.kind ?? '')
      kind.hidden = !row.kind
      put(own, row.isOwn ? t('nodeOwn') : '')
      own.hidden = !row.isOwn
      put(room, row.room)
      numbers.forEach((cell, index) => {
        put(cell, row.numbers[index])
        cell.hidden = row.hasNoNumbers
      })
      put(state, row.state)
      node.classList.toggle('bad', !row.isGood)
    },
  }
}

export const radiosPart = () => {
  const heads = columns.map((name) => el('th', { scope: 'col', class: 'number' }, t(name)))
  const body = el('tbody')
  const more = el('p', { class: 'quiet small' })
  const node = el(
    'div',
    { hidden: true },
    el('h2', { id: 'radios' }, t('nodes')),
    el(
      'div',
      { class: 'card radios' },
      el(
        'table',
        { 'aria-labelledby': 'radios' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('node')), heads, el('th', { scope: 'col' }, t('nodeState')))),
        body,
      ),
      more,
    ),
  )
  const update = keyed(body, rowPart)
  let isShown = false
  let askedAt = 0

  const load = async () => {
    const { status } = live
    if (!isShown || live.isOut || !status || Date.now() - askedAt < pollEvery) return
    if (!status.mqtt) {
      node.hidden = true
      return
    }
    askedAt = Date.now()
    try {
      const rows = radioRows(await api('v1/nodes'))
      const hasNoNumbers = rows.every(({ numbers }) => numbers.every((number) => !number))
      for (const head of heads) head.hidden = hasNoNumbers
      if (rows.length > mostRows) rows.sort((one, other) => one.isGood - other.isGood)
      update(rows.slice(0, mostRows).map((row) => ({ ...row, hasNoNumbers })), (row) => row.name)
      putRich(more, rows.length > mostRows ? t('nodesMore', rows.length - mostRows) : '')
      more.hidden = !more.textContent
      node.hidden = !rows.length
    } catch {}
  }
  live.addEventListener('status', load)
  return {
    node,
    show() {
      isShown = true
      load()
    },
    hide() {
      isShown = false
    },
  }
}
