import type { CageState } from '../api/live/schema.ts'
import type { Cage, Fight, Tournament } from '../league/types.ts'
import { cornerLine, cornerName, eventLink, fightAddress, fightRow } from './fights.ts'
import { type Html, html } from './html.ts'
import type { Viewing } from './site.ts'
import { duration } from './times.ts'

/** Where views find the tournament of a fight. */
export interface Tournaments {
  readonly tournaments: ReadonlyMap<string, Tournament>
}

const statusNames: Readonly<Record<CageState['status'], string>> = {
  idle: 'Idle',
  assigned: 'Loading in',
  active: 'Fighting',
  paused: 'Paused',
  completed: 'Last fight',
}

/** The corners of a fight, one above the other. */
export const corners = (viewing: Viewing, tournament: Tournament, fight: Fight): Html =>
  html`${cornerLine(viewing, tournament, fight, 'red')}${cornerLine(viewing, tournament, fight, 'blue')}`

/** The fight clock, which `browser/live.ts` lets run on. */
export const clock = (fight: Fight, { status, matchTime }: CageState): Html => {
  const limit = fight.countdownSeconds
  const isRunning =
    status === 'active' && fight.state === 'active' && (limit === null || matchTime < limit)
  return html`<span class="fight-clock"${
    isRunning ? html` data-seconds="${matchTime}" data-limit="${limit ?? ''}"` : undefined
  }>${duration(matchTime)}</span>`
}

const cageFight = (
  viewing: Viewing,
  { tournaments }: Tournaments,
  { fight }: Cage,
  state: CageState,
): Html | undefined => {
  const tournament = fight && tournaments.get(fight.tournament.id)
  if (!fight || !tournament) return undefined
  // The length of a fight that is over tells how it went.
  const isTimed = state.matchTime > 0 && (viewing.showsOutcomes || state.status !== 'completed')
  const how =
    viewing.showsOutcomes && fight.winAnnotation !== null ? `, ${fight.winAnnotation}` : ''
  return html`${corners(viewing, tournament, fight)}
      <p class="soft"><a href="${fightAddress(viewing, fight)}">${fight.name}</a> of ${eventLink(viewing, tournament.info)}${
        isTimed ? html`, ${clock(fight, state)}` : undefined
      }${how}</p>`
}

const pair = (viewing: Viewing, tournament: Tournament, fight: Fight): Html =>
  html`${cornerName(viewing, tournament, fight, fight.red)} v ${cornerName(viewing, tournament, fight, fight.blue)}`

const nextFights = (
  viewing: Viewing,
  { tournaments }: Tournaments,
  { queue }: Cage,
  maxFights: number,
): Html | undefined => {
  const shown = queue.slice(0, maxFights).flatMap((fight) => {
    const tournament = tournaments.get(fight.tournament.id)
    return tournament ? [pair(viewing, tournament, fight)] : []
  })
  const [first, ...others] = shown
  if (!first) return undefined
  const rest = queue.length - shown.length
  const more = rest > 0 ? `then ${rest} more` : ''
  return maxFights === 1
    ? html`
      <p class="next">Next: ${first}${more === '' ? '' : `, ${more}`}</p>`
    : html`
      <ol class="next">${[first, ...others].map((fight) => html`<li>${fight}</li>`)}${
        more === '' ? undefined : html`<li>${more}</li>`
      }</ol>`
}

/** One cage: its fight, and the next ones. */
export const cageCard = (
  viewing: Viewing,
  league: Tournaments,
  cage: Cage,
  state: CageState,
  { maxNext = 1, heading = 3 }: { readonly maxNext?: number; readonly heading?: 2 | 3 } = {},
): Html => {
  const title = html`${state.cage} <span class="status">${statusNames[state.status]}</span>`
  return html`
    <li class="card cage ${state.status}" id="cage-${cage.number}">
      ${heading === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${cageFight(
        viewing,
        league,
        cage,
        state,
      )}${nextFights(viewing, league, cage, maxNext)}
    </li>`
}

/** One cage as a row of a list; undefined where nothing is in it. */
export const cageRow = (
  viewing: Viewing,
  { tournaments }: Tournaments,
  { fight, number }: Cage,
  state: CageState,
): Html | undefined => {
  const tournament = fight && tournaments.get(fight.tournament.id)
  if (!fight || !tournament) return undefined
  const isTimed = state.status === 'active' || state.status === 'paused'
  return fightRow(viewing, tournament, fight, {
    when: html`<a href="${viewing.href(`/live#cage-${number}`)}">${state.cage}</a>`,
    state: html`<span class="status ${state.status}">${statusNames[state.status]}</span>${isTimed ? html` ${clock(fight, state)}` : undefined}`,
  })
}
