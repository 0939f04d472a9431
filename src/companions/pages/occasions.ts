import { counted } from '../../api/counted.ts'
import { isNamed } from '../../api/fights/outcomes.ts'
import { eventPath } from '../../api/pagePaths.ts'
import { tournamentStart } from '../../data/league/order.ts'
import type { Tournament, TournamentInfo } from '../../data/league/types.ts'
import { share } from '../../derived/careers/durations.ts'
import { perValue } from '../../runtime/once.ts'
import { list } from './elements.ts'
import { botLink, hasBye } from './fights.ts'
import { type Html, html } from './html.ts'
import { name, type Viewing } from './site.ts'
import { classWords, percent } from './words.ts'

/** The tournaments of one event: classes that begin within a day and a half of each other, newest first. */
export type Occasion = readonly Tournament[]

const occasionSeconds = 36 * 3600

/** Start, else planned start. */
export const knownStart = ({ startUnix, scheduledStartUnix }: TournamentInfo): number | null =>
  startUnix ?? scheduledStartUnix

const startOf = ({ info }: Tournament): number => tournamentStart(info)

/** Start of its first class. */
export const startsAt = (occasion: Occasion): number => Math.min(...occasion.map(startOf))

/** All events, newest first. */
export const occasionsOf = perValue((tournaments: readonly Tournament[]): readonly Occasion[] => {
  const occasions: Tournament[][] = []
  for (const tournament of tournaments.toSorted((a, b) => startOf(b) - startOf(a))) {
    const last = occasions.at(-1)
    const [first] = last ?? []
    if (last && first && startOf(first) - startOf(tournament) < occasionSeconds)
      last.push(tournament)
    else occasions.push([tournament])
  }
  return occasions
})

type Named = Pick<TournamentInfo, 'id' | 'name' | 'weightClassPounds' | 'weightClassName'>

/** Common beginning of the names of the classes, in whole words: `Cageside March 2026`; empty if there is none. */
const commonName = (classes: readonly Named[]): string => {
  const [first = [], ...others] = classes.map(({ name }) => name.split(' '))
  if (others.length === 0) return first.join(' ')
  const end = first.findIndex((word, index) => others.some((words) => words[index] !== word))
  return first.slice(0, end < 0 ? first.length : end).join(' ')
}

export const nameOf = (occasion: Occasion): string => commonName(occasion.map(({ info }) => info))

/** Classes of an event, each with its difference from the others, such as `3 lb Freestyle`. */
export const classesOf = (
  classes: readonly Named[],
): readonly { readonly id: string; readonly text: string }[] => {
  const common = commonName(classes).length
  return classes.map(({ id, name, ...weightClass }) => ({
    id,
    text:
      classes.length > 1
        ? (name.slice(common).trim() || name).replace(/(?<=\d)lb\b/, ' lb')
        : classWords(weightClass),
  }))
}

/** True if a tournament has begun; one that is marked as active may wait for its first fight. */
export const hasBegun = ({ info, completedFights }: Tournament): boolean =>
  completedFights > 0 || info.startUnix !== null

/** Numbers of fights of a tournament: all fights, even if their bots are not known yet, and fights that are over. */
export const progressOf = (viewing: Viewing, { games }: Tournament) => {
  const named = [...games.values()].filter((game) => isNamed(viewing, game))
  const all = named.filter((game) => game.isFight || (game.state !== 'done' && !hasBye(game)))
  return { all: all.length, done: all.filter(({ isCompleted }) => isCompleted).length }
}

/** The winner of a tournament, or how far it is. */
const stateOf = (viewing: Viewing, tournament: Tournament) => {
  const { info, players } = tournament
  if (!hasBegun(tournament)) return html`<i>to come</i>`
  if (info.active) {
    const { done, all } = progressOf(viewing, tournament)
    return html`<i>${percent(share(done, all))} fought</i>`
  }
  const first = players.find(({ placement }) => placement === 1)
  return (
    viewing.showsOutcomes &&
    first &&
    html`<span class="place">1</span> ${botLink(viewing, first.player)}`
  )
}

/** The classes of an event, one a line, with its winner or how far it is. */
export const classList = (viewing: Viewing, occasion: Occasion): Html => {
  const texts = classesOf(occasion.map(({ info }) => info))
  return list(
    'found',
    occasion.map((tournament, index) => {
      const { id, numPlayers } = tournament.info
      return html`<a href="${viewing.href(eventPath(id))}">${name(texts[index]?.text ?? '')}</a> <small>${counted(numPlayers, 'bot')}</small> <span>${stateOf(viewing, tournament)}</span>`
    }),
  )
}

/** Time after which an event under way counts as left, if nothing has begun in it: two days. */
const leftSeconds = 2 * 86_400

/** Start of the last fight of a tournament, else start of the tournament. */
export const lastBegunUnix = (tournament: Tournament): number =>
  tournament.fights.reduce(
    (last, { startUnix }) => Math.max(last, startUnix ?? 0),
    startOf(tournament),
  )

/** Unix seconds until which a tournament under way counts as under way. */
export const underWayUntil = (tournament: Tournament): number =>
  tournament.info.active ? lastBegunUnix(tournament) + leftSeconds : 0
