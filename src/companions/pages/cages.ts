import { Type } from '@sinclair/typebox'
import { duration } from '../../api/counted.ts'
import { isNamed } from '../../api/fights/outcomes.ts'
import { fightWords } from '../../api/fights/words.ts'
import { viewCages } from '../../api/live/lookup.ts'
import type { CageState } from '../../api/live/schema.ts'
import type { Cage, Fight } from '../../data/league/types.ts'
import { weightClassLabel } from '../../data/league/weightClass.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { queueTime } from './expected.ts'
import { cornerName, corners, eventLink, fightAddress, fightRows } from './fights.ts'
import { type Html, html, type Part } from './html.ts'
import type { Viewing } from './site.ts'
import { method } from './words.ts'

/** Query parameter with the number of a cage. */
export const cageNumber = Type.Optional(Type.Integer({ minimum: 1, maximum: 9999 }))

/** A cage, and its state at the time of the request. */
export interface CageNow {
  readonly cage: Cage
  readonly state: CageState
}

/** A fight that may not be named is neither in the cage nor in its queue. */
const shownCage = (viewing: Viewing, { cage, state }: CageNow): CageNow => {
  const queue = cage.queue.filter((fight) => isNamed(viewing, fight))
  return cage.fight === null || isNamed(viewing, cage.fight)
    ? { cage: { ...cage, queue }, state }
    : { cage: { ...cage, status: 'idle', fight: null, queue }, state: { ...state, status: 'idle' } }
}

/** All cages at a time, by number. */
export const findCages = (archive: TrackedArchive, viewing: Viewing): readonly CageNow[] => {
  const { cages } = archive
  return viewCages(archive, (stateOf) =>
    Object.values(cages).map((cage: Cage) => shownCage(viewing, { cage, state: stateOf(cage) })),
  ).sort((a, b) => a.cage.number - b.cage.number)
}

/** Cages that the league has, and cages that shown fights wait for; all if there are none. */
export const findOwnCages = (archive: TrackedArchive, viewing: Viewing): readonly CageNow[] => {
  const all = findCages(archive, viewing)
  const own = all.filter(({ cage }) => cage.isOwn || cage.queue.length > 0)
  return own.length > 0 ? own : all
}

/** True without a fight in it or waiting for it. */
export const isIdle = ({ cage }: CageNow): boolean => !cage.fight && cage.queue.length === 0

const statusNames: Readonly<Record<CageState['status'], string>> = {
  idle: 'Idle',
  assigned: 'Loading in',
  active: 'Fighting',
  paused: 'Paused',
  completed: 'Fight over',
}

const isTimeUp = ({ countdownSeconds }: Fight, { status, matchTime }: CageState): boolean =>
  status === 'active' && countdownSeconds !== null && matchTime >= countdownSeconds

/** State of a cage in words. */
export const statusText = ({ cage: { fight, queue }, state }: CageNow): string => {
  if (fight) return isTimeUp(fight, state) ? 'Time is up' : statusNames[state.status]
  return queue.length > 0 ? 'Next' : statusNames.idle
}

/** The fight clock, which `browser/live.ts` lets run on. */
export const clock = (fight: Fight, state: CageState): Html => {
  const { status, matchTime } = state
  const limit = fight.countdownSeconds
  const isCounting = status === 'active' && fight.state === 'active' && !isTimeUp(fight, state)
  return html`<span class="fight-clock"${isCounting && html` data-seconds="${matchTime}" data-limit="${limit ?? ''}"`}>${duration(matchTime)}</span>`
}

const isRunning = ({ status }: CageState): boolean => status === 'active' || status === 'paused'

const cageFight = (viewing: Viewing, fight: Fight, state: CageState, isBoard: boolean): Html => {
  // The length of a fight that is over would hint at its outcome.
  const how =
    viewing.showsOutcomes &&
    fight.winAnnotation !== null &&
    html`, ${method(fight.winAnnotation)}${state.matchTime > 0 && html` ${duration(state.matchTime)}`}`
  const time = queueTime(viewing, state, fight)
  const label = weightClassLabel(fight.tournament)
  const where = !isBoard && html` of ${eventLink(viewing, fight.tournament)}`
  return html`${
    isRunning(state) &&
    html`
      <p class="time">${clock(fight, state)}${fight.countdownSeconds !== null && html` <small>of ${duration(fight.countdownSeconds)}</small>`}</p>`
  }${corners(viewing, fight)}
      <p class="soft">${time && html`${time} `}<a href="${fightAddress(viewing, fight)}">${fightWords(fight)}</a>${where}${label && html`, ${label}`}${how}</p>`
}

/** One cage: its fight with the clock, else the first waiting one, and the next ones; a board in a room shows two. */
export const cageCard = (viewing: Viewing, now: CageNow, isBoard: boolean): Html => {
  const { cage, state } = now
  const [fight, ...next] = [cage.fight ?? [], cage.queue].flat()
  const maxNext = isBoard ? 2 : 4
  const rest = next.length - maxNext
  return html`
    <li class="card cage ${state.status}" id="cage-${cage.number}">
      <h2>${state.cage} <span class="status">${statusText(now)}</span></h2>${fight && cageFight(viewing, fight, state, isBoard)}${
        next.length > 0 &&
        html`
      <ol class="next">${next
        .slice(0, maxNext)
        .map(
          (fight) =>
            html`<li>${cornerName(viewing, fight, fight.red)} v ${cornerName(viewing, fight, fight.blue)} <small>${queueTime(viewing, state, fight)}</small></li>`,
        )}</ol>`
      }${rest > 0 && html`<p class="soft">then ${rest} more</p>`}${!isBoard && html`<p class="soft"><small><a href="${viewing.href(`/overlay#state-${cage.number}`)}">Overlay for a stream</a></small></p>`}
    </li>`
}

/** The fight in each cage, else the next one there, as rows. */
export const cageRows = (viewing: Viewing, cages: readonly CageNow[]): Part =>
  fightRows(
    viewing,
    cages.flatMap((each) => {
      const { fight, number, queue } = each.cage
      const { state } = each
      const shown = fight ?? queue[0]
      if (!shown) return []
      return {
        fight: shown,
        when: html`<a href="${viewing.href(`/live?cage=${number}#cage-${number}`)}">${state.cage}</a>`,
        state: html`<span class="status ${state.status}">${statusText(each)}</span> ${isRunning(state) ? clock(shown, state) : html`<small>${queueTime(viewing, state, shown)}</small>`}`,
      }
    }),
  )
