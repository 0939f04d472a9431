import ical, { type ICalEventData, ICalEventStatus } from 'ical-generator'
import { counted } from '../../api/counted.ts'
import { fightWords } from '../../api/fights/words.ts'
import { eventPath, fightPath } from '../../api/pagePaths.ts'
import { areFarApart } from '../../data/league/mistypedYears.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { weightClassLabel } from '../../data/league/weightClass.ts'
import type { Scheduled } from '../../derived/live/schedule.ts'
import type { Timed } from '../../http/trackedArchive.ts'
import { fightID, stableID } from './identity.ts'
import { clockSeconds, fightTitle, pageAddress, plainText, type Telling } from './text.ts'

/** Interval at which calendar programs are asked to read again. */
const refreshSeconds = 15 * 60

const at = (unix: number): Date => new Date(unix * 1000)

const hourSeconds = 3600
const daySeconds = 86_400

/** Epoch of `SEQUENCE`, which must stay below 2^31. */
const firstUnix = 1_577_836_800

interface Revision {
  readonly createUnix: number
  /** Known times of changes to the entry. */
  readonly times: readonly (number | null)[]
  /** Start of the entry. */
  readonly start: number
  /**
   * Now, rounded down to a whole period, while the entry may move; else the end of the last fight of its tournament.
   */
  readonly clock: { readonly unix: number; readonly period: number | null }
}

/** Now, rounded down to a whole period, if the entry may move. */
const movingClock = (now: number, period: number): Revision['clock'] => ({
  unix: now - (now % period),
  period,
})

/**
 * Dates of an entry. Calendar programs accept a new time only with a higher `SEQUENCE`, but no source dates the move of
 * a planned time. So `SEQUENCE` is the sum of the last known change, the start in minutes and the clock: it is higher
 * at once for a postponed fight, and from the next period on after any other move. Services with equal data agree.
 */
const datesOf = ({
  createUnix,
  times,
  start,
  clock: { unix, period },
}: Revision): Pick<ICalEventData, 'stamp' | 'created' | 'lastModified' | 'sequence'> => {
  const changedUnix = Math.max(createUnix, ...times.map((time) => time ?? 0))
  const since = (time: number): number => Math.max(0, time - firstUnix)
  const sequence = since(changedUnix) + since(unix) + Math.floor(since(start) / 60)
  const modified =
    period === null ? changedUnix : Math.max(createUnix, unix - period + (sequence % period))
  return {
    stamp: at(modified),
    ...(createUnix > 0 ? { created: at(createUnix) } : {}),
    lastModified: at(modified),
    sequence,
  }
}

/** The end is given only if it is after the start: RFC 5545 forbids an empty duration. */
const span = (startUnix: number, endUnix: number): Pick<ICalEventData, 'start' | 'end'> => ({
  start: at(startUnix),
  ...(endUnix > startUnix ? { end: at(endUnix) } : {}),
})

/** Escapes a calendar name, which the library does not do. */
const escapedText = (text: string): string => text.replace(/[\\;,]/g, '\\$&')

/** RFC 5545 requires a component in each calendar: a calendar without entries gets the definition of its time zone. */
const zone = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
  'END:VCALENDAR',
].join('\r\n')

const write = (name: string, events: readonly ICalEventData[]): string => {
  const calendar = ical({
    name: escapedText(plainText(name)),
    prodId: { company: 'Cageside', product: 'feeds', language: 'EN' },
    ttl: refreshSeconds,
    events: [...events],
  })
  const text =
    events.length > 0 ? calendar.toString() : calendar.toString().replace(/END:VCALENDAR$/, zone)
  return `${text}\r\n`
}

const hourOf = (unix: number): number => unix - (unix % hourSeconds)
const endUnderWay = (now: number): number => hourOf(now) + 2 * hourSeconds

/** Last time of a tournament's fights, planned ones included; 0 if there is none. */
const lastOf = ({ info, fights }: Tournament): number => {
  const times = fights.map(({ finishUnix, startUnix, scheduledUnix }) =>
    Math.max(finishUnix ?? 0, startUnix ?? 0, finishUnix === null ? (scheduledUnix ?? 0) : 0),
  )
  return times.reduce((latest, time) => Math.max(latest, time), info.startUnix ?? 0)
}

/**
 * End of a tournament as far as it is known: its end, else the end of its last fight. A tournament under way goes on
 * for an hour or two from `now` if nothing later is planned, unless nothing has happened in it for a day.
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
  /** Time of the request in Unix seconds. */
  readonly now: number
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Usual length of tournaments in seconds, in half hours: the median of those that are over; 0 without any. */
const usualLength = (tournaments: readonly Tournament[]): number => {
  const lengths = tournaments.flatMap(({ info: { startUnix, endUnix } }) =>
    startUnix !== null && endUnix !== null && endUnix > startUnix ? [endUnix - startUnix] : [],
  )
  return Math.ceil((2 * median(lengths)) / hourSeconds) * (hourSeconds / 2)
}

const mayMove = ({ info }: Tournament): boolean => info.active || info.startUnix === null

const tournamentEvent = (
  tournament: Tournament,
  { base, showsOutcomes, now, usualSeconds }: Links & { readonly usualSeconds: number },
): ICalEventData[] => {
  const { info } = tournament
  const start = info.startUnix ?? info.scheduledStartUnix
  if (start === null) return []
  const { createUnix, updateUnix } = info
  const isToCome = info.startUnix === null
  const end = Math.max(endOf(tournament, now), isToCome ? start + usualSeconds : 0)
  // The exact end would reveal the length of the last fight.
  const [shownEnd, endUnix] =
    showsOutcomes || isToCome ? [end, info.endUnix] : [hourOf(end) + hourSeconds, null]
  const clock = mayMove(tournament)
    ? movingClock(now, hourSeconds)
    : { unix: Math.max(updateUnix, shownEnd), period: null }
  return [
    {
      id: stableID('tournament', info.id),
      ...datesOf({ createUnix, times: [updateUnix, info.startUnix, endUnix], start, clock }),
      ...span(start, shownEnd),
      summary: plainText(info.name),
      description: [counted(info.numPlayers, 'bot'), weightClassLabel(info)]
        .filter(Boolean)
        .join(', '),
      url: pageAddress(base, eventPath(info.id), { showsOutcomes }),
    },
  ]
}

/** Time at which the entry of a tournament may next change without new data. */
const changesAt = (tournament: Tournament, now: number): number => {
  if (!mayMove(tournament)) return Number.POSITIVE_INFINITY
  const last = lastOf(tournament)
  const changes = [last, last + daySeconds, hourOf(now) + hourSeconds]
  return Math.min(...changes.filter((unix) => unix > now))
}

/** iCalendar (RFC 5545) of tournaments; a tournament without a start is left out. */
export const tournamentCalendar = (
  tournaments: readonly Tournament[],
  links: Links,
): Timed<string> => {
  const options = { ...links, usualSeconds: usualLength(tournaments) }
  return {
    value: write(
      'Robot combat',
      tournaments.flatMap((tournament) => tournamentEvent(tournament, options)),
    ),
    validUntil: tournaments.reduce(
      (until, each) => Math.min(until, changesAt(each, links.now)),
      Number.POSITIVE_INFINITY,
    ),
  }
}

/** Expected starts in a calendar are rounded, because it is read rarely. */
const roundedTo = 300

type Entry = Pick<Scheduled, 'fight' | 'cage' | 'expected'>
interface FightLinks {
  readonly base: string
  readonly telling: Telling
  /** Time of the request in Unix seconds. */
  readonly now: number
}

/** True if the time of a fight or of its entry may still change. */
const fightMayMove = ({ tournament, state }: Fight): boolean =>
  tournament.active || state !== 'done'

/** Start and end of an entry; null if neither is known. The end of a fight hints at its outcome. */
const timesOf = (
  { fight, expected }: Entry,
  { showsOutcomes }: Telling,
): { readonly start: number; readonly end: number } | null => {
  const { startUnix, scheduledUnix } = fight
  const seconds = clockSeconds(fight)
  const over = fight.stopUnix ?? fight.endUnix
  if (over !== null && showsOutcomes) return { start: startUnix ?? over - seconds, end: over }
  const soon = expected?.at ? Math.round(expected.at.start / roundedTo) * roundedTo : null
  const start = startUnix ?? soon ?? scheduledUnix ?? (over === null ? null : over - seconds)
  return start === null ? null : { start, end: start + seconds }
}

const fightEvent = (entry: Entry, { base, telling, now }: FightLinks): ICalEventData[] => {
  const { fight, cage } = entry
  const times = timesOf(entry, telling)
  if (times === null) return []
  const { tournament, startUnix, stopUnix, endUnix } = fight
  const { createUnix, updateUnix } = tournament
  const ends = telling.showsOutcomes ? [stopUnix, endUnix] : []
  const calls = [fight.availableUnix, fight.calledUnix].filter(
    (unix) => unix !== null && !areFarApart(unix, times.start),
  )
  const clock = fightMayMove(fight)
    ? movingClock(now, refreshSeconds)
    : { unix: Math.max(updateUnix, tournament.endUnix ?? 0), period: null }
  return [
    {
      id: fightID(fight, telling.showsOutcomes),
      ...datesOf({
        createUnix,
        times: [updateUnix, ...calls, startUnix, ...ends],
        start: times.start,
        clock,
      }),
      ...span(times.start, times.end),
      summary: fightTitle(fight, telling),
      description: plainText(`${tournament.name}, ${fightWords(fight)}`),
      ...(cage === null || cage === '' ? {} : { location: plainText(cage) }),
      status: fight.state === 'pending' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
      url: pageAddress(base, fightPath(fight), telling),
    },
  ]
}

/** iCalendar of all fights with an actual, planned or expected time, each once. */
export const fightCalendar = (
  title: string,
  fights: readonly Fight[],
  upcoming: readonly Entry[],
  links: FightLinks,
): Timed<string> => {
  const fought = fights.map((fight) => ({ fight, cage: fight.cage, expected: undefined }))
  const known = new Map([...upcoming, ...fought].map((entry) => [entry.fight, entry]))
  const entries = [...known.values()]
  return {
    value: write(
      title,
      entries.flatMap((entry) => fightEvent(entry, links)),
    ),
    validUntil: entries.some(({ fight }) => fightMayMove(fight))
      ? movingClock(links.now, refreshSeconds).unix + refreshSeconds
      : Number.POSITIVE_INFINITY,
  }
}
