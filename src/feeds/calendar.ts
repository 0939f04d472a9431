import ical, { type ICalEventData, ICalEventStatus } from 'ical-generator'
import type { Bot } from '../careers/bots.ts'
import type { Timed } from '../http/trackedArchive.ts'
import type { Tournament } from '../league/types.ts'
import { weightClassLabel } from '../league/weightClass.ts'
import type { Scheduled } from '../live/schedule.ts'
import { eventPath, fightPath } from '../pages/fights.ts'
import { fightWords } from '../pages/words.ts'
import { fightID, stableID } from './identity.ts'
import {
  fightTitle,
  mayList,
  pageAddress,
  plainText,
  type Telling,
  usualFightSeconds,
} from './text.ts'

/** How often calendar programs are asked to read again. */
const refreshSeconds = 15 * 60

const at = (unix: number): Date => new Date(unix * 1000)

/**
 * Dates of an entry, by the last time known at which anything of it changed. Times only arrive, so
 * `SEQUENCE`, in seconds since the tournament was made, grows with every change that the source dates.
 */
const datesOf = ({
  createUnix,
  times,
}: {
  readonly createUnix: number
  readonly times: readonly (number | null)[]
}): Pick<ICalEventData, 'stamp' | 'created' | 'lastModified' | 'sequence'> => {
  const changedUnix = Math.max(createUnix, ...times.map((time) => time ?? 0))
  return {
    stamp: at(changedUnix),
    created: at(createUnix),
    lastModified: at(changedUnix),
    sequence: changedUnix - createUnix,
  }
}

/** The end only where it is after the start: RFC 5545 forbids an empty duration. */
const span = (startUnix: number, endUnix: number): Pick<ICalEventData, 'start' | 'end'> => ({
  start: at(startUnix),
  ...(endUnix > startUnix ? { end: at(endUnix) } : {}),
})

const write = (name: string, events: readonly ICalEventData[]): string => {
  const calendar = ical({
    name: plainText(name),
    prodId: { company: 'Cageside', product: 'feeds', language: 'EN' },
    ttl: refreshSeconds,
    events: [...events],
  })
  return `${calendar.toString()}\r\n`
}

const hourSeconds = 3600
const daySeconds = 86_400
const hourOf = (unix: number): number => unix - (unix % hourSeconds)
const endUnderWay = (now: number): number => hourOf(now) + 2 * hourSeconds

/** Last time of a tournament's fights, planned ones included; 0 without any. */
const lastOf = ({ info, fights }: Tournament): number => {
  const times = fights.map(({ finishUnix, startUnix, scheduledUnix }) =>
    Math.max(finishUnix ?? 0, startUnix ?? 0, finishUnix === null ? (scheduledUnix ?? 0) : 0),
  )
  return times.reduce((latest, time) => Math.max(latest, time), info.startUnix ?? 0)
}

/**
 * When a tournament ends as far as is known: its end, else that of its last fight. One under way goes on for an hour or
 * two from `now` if nothing later is planned, unless nothing has happened in it for a day.
 */
const endOf = (tournament: Tournament, now: number): number => {
  const { info } = tournament
  if (info.endUnix !== null) return info.endUnix
  const last = lastOf(tournament)
  if (info.active && last <= now && now < last + daySeconds) return endUnderWay(now)
  return last
}

interface Links {
  readonly base: string
  readonly showsOutcomes: boolean
  /** Unix seconds. */
  readonly now: number
}

const tournamentEvent = (
  tournament: Tournament,
  { base, showsOutcomes, now }: Links,
): ICalEventData[] => {
  const { info } = tournament
  const start = info.startUnix ?? info.scheduledStartUnix
  if (start === null) return []
  const { createUnix, updateUnix } = info
  const end = endOf(tournament, now)
  const goesOn = info.active && end === endUnderWay(now)
  // To the second it tells how long the last fight was.
  const [shownEnd, endUnix] = showsOutcomes
    ? [end, info.endUnix]
    : [hourOf(end) + hourSeconds, null]
  const times = [updateUnix, info.startUnix, endUnix, goesOn ? hourOf(now) : null]
  return [
    {
      id: stableID('tournament', info.id),
      ...datesOf({ createUnix, times }),
      ...span(start, shownEnd),
      summary: plainText(info.name),
      description: `${info.numPlayers} bots, ${weightClassLabel(info)}`,
      url: pageAddress(base, eventPath(info.id), { showsOutcomes }),
    },
  ]
}

/** When the end of a tournament under way may change next. */
const endChangesAt = (tournament: Tournament, now: number): number => {
  const last = lastOf(tournament)
  const changes = [last, last + daySeconds, hourOf(now) + hourSeconds]
  return Math.min(...changes.filter((unix) => unix > now))
}

/** iCalendar (RFC 5545) of tournaments; those without a start are left out. */
export const tournamentCalendar = (
  tournaments: readonly Tournament[],
  links: Links,
): Timed<string> => ({
  value: write(
    'Robot combat',
    tournaments.flatMap((tournament) => tournamentEvent(tournament, links)),
  ),
  validUntil: tournaments.reduce(
    (until, each) => (each.info.active ? Math.min(until, endChangesAt(each, links.now)) : until),
    Number.POSITIVE_INFINITY,
  ),
})

/** Expected starts in a calendar are rounded, as it is read rarely. */
const roundedTo = 300

const fightEvent = (
  { fight, cage, expected }: Pick<Scheduled, 'fight' | 'cage' | 'expected'>,
  { base, telling }: { readonly base: string; readonly telling: Telling },
): ICalEventData[] => {
  const { tournament, startUnix, scheduledUnix, stopUnix, endUnix } = fight
  const soon = expected?.at ? Math.round(expected.at.start / roundedTo) * roundedTo : null
  const start = startUnix ?? soon ?? scheduledUnix
  if (start === null) return []
  const { createUnix, updateUnix } = tournament
  // The end of a fight is a hint at its outcome.
  const ends = telling.showsOutcomes ? [stopUnix, endUnix] : []
  const times = [updateUnix, fight.availableUnix, fight.calledUnix, startUnix, ...ends]
  const plannedEnd = start + (fight.countdownSeconds ?? usualFightSeconds)
  return [
    {
      id: fightID(fight, telling.showsOutcomes),
      ...datesOf({ createUnix, times }),
      ...span(start, telling.showsOutcomes ? (stopUnix ?? plannedEnd) : plannedEnd),
      summary: fightTitle(fight, telling),
      description: plainText(`${tournament.name}, ${fightWords(fight)}`),
      ...(cage === null || cage === '' ? {} : { location: plainText(cage) }),
      status: fight.state === 'pending' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
      url: pageAddress(base, fightPath(fight), telling),
    },
  ]
}

/** iCalendar of the fights of bots that have a time, or a time is set for or expected; each fight once. */
export const botCalendar = (
  title: string,
  bots: readonly Bot[],
  upcoming: readonly Pick<Scheduled, 'fight' | 'cage' | 'expected'>[],
  { base, telling }: { readonly base: string; readonly telling: Telling },
): string => {
  const fought = bots.flatMap(({ fights }) =>
    fights.map((fight) => ({ fight, cage: fight.cage, expected: undefined })),
  )
  const entries = new Map([...upcoming, ...fought].map((entry) => [entry.fight, entry]))
  return write(
    title,
    [...entries.values()]
      .filter(({ fight }) => mayList(fight, telling))
      .flatMap((entry) => fightEvent(entry, { base, telling })),
  )
}
