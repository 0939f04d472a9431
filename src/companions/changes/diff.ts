import type { Archive } from '../../data/archive/archive.ts'
import type { Cages } from '../../data/league/types.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'
import { eachChange, isSameRow } from './differences.ts'
import {
  botsOfFight,
  diffTournaments,
  type RowPair,
  tournamentAdded,
  tournamentRemoved,
} from './diffTournaments.ts'
import { isRemoval } from './entry.ts'
import {
  botRow,
  cageRow,
  differingRows,
  distinctNames,
  reloadedRows,
  sameEntrants,
  type TournamentRows,
  tournamentRows,
} from './rows.ts'
import type { Change, ChangedBot, ChangedCage } from './schema.ts'

/** Removals come first, because a removed row may be added elsewhere. */
export const removalsFirst = (changes: readonly Change[]): readonly Change[] => [
  ...changes.filter(isRemoval),
  ...changes.filter((change) => !isRemoval(change)),
]

type CageRows = ReadonlyMap<number, ChangedCage>

/** The cages of an archive by number, at a time in Unix seconds. */
export const cageRows = (cages: Cages, now: number): CageRows =>
  new Map(Object.values(cages).map((cage) => [cage.number, cageRow(cage, cages, now)]))

/** Bots and tournaments are named only if `after` has them; others may be hidden. */
const diffCages = (before: CageRows, rows: CageRows, after: Archive): Change[] => {
  const changes: Change[] = []
  const fightsOf = (row: ChangedCage | null | undefined) =>
    row ? [...(row.match ? [row.match] : []), ...row.queue] : []
  const change = (cageNumber: number, row: ChangedCage | null): void => {
    const fights = [...fightsOf(row), ...fightsOf(before.get(cageNumber))]
    const { tournamentsByID } = after.dataset
    const shown = fights.filter(
      ({ tournamentID, gameID }) => tournamentsByID.get(tournamentID)?.games.get(gameID)?.isFight,
    )
    const tournaments = fights.flatMap(({ tournamentID }) =>
      tournamentsByID.has(tournamentID) ? tournamentID : [],
    )
    changes.push({
      type: 'cage.changed',
      cageNumber,
      tournaments: [...new Set(tournaments)],
      bots: distinctNames(shown.flatMap(botsOfFight)),
      url: `/cages/${cageNumber}`,
      after: row,
    })
  }
  eachChange('cage', before, rows, (_, row) => change(row.cageNumber, row))
  for (const number of before.keys()) if (!rows.has(number)) change(number, null)
  return changes
}

/** The previous name is left out if its tournament is gone. */
const botChange = (before: ChangedBot, after: ChangedBot, isShown: boolean): Change => ({
  type: 'bot.renamed',
  tournamentID: after.tournamentID,
  bots: [after.cleanName],
  url: `/bots/${after.cleanName}`,
  ...(isShown && { before: { name: before.name, tournamentID: before.tournamentID } }),
  after,
})

/** `nameBefore` gives the names that readers know. */
function* diffBots(
  names: Iterable<string>,
  nameBefore: (cleanName: string) => ChangedBot | undefined,
  after: Archive,
): Steps<Change[]> {
  const changes: Change[] = []
  for (const cleanName of new Set(names)) {
    yield
    const [known, now] = [nameBefore(cleanName), botRow(after, cleanName)]
    if (!known || !now || isSameRow('bot', known, now)) continue
    const isShown = after.dataset.tournamentsByID.has(known.tournamentID)
    changes.push(botChange(known, now, isShown))
  }
  return changes
}

const playerNames = (archive: Archive, tournamentID: string): readonly string[] =>
  archive.dataset.tournamentsByID
    .get(tournamentID)
    ?.players.map(({ player }) => player.cleanName) ?? []

/** Ids of the tournaments that differ, removed ones first. */
const differingTournaments = (before: Archive, after: Archive): readonly string[] => {
  const [a, b] = [before.dataset.tournamentsByID, after.dataset.tournamentsByID]
  if (before.dataset === after.dataset) return []
  const ids: string[] = []
  for (const id of a.keys()) if (!b.has(id)) ids.push(id)
  for (const [id, tournament] of b) if (a.get(id) !== tournament) ids.push(id)
  return ids
}

/**
 * Number of changed rows after which each further tournament is one `reload` with its results: changes of all rows
 * of 120,000 fights took 1 GB.
 */
const maxRowsAtOnce = 4000

const rowsIn = ({ games, recordings, clips, stills }: TournamentRows): number =>
  games.size + recordings.size + clips.size + stills.size

/** State known to clients: an archive and the changes since. */
export interface Known {
  readonly archive: Archive
  /** Rows by tournament id; undefined for a tournament that is gone. */
  readonly tournaments?: ReadonlyMap<string, TournamentRows | undefined>
  readonly cages?: CageRows
  /** Bots by clean name. */
  readonly renamed?: ReadonlyMap<string, ChangedBot>
}

/**
 * Changes from the state known to clients to a version, at a time in Unix seconds. The cost is proportional to the
 * changed tournaments: both versions share all others.
 */
export const diffArchives = (...input: Parameters<typeof diffSteps>): readonly Change[] =>
  atOnce(diffSteps(...input))

/** {@link diffArchives} in steps: 200 changed tournaments of 500 bots take 0.4 s. */
export function* diffSteps(
  { archive: before, tournaments = new Map(), cages, renamed = new Map() }: Known,
  after: Archive,
  now: number,
): Steps<readonly Change[]> {
  const pairs: RowPair[] = []
  const whole: Change[] = []
  const names: string[] = [...renamed.keys()]
  let rowCount = 0
  for (const id of new Set([...differingTournaments(before, after), ...tournaments.keys()])) {
    yield
    const [a, b] = [before, after].map(({ dataset }) => dataset.tournamentsByID.get(id))
    const rows = tournaments.get(id)
    const isKnown = tournaments.has(id) ? rows !== undefined : a !== undefined
    if (!b && isKnown) whole.push(tournamentRemoved(id))
    else if (b && !isKnown) whole.push(tournamentAdded(tournamentRows(b)))
    else if (b && rows) pairs.push([rows, tournamentRows(b)])
    else if (a && b && rowCount > maxRowsAtOnce) pairs.push([...reloadedRows(a, b), true])
    else if (a && b) {
      const pair = differingRows(a, b)
      rowCount += rowsIn(pair[1])
      pairs.push(pair)
    }
    if (a && b && sameEntrants(a, b)) continue
    names.push(...playerNames(before, id), ...playerNames(after, id))
  }
  return removalsFirst([
    ...whole,
    ...(yield* diffTournaments(pairs)),
    ...(yield* diffBots(names, (name) => renamed.get(name) ?? botRow(before, name), after)),
    ...(before.cages === after.cages && !cages
      ? []
      : diffCages(cages ?? cageRows(before.cages, now), cageRows(after.cages, now), after)),
  ])
}
