import { setImmediate } from 'node:timers/promises'
import { countBadRows } from '../archive/load.ts'
import { emptyLeague, type LoadedLeague } from '../archive/loadedLeague.ts'
import { leagueWith, type TournamentUpdate, type UpdatedLeague } from '../archive/updateLeague.ts'
import { positionAfter } from '../league/sortedList.ts'
import { checkCages, checkTournament } from '../source/check.ts'
import type { TournamentRows } from '../source/rows.ts'
import type { Snapshot } from '../source/snapshot.ts'
import { isPublic } from '../source/visibility.ts'
import { cageHistory, queueKey, type Visit, visitsOf } from './cages.ts'
import { busiestHour, eventsOf, type LeagueEvent } from './events.ts'
import type { GameTimes } from './gameTimes.ts'
import { type History, historyOf } from './history.ts'
import { ReplayError } from './replayError.ts'

/** Cages are swept before the replay of an event ends. */
const endsAfter = 120

/** A moment as RFC 3339. */
export const dateTime = (unix: number): string =>
  new Date(unix * 1000).toISOString().replace('.000', '')

const eventAt = (events: readonly LeagueEvent[], at: number | 'auto'): LeagueEvent => {
  const last = events.at(-1)
  if (!last) throw new ReplayError('REPLAY needs a snapshot with fights that took place')
  const event = at === 'auto' ? last : events.find(({ to }) => to > at)
  if (!event) {
    throw new ReplayError(
      `REPLAY must be before the last fight of the snapshot ended, ${dateTime(last.to)}`,
    )
  }
  return event
}

/**
 * The league of a snapshot during one event, from a moment on or from the busiest hour of its last event. Only
 * tournaments that change during it are kept as rows. Throws a {@link ReplayError}.
 */
export const buildTimeline = async (
  snapshot: Snapshot,
  at: number | 'auto',
  empty = emptyLeague,
) => {
  const { capturedAt } = snapshot
  const badRows = countBadRows()
  interface Loaded {
    readonly id: string
    readonly rows: TournamentRows
    readonly history: History
    readonly frame: TournamentUpdate['frame']
  }
  const read = function* (onBadRow = badRows.onBadRow): Generator<Loaded> {
    for (const { rows: readRows, frame } of snapshot.entries) {
      let isWhole = true
      const rows = checkTournament(readRows(), (bad) => {
        isWhole = false
        onBadRow(bad)
      })
      if (!rows || !isPublic(rows.tournament)) continue
      const history = historyOf(rows, capturedAt)
      yield { id: rows.tournament.id, rows, history, frame: isWhole ? frame : undefined }
    }
  }

  const times: GameTimes[] = []
  const visits: Visit[] = []
  const queued = new Map<string, number>()
  const cageRows = checkCages(snapshot.cages, badRows.onBadRow)
  const badCages = badRows.count()
  const inQueue = new Set(cageRows.cageQueue.map(queueKey))
  for (const { id, rows, history } of read()) {
    // Requests are answered between tournaments.
    await setImmediate()
    for (const each of history.times.values()) times.push(each)
    for (const visit of visitsOf(rows, history.times, capturedAt)) visits.push(visit)
    for (const [gameId, { availableAt }] of history.times) {
      const own = queueKey({ tournamentId: id, gameId })
      if (inQueue.has(own)) queued.set(own, availableAt)
    }
  }
  const events = eventsOf(times)
  const event = eventAt(events, at)
  const startsAt = at === 'auto' ? busiestHour(event) : at
  const isLast = event === events.at(-1)
  const endsAt = Math.min(event.to + endsAfter, capturedAt)
  const finalAt = isLast ? capturedAt : endsAt

  const cages = cageHistory(
    cageRows,
    visits.filter(({ endsAt }) => endsAt > startsAt - 3600),
    { waitsSince: (row) => queued.get(queueKey(row)), capturedAt },
  )
  const moving = new Map<string, Loaded>()
  const isMoving = ({ instants }: History): boolean =>
    instants.some((time) => time > startsAt && time <= finalAt)
  const rowsAt = ({ rows, history }: Loaded, unix: number): TournamentRows | undefined => {
    const last = history.instants.at(-1)
    return last === undefined || unix >= last ? rows : history.rowsAt(unix)
  }
  const updateAt = (loaded: Loaded, unix: number): TournamentUpdate => {
    const rows = rowsAt(loaded, unix)
    return { id: loaded.id, rows, frame: rows === loaded.rows ? loaded.frame : undefined }
  }
  const firstUpdates = function* (): Generator<TournamentUpdate> {
    for (const loaded of read(() => undefined)) {
      if (isMoving(loaded.history)) moving.set(loaded.id, loaded)
      yield updateAt(loaded, startsAt)
    }
  }
  const counted = ({ league }: UpdatedLeague): LoadedLeague => ({
    ...league,
    badRows: badRows.count(),
    badCages,
  })
  const first = counted(await leagueWith(empty, firstUpdates(), cages.cagesAt(startsAt)))

  const changes = [...moving]
    .flatMap(([id, { history }]) => history.instants.map((unix) => ({ unix, id })))
    .filter(({ unix }) => unix > startsAt && unix <= finalAt)
    .sort((a, b) => a.unix - b.unix)
  const instants = [...new Set([...changes.map(({ unix }) => unix), ...cages.instants, endsAt])]
    .filter((unix) => unix > startsAt && unix <= endsAt)
    .sort((a, b) => a - b)
  const firstAfter = (list: readonly { readonly unix: number }[], unix: number): number =>
    positionAfter(list, (each) => each.unix <= unix)
  return {
    startsAt,
    /** End of the last fight of the event, in Unix seconds like all moments. */
    endsAt,
    /** Time of the league from then on: the capture time after the last event, else `endsAt`. */
    finalAt,
    /** The league at `startsAt`. */
    first,
    badRows,
    /** First moment after this one at which anything changes, at most `endsAt`. */
    nextChangeAfter: (unix: number): number =>
      instants[positionAfter(instants, (instant) => instant <= unix)] ?? endsAt,
    /** The league at a moment, from the league at another moment. The cost is proportional to the difference. */
    move: async (league: LoadedLeague, from: number, to: number): Promise<LoadedLeague> => {
      const changed = changes.slice(
        firstAfter(changes, Math.min(from, to)),
        firstAfter(changes, Math.max(from, to)),
      )
      const updates = [...new Set(changed.map(({ id }) => id))].flatMap((id) => {
        const loaded = moving.get(id)
        return loaded ? [updateAt(loaded, to)] : []
      })
      return counted(await leagueWith(league, updates, cages.cagesAt(to)))
    },
  }
}
export type Timeline = Awaited<ReturnType<typeof buildTimeline>>
