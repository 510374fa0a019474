// One region: what it is called, which beacons it means, which Wi-Fi, from which signal on, and at which distance.
import { api, el, every, field, put, putRich, session } from './base.js'
import { calibrationPart } from './calibration.js'
import { isLimited, live } from './live.js'
import { networkPart } from './network.js'
import { outcomePart } from './outcome.js'
import { removePart, revertPart } from './remove.js'
import { sensitivityPart } from './sensitivity.js'
import { thresholdsPart } from './thresholds.js'
import { t } from './words.js'

const numbers = ['major', 'minor']

/** The region alone, without the placeholders of its commands: a configuration with a placeholder is refused. */
const regionText = (text, name) => {
  const made = JSON.parse(text).regions.find(({ identifier }) => identifier === name)
  const isShown = ([, value]) => !(Array.isArray(value) && value[0] === '(not/shown)')
  return JSON.stringify(Object.fromEntries(Object.entries(made).filter(isShown)), null, 2)
}

/** Which of the beacons: the one, or all that have some of it in common. */
const identityPart = (uuid, values, mask) => {
  const choices = [
    ['one', t('whichOne'), ['major', 'minor']],
    ['major', t('whichMajor'), ['major']],
    ['uuid', t('whichUUID'), []],
  ].filter(([, , needs]) => needs.every((key) => values[key] != null))
  const radios = choices.map(([value], index) =>
    el('input', { type: 'radio', name: 'which', value, checked: index === 0 }),
  )
  const options = choices.map(([, label, needs], index) => {
    const words = ['UUID', ...needs.map((key) => `${key} ${values[key]}`)].join(', ')
    return el('label', { class: 'option' }, radios[index], el('span', {}, label, el('small', {}, words)))
  })
  return {
    node: el('fieldset', {}, el('legend', {}, t('which')), el('code', { class: 'uuid' }, uuid), options),
    take() {
      radios[0].checked = true
    },
    write() {
      const [, , needs] = choices[radios.findIndex((radio) => radio.checked)]
      const known = numbers.map((key) => [key, needs.includes(key) ? values[key] : null])
      // The mask of a region stays, as long as its numbers do.
      return { uuid, ...Object.fromEntries(known), ...(mask && { mask }) }
    },
  }
}

/**
 * @param subject `{ beacon }` of /v1/beacons for a new region, `{ region }` of the status to change one
 * @param leave called with a message of the change, or with nothing
 */
export const editor = ({ beacon, region }, leave) => {
  const { uuid, major, minor } = beacon ?? region
  let isKnown = !region
  let file = null
  let regions = []

  const name = el('input', {
    id: 'name',
    name: 'identifier',
    autocomplete: 'off',
    maxlength: 64,
    required: true,
    readonly: !!region,
    'aria-describedby': 'name-hint',
    oninput: () => complain(''),
  })
  if (region) name.value = region.identifier
  const identity = identityPart(uuid, { major, minor }, beacon?.proposedMask)
  const [network, thresholds, calibration] = [networkPart(), thresholdsPart(), calibrationPart()]
  const sensitivity = sensitivityPart()
  const parts = [identity, network, thresholds, sensitivity, calibration]
  // The members that each part has read from the file; of a new region none.
  let before = parts.map(() => ({}))
  const outcome = outcomePart()

  const problem = el('p', { class: 'error', role: 'alert', hidden: true })
  const complain = (text, input) => {
    putRich(problem, text)
    problem.hidden = !text
    input?.focus()
  }

  // A merge patch (RFC 7396) with the parts that the user changed. The daemon keeps the rest of the region: keys that this
  // form lacks, commands it does not show, and the layout of the text.
  const changes = () => {
    const now = parts.map((part) => part.write())
    return Object.assign({}, ...now.filter((part, index) => JSON.stringify(part) !== JSON.stringify(before[index])))
  }

  const send = async (isDry) => {
    const wanted = name.value.trim()
    const made = { identifier: region?.identifier ?? wanted, ...changes() }
    if (!wanted) return complain(t('nameMissing'), name)
    const isTaken = [...regions, ...(live.status?.regions ?? [])].some(({ identifier }) => identifier === wanted)
    const present = live.status?.regions.some(({ identifier }) => identifier === wanted)
    join.hidden = !(beacon && isTaken && present)
    put(join, t('joinOf', wanted))
    const joins = isLimited(wanted) ? 'nameJoinNear' : 'nameJoin'
    if (wanted !== region?.identifier && isTaken) return complain(t(join.hidden ? 'nameTaken' : joins), name)
    const renamed = wanted === made.identifier ? {} : { name: wanted }
    complain('')
    for (const button of buttons) button.disabled = true
    try {
      const answer = await api('v1/configuration/region', { region: made, ...renamed, dry: isDry })
      if (answer.written) {
        stop()
        return leave(t('saved', wanted))
      }
      const where = answer.file
      const whole = file?.writable ? t('wouldBe', where) : t('notWritten', where)
      const why = answer.redacted ? t('redacted', where) : whole
      const text = answer.redacted ? regionText(answer.text, wanted) : answer.text
      outcome.show(text, file?.writable ? why : [file?.reason ?? answer.reason, why].filter(Boolean).join(' '))
    } catch (error) {
      complain(error.message)
    } finally {
      enable()
    }
  }
  // Another sign of a region that exists: a tag beside a phone.
  const join = el('button', { type: 'button', hidden: true, onclick: () => add(name.value.trim()) })
  const add = async (wanted) => {
    join.disabled = true
    try {
      const limits = Object.entries(thresholds.write()).filter(([, value]) => value != null)
      const answer = await api('v1/configuration/region/signs', { region: wanted, ...identity.write(), ...Object.fromEntries(limits) })
      if (!answer.written) return complain(answer.reason ?? '')
      stop()
      leave(t('joined', wanted))
    } catch (error) {
      complain(error.message)
    } finally {
      join.disabled = false
    }
  }
  const save = el('button', { class: 'main' }, t('save'))
  const preview = el('button', { type: 'button', onclick: () => send(true) }, t('showText'))
  const buttons = [save, preview]
  // What is not known of a region would be lost.
  const enable = () => {
    for (const button of buttons) button.disabled = !isKnown || !session.now?.csrf
  }
  const cancel = () => {
    stop()
    leave()
  }
  const submit = (event) => {
    event.preventDefault()
    send(false)
  }

  const source = el('p', { class: 'quiet small', id: 'name-hint' }, region ? '' : t('nameHint'))
  const end = (text) => (stop(), leave(text))
  const remove = region && removePart(region.identifier, end, complain)
  const revert = region && revertPart(region.identifier, end, complain)
  const heading = el('h2', { tabindex: -1 }, region ? t('changing', region.identifier) : t('newRegion'))
  const node = el(
    'form',
    { class: 'editor', novalidate: true, onsubmit: submit },
    heading,
    el('div', { class: 'card' }, field('name', t('name'), name), source, identity.node),
    network.node,
    thresholds.node,
    sensitivity.node,
    calibration.node,
    problem,
    el('div', { class: 'buttons end' }, save, join, preview, el('button', { type: 'button', onclick: cancel }, t('cancel'))),
    outcome.node,
    remove?.node,
    revert?.node,
  )

  const take = (known) => {
    for (const part of parts) part.take(known)
    before = parts.map((part) => part.write())
    isKnown = true
    enable()
  }
  const ask = async () => {
    try {
      file = await api('v1/configuration')
      put(save, t(file.writable ? 'save' : 'showText'))
      preview.hidden = !file.writable
      regions = JSON.parse(file.text || '{}').regions ?? []
      const known = regions.find(({ identifier }) => identifier === region?.identifier)
      const from = file.regions?.find(({ identifier }) => identifier === region?.identifier)
      if (from) {
        name.readOnly = from.fixed
        remove.enable(!from.fixed && !!session.now?.csrf)
        revert.enable(!!from.changed && !!session.now?.csrf)
        const changed = from.changed ? t('isChanged', from.changed) : ''
        putRich(source, [from.fixed ? t('isFixed', from.file) : t('isIn', from.file), changed].join(' '))
      }
      if (known) take(known)
      else if (region) complain(t('notInFile', file.file))
    } catch (error) {
      complain(error.message)
    }
  }
  enable()
  ask()

  const isMeant = (one) =>
    one.uuid === uuid && (major == null || one.major === major) && (minor == null || one.minor === minor)
  let counted = null
  const heard = (beacons) => {
    const meant = beacons.filter((one) => isMeant(one) && one.age < 60)
    calibration.heard(meant)
    // Of several, the loudest is drawn.
    const [loudest] = meant.sort((a, b) => (b.rssi ?? -127) - (a.rssi ?? -127))
    const isNew = loudest && loudest.count !== counted
    thresholds.heard(isNew ? loudest : null)
    counted = loudest?.count
  }
  // Each advertisement is a reading: while it is measured it is looked at as often as is fair to the Pi.
  const often = every(250, async () => {
    if (calibration.isRunning()) heard(await api('v1/beacons'))
  })
  often.start()
  const stop = () => {
    calibration.stop()
    often.stop()
  }
  return {
    node,
    stop,
    heard: (beacons) => calibration.isRunning() || heard(beacons),
    focus: () => (region ? heading : name).focus(),
  }
}
