import type { CageState } from '../api/live/schema.ts'
import type { Cage, Fight } from '../league/types.ts'
import type { Scheduled, ScheduleStatus } from '../live/schedule.ts'
import { queueTime } from './expected.ts'
import { cornerName, corners, eventLink, fightAddress, fightRow } from './fights.ts'
import { type Html, html } from './html.ts'
import type { Viewing } from './site.ts'
import { duration } from './times.ts'
import { fightWords, method } from './words.ts'

/** A cage, and its state at the time of the request. */
export interface CageNow {
  readonly cage: Cage
  readonly state: CageState
}

const statusNames: Readonly<Record<CageState['status'], string>> = {
  idle: 'Idle',
  assigned: 'Loading in',
  active: 'Fighting',
  paused: 'Paused',
  completed: 'Last fight',
}

const isTimeUp = ({ countdownSeconds }: Fight, { status, matchTime }: CageState): boolean =>
  status === 'active' && countdownSeconds !== null && matchTime >= countdownSeconds

/** What happens in a cage, in words. */
export const statusText = ({ cage: { fight }, state }: CageNow): string =>
  fight && isTimeUp(fight, state) ? 'Time is up' : statusNames[state.status]

const waitingNames: Readonly<Record<ScheduleStatus, string>> = {
  'In Cage': statusNames.active,
  'Load In': statusNames.assigned,
  Called: 'Called',
  Delayed: 'Delayed',
  'Starting Soon': 'Starting soon',
  Available: 'Available',
}

/**
 * A fight that waits or is in a cage as a row: when, where, and how far it is; the expected start where there is one,
 * else the planned one.
 */
export const waitingRow = (
  viewing: Viewing,
  { fight, status, cage, isPaused, expected }: Scheduled,
  note?: Html,
): Html => {
  const { clock, day, dayKey } = viewing.times
  const time = fight.scheduledUnix
  const begunUnix = fight.tournament.startUnix
  const past = status === 'Delayed' ? html` <small>planned</small>` : undefined
  const isToday = time !== null && begunUnix !== null && dayKey(time) === dayKey(begunUnix)
  const plan =
    time === null
      ? html`${fight.name}`
      : html`${isToday ? undefined : html`${day(time)} `}${clock(time)}${past}`
  return fightRow(viewing, fight, {
    when: html`${expected?.at ? html`≈${clock(expected.at.start)}` : plan} <small>${cage ?? ''}</small>`,
    note,
    state: isPaused ? statusNames.paused : waitingNames[status],
  })
}

/** The fight clock, which `browser/live.ts` lets run on. */
export const clock = (fight: Fight, state: CageState): Html => {
  const { status, matchTime } = state
  const limit = fight.countdownSeconds
  const isCounting = status === 'active' && fight.state === 'active' && !isTimeUp(fight, state)
  return html`<span class="fight-clock"${
    isCounting ? html` data-seconds="${matchTime}" data-limit="${limit ?? ''}"` : undefined
  }>${duration(matchTime)}</span>`
}

const isRunning = ({ status }: CageState): boolean => status === 'active' || status === 'paused'

const cageFight = (viewing: Viewing, { fight }: Cage, state: CageState): Html | undefined => {
  if (!fight) return undefined
  // The length of a fight that is over tells how it went.
  const how =
    viewing.showsOutcomes && fight.winAnnotation !== null
      ? html`, ${method(fight.winAnnotation)} ${duration(state.matchTime)}`
      : undefined
  return html`${
    isRunning(state)
      ? html`
      <p class="time">${clock(fight, state)}</p>`
      : undefined
  }${corners(viewing, fight)}
      <p class="soft"><a href="${fightAddress(viewing, fight)}">${fightWords(fight)}</a> of ${eventLink(viewing, fight.tournament)}${how}</p>`
}

const nextFights = (
  viewing: Viewing,
  { cage: { queue }, state }: CageNow,
  maxFights: number,
): Html | undefined => {
  const rest = queue.length - maxFights
  return queue.length === 0
    ? undefined
    : html`
      <ol class="next">${queue
        .slice(0, maxFights)
        .map(
          (fight) =>
            html`<li>${cornerName(viewing, fight, fight.red)} v ${cornerName(viewing, fight, fight.blue)} <small>${queueTime(viewing, state, fight)}</small></li>`,
        )}</ol>${rest > 0 ? html`<p class="soft">then ${rest} more</p>` : undefined}`
}

/** One cage: its fight with the clock, and the next ones. */
export const cageCard = (viewing: Viewing, { cage, state }: CageNow, maxNext: number): Html => html`
    <li class="card cage ${state.status}" id="cage-${cage.number}">
      <h2>${state.cage} <span class="status">${statusText({ cage, state })}</span></h2>${cageFight(viewing, cage, state)}${nextFights(viewing, { cage, state }, maxNext)}
    </li>`

/** One cage as a row of a list; undefined where nothing is in it. */
export const cageRow = (viewing: Viewing, { cage, state }: CageNow): Html | undefined => {
  const { fight, number } = cage
  if (!fight) return undefined
  return fightRow(viewing, fight, {
    when: html`<a href="${viewing.href(`/live#cage-${number}`)}">${state.cage}</a>`,
    state: html`<span class="status ${state.status}">${statusText({ cage, state })}</span>${isRunning(state) ? html` ${clock(fight, state)}` : undefined}`,
  })
}
