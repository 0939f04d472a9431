import { checkCages, type Unchecked } from '../source/check.ts'
import type { TournamentRows } from '../source/rows.ts'
import { type Snapshot, writeFrames } from '../source/snapshot.ts'
import type { Origin } from '../source/snapshotHead.ts'
import { type Hidden, nothingHidden, withoutHidden } from './hidden.ts'
import { emptyLeague, type LoadedLeague } from './loadedLeague.ts'
import { createCollector, withChanges } from './updateLeague.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

const idOf = ({ tournament }: Unchecked<TournamentRows>): string =>
  typeof tournament === 'object' && tournament !== null && 'id' in tournament
    ? String(tournament.id)
    : ''

/** A league from a snapshot, and the parts of the snapshot that it lacks. */
export interface SnapshotLeague {
  readonly league: LoadedLeague
  /** The version under which it was saved, by the digests of its format. */
  readonly version: string
  /** Tournaments that are hidden, or have hidden parts. */
  readonly withheld: ReadonlySet<string>
}

/** Builds the league of a snapshot without hidden entries, to be served until the database is read. */
export const leagueOfSnapshot = async (
  snapshot: Pick<Snapshot, 'cages' | 'loaded' | 'origin'>,
  hidden: Hidden = nothingHidden,
  empty = emptyLeague,
): Promise<SnapshotLeague> => {
  const collector = createCollector(empty)
  const ids = new Set<string>()
  const digests: bigint[] = []
  const withheld = new Set<string>()
  for await (const { entry, rows: unchecked } of snapshot.loaded()) {
    const { digest, frame } = entry
    const id = idOf(unchecked)
    ids.add(id)
    digests.push(digest)
    if (hidden.tournaments.has(id)) {
      withheld.add(id)
      continue
    }
    const shown = withoutHidden(unchecked, hidden)
    if (shown !== unchecked) withheld.add(id)
    await collector.add(id, shown, shown === unchecked ? { frame } : {})
  }
  const seen = new Map(
    snapshot.origin?.seen
      .filter(([id]) => collector.entries.has(id))
      .map(([id, stamp, stampDigest]) => [id, { stamp, stampDigest, badRows: 0 }]),
  )
  const badBefore = collector.bad.count()
  const cages = checkCages(snapshot.cages, collector.bad.onBadRow)
  const league: LoadedLeague = {
    ...empty,
    ...(await withChanges(empty, collector.entries, cages)),
    seen,
    addedSinceLoss: new Set(snapshot.origin?.addedSinceLoss),
    badRows: collector.bad.count(),
    badCages: collector.bad.count() - badBefore,
    position: snapshot.origin,
  }
  const { version } = versionOf(
    combineDigests(digests),
    shownCages(cages, (id) => ids.has(id)),
  )
  return { league, version, withheld }
}

/** Writes the league as a snapshot, atomically. */
export const saveLeague = async (
  path: string,
  { entries, cages, seen, heldBack, addedSinceLoss, position }: LoadedLeague,
  capturedAt: number,
): Promise<void> => {
  const frames = [...entries.values()].map(({ frame }) => frame)
  // Held-back tournaments and tournaments with bad rows differ from the database: they are read again.
  const known = [...seen].filter(([id, { badRows }]) => badRows === 0 && !heldBack.has(id))
  const origin = position && {
    ...position,
    addedSinceLoss: [...addedSinceLoss],
    seen: known.map(([id, { stamp, stampDigest }]): Origin['seen'][number] => [
      id,
      stamp,
      stampDigest,
    ]),
  }
  await writeFrames(path, { capturedAt, ...cages, ...(origin && { origin }) }, frames, {
    mode: 0o600,
  })
}
