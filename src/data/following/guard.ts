import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { type Hidden, nothingHidden, withoutHidden } from '../archive/hidden.ts'
import { loadTournament } from '../archive/load.ts'
import {
  type Entry,
  type HeldBack,
  type LoadedLeague,
  lossReason,
} from '../archive/loadedLeague.ts'
import type { Tournament } from '../league/types.ts'
import type { Deleted, Shown } from '../source/changedRows.ts'
import { hiddenDigest } from '../source/relations.ts'
import { compressTournament, packTournament, unpackTournament } from '../source/snapshot.ts'
import type { Failure } from './failureLog.ts'

/** Explanations of losses: hidden rows, and rows deleted since the previous refresh. */
export interface Withdrawn extends Pick<Hidden, 'tournaments' | 'clips'> {
  /** Hidden tournaments, and tournaments from which any row may have been removed. */
  readonly tournaments: Hidden['tournaments']
  readonly deleted: readonly Deleted[]
}

/** A change before the guard. */
export interface Found {
  readonly changes: ReadonlyMap<string, Entry | undefined>
  readonly shown: Shown
  /** Bad rows of each tournament read. */
  readonly badRows: ReadonlyMap<string, number>
  /** Maximum share of all served fights; default {@link defaultMaxLoss}. */
  readonly maxLoss?: number
  /** Reads the hidden entries, and the deletions in these tournaments. */
  readonly withdrawn: (ids: readonly string[]) => Promise<Withdrawn>
}

export interface Guarded {
  /** Changes to apply; held-back tournaments are left out. */
  readonly changes: ReadonlyMap<string, Entry | undefined>
  readonly heldBack: ReadonlyMap<string, HeldBack>
  readonly addedSinceLoss: LoadedLeague['addedSinceLoss']
  /** Ids that are no longer held back; the next refresh reads them again. */
  readonly readAgain: readonly string[]
}

const defaultMaxLoss = 0.2

/** Ids of fights that are missing, or are no fights, in the new value. */
const lostFights = (before: Tournament, after: Tournament | undefined): readonly string[] =>
  before.fights.filter(({ id }) => !after?.games.get(id)?.isFight).map(({ id }) => id)

/** Number of fights served before the present losses began. */
const guardedFights = ({
  entries,
  addedSinceLoss,
}: Pick<LoadedLeague, 'entries' | 'addedSinceLoss'>): number => {
  let count = 0
  for (const [id, { tournament }] of entries) {
    if (!addedSinceLoss.has(id)) count += tournament.fights.length
  }
  return count
}

/**
 * Holds back tournaments with unexplained losses of fights, if the losses exceed the share `maxLoss` of the fights that
 * were served before the losses began. A tombstone explains a loss; so does a game that still exists and is no fight.
 * Bad rows explain nothing, nor does a tournament missing without a tombstone (another database, or a restore with
 * triggers off). Hiding always passes: a hidden tournament goes, and a held-back tournament loses the clips and stills
 * that are hidden or that its new rows lack.
 */
export const holdBack = async (
  before: Pick<LoadedLeague, 'entries' | 'heldBack' | 'addedSinceLoss'>,
  { changes, shown, badRows, maxLoss = defaultMaxLoss, withdrawn }: Found,
): Promise<Guarded> => {
  const lossy = new Map<string, readonly string[]>()
  const { isOver, next } = createTimeSlice()
  for (const [id, after] of changes) {
    if (isOver()) await next()
    const known = before.entries.get(id)
    if (!known || before.addedSinceLoss.has(id)) continue
    const lost = lostFights(known.tournament, after?.tournament)
    if (lost.length > 0 || !after) lossy.set(id, lost)
  }
  const {
    tournaments,
    clips: hiddenClips,
    deleted,
  } = lossy.size > 0 ? await withdrawn([...lossy.keys()]) : { ...nothingHidden, deleted: [] }
  const deletedOf = (table: Deleted['table']): ReadonlySet<string> =>
    new Set(
      deleted
        .filter((each) => each.table === table)
        .map(({ tournamentID, key }) => keyOf(tournamentID, key)),
    )
  const deletedTournaments = deletedOf('tournaments')
  const deletedGames = deletedOf('games')

  const unexplained = new Map<string, HeldBack>()
  for (const [id, lost] of lossy) {
    const isGone = !shown.has(id)
    const bad = badRows.get(id) ?? 0
    if (tournaments.has(id) && (isGone || bad === 0)) continue
    if (isGone && deletedTournaments.has(keyOf(null, hiddenDigest(id)))) continue
    const games = changes.get(id)?.tournament.games
    const left = lost.filter(
      (game) => !deletedGames.has(keyOf(id, game)) && (bad > 0 || !games?.has(game)),
    )
    if (left.length === 0 && changes.get(id)) continue
    const reason = isGone
      ? 'the tournament is missing without having been deleted'
      : bad > 0
        ? `${bad} of its rows break their schema`
        : 'fights are missing without having been deleted'
    unexplained.set(id, { fights: left.length, reason })
  }
  const held = new Map(
    [...before.heldBack].filter(
      ([id]) => before.entries.has(id) && !changes.has(id) && !badRows.has(id),
    ),
  )
  const lost = [...held.values(), ...unexplained.values()].reduce(
    (sum, { fights }) => sum + fights,
    0,
  )
  if (lost <= guardedFights(before) * maxLoss) {
    const readAgain = [...held.keys()]
    return { changes, heldBack: new Map(), addedSinceLoss: new Set(), readAgain }
  }

  const accepted = new Map(changes)
  const deletedClips = deletedOf('clips')
  const stillKeys = deletedOf('stills')
  for (const id of unexplained.keys()) {
    const known = before.entries.get(id)
    if (!known) continue
    const after = changes.get(id)?.tournament
    /** Tokens that the new rows lack; empty if there are no new rows. */
    const missing = (kind: 'clips' | 'stills'): ReadonlySet<string> => {
      const left = after && new Set(after[kind].map(({ token }) => token))
      return new Set(
        known.tournament[kind].flatMap(({ token }) => (left?.has(token) === false ? token : [])),
      )
    }
    const missingClips = missing('clips')
    const deletedStills = known.tournament.stills
      .filter((still) => stillKeys.has(keyOf(id, String(still.id))))
      .map(({ token }) => token)
    const stills = missing('stills').union(new Set(deletedStills))
    const clips = {
      has: (token: string) =>
        missingClips.has(token) ||
        hiddenClips.has(token) ||
        deletedClips.has(keyOf(id, hiddenDigest(token))),
    }
    const entry = entryWithoutHidden(known, { ...nothingHidden, clips, stills })
    if (entry === known) accepted.delete(id)
    else accepted.set(id, entry)
  }
  const added = [...changes.keys()].filter((id) => !before.entries.has(id))
  return {
    changes: accepted,
    heldBack: new Map([...held, ...unexplained]),
    addedSinceLoss: before.addedSinceLoss.union(new Set(added)),
    readAgain: [],
  }
}

const keyOf = (tournamentID: string | null, key: string): string =>
  JSON.stringify([tournamentID, key])

/** Removes hidden clips and stills; returns the same entry if there are none. */
const entryWithoutHidden = (entry: Entry, hidden: Hidden): Entry => {
  const rows = unpackTournament(entry.frame)
  const shown = withoutHidden(rows, hidden)
  if (shown === rows) return entry
  const loaded = loadTournament(shown, () => undefined)
  if (!loaded) return entry
  return {
    tournament: loaded.tournament,
    frame: compressTournament(packTournament(loaded.rows), 'fast'),
  }
}

/** Reason why a league with held-back tournaments is incomplete; undefined if none is held back. */
export const lossProblem = (
  league: Pick<LoadedLeague, 'entries' | 'heldBack' | 'addedSinceLoss'>,
  dataDir: string,
): Failure | undefined => {
  const { heldBack } = league
  if (heldBack.size === 0) return undefined
  const lost = heldBack.values().reduce((sum, { fights }) => sum + fights, 0)
  return {
    reason: lossReason(lost, guardedFights(league)),
    detail: `repair the rows, or to accept the loss stop, remove ${dataDir}/last-good.* and start`,
  }
}
