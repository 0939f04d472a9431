import { rmSync, statSync } from 'node:fs'
import { type Lock, takeLock } from '../../../src/data/journal/files.ts'
import { checkCages, checkTournament } from '../../../src/data/source/check.ts'
import type { CageRows, TournamentRows } from '../../../src/data/source/rows.ts'
import {
  compressTournament,
  packTournament,
  readSnapshot,
  type TournamentFrame,
  unpackTournament,
  writeFrames,
} from '../../../src/data/source/snapshot.ts'
import { whyOf } from '../../../src/runtime/files.ts'
import { CommandError } from '../../command.ts'
import {
  countDifferences,
  differenceOf,
  isChange,
  noChanges,
  tournamentDifference,
} from './difference.ts'
import { leagueKeys, type Target, validRows, withoutKeys } from './target.ts'

/** A text that differs after each replacement of a file; undefined if there is none. */
const stateOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`
}

const changedMeanwhile = (path: string): CommandError =>
  new CommandError(`${path} was changed by another program meanwhile: run it again`)

/** Runs work that excludes any other import of this file; refuses if one is running. */
const locked = async (path: string, work: () => Promise<void>): Promise<void> => {
  const lockPath = `${path}.lock`
  let lock: Lock | undefined
  try {
    lock = takeLock(lockPath)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${whyOf(error)}`)
  }
  // The previous owner removes the file; a lock on a removed file is void.
  const isHeld = (await lock?.isHeld()) === true
  try {
    if (!isHeld) throw changedMeanwhile(path)
    await work()
  } finally {
    if (isHeld) rmSync(lockPath)
    await lock?.release()
  }
}

/**
 * Opens a snapshot file, or begins an empty one. When the target is closed, the file is replaced if anything changed
 * here and nothing elsewhere, or if its capture is older than `notBefore`; a new file must have a tournament. Times are
 * Unix seconds.
 */
export const openSnapshotTarget = async (
  path: string,
  { now, notBefore = 0 }: { readonly now: () => number; readonly notBefore?: number },
): Promise<Target> => {
  const frames = new Map<string, TournamentFrame>()
  const sources = new Map<string, string | null>()
  /** Tournament of each of the {@link leagueKeys}. */
  const owners = new Map<string, string>()
  let cages: CageRows = { cages: [], cageQueue: [] }
  let hasChanged = false
  const opened = stateOf(path)
  const isNew = opened === undefined
  const keep = (rows: TournamentRows, frame?: Omit<TournamentFrame, 'id'>): void => {
    const { id, source } = rows.tournament
    frames.set(id, frame ? { id, ...frame } : compressTournament(packTournament(rows), 'small'))
    sources.set(id, source)
    for (const key of leagueKeys(rows)) owners.set(key, id)
  }
  const refuse = ({ table, problem }: { table: string; problem: string }): never => {
    throw new CommandError(`snapshot ${path} holds a bad row in ${table}: ${problem}`)
  }
  const rowsOf = (id: string): TournamentRows | undefined => {
    const frame = frames.get(id)
    return frame && checkTournament(unpackTournament(frame), refuse)
  }
  if (!isNew) {
    const snapshot = await readSnapshot(path)
    for (const { rows: readRows, frame } of snapshot.entries) {
      const rows = checkTournament(readRows(), refuse)
      if (rows) keep(rows, frame)
    }
    cages = checkCages(snapshot.cages, refuse)
    hasChanged = snapshot.capturedAt < notBefore
  }
  return {
    sources: async () => new Map(sources),
    read: async (tournamentId) => rowsOf(tournamentId),
    update: async (tournamentId, change, { onBadRow, isOfSource }) => {
      const existing = rowsOf(tournamentId)
      const unchecked = change(existing)
      const rows = unchecked && validRows(unchecked, onBadRow)
      if (!rows) return undefined
      const taken = new Set<string>()
      const moved = new Map<string, Set<string>>()
      for (const key of leagueKeys(rows)) {
        const owner = owners.get(key)
        if (owner === undefined || owner === tournamentId) continue
        if (isOfSource(owner)) moved.getOrInsertComputed(owner, () => new Set()).add(key)
        else taken.add(key)
      }
      const free = withoutKeys(rows, taken, onBadRow)
      for (const [owner, keys] of moved) {
        const other = rowsOf(owner)
        if (other) keep(withoutKeys(other, keys))
      }
      const changes = countDifferences(tournamentDifference(existing, free).values())
      if (isChange(changes)) {
        hasChanged = true
        keep(free)
      }
      return { rows: free, changes }
    },
    remove: async (tournamentId) => {
      const rows = rowsOf(tournamentId)
      if (rows) for (const key of leagueKeys(rows)) owners.delete(key)
      if (!frames.delete(tournamentId)) return noChanges
      hasChanged = true
      sources.delete(tournamentId)
      const isOther = (row: { readonly tournamentId: string | null }): boolean =>
        row.tournamentId !== tournamentId
      cages = {
        cages: cages.cages.map((row) =>
          isOther(row) ? row : { ...row, tournamentId: null, gameId: null },
        ),
        cageQueue: cages.cageQueue.filter(isOther),
      }
      return { ...noChanges, deleted: 1 }
    },
    updateCages: async (change) => {
      const after = checkCages(change(cages), refuse)
      const changes = countDifferences(
        (['cages', 'cageQueue'] as const).map((table) =>
          differenceOf(table, cages[table], after[table]),
        ),
      )
      if (isChange(changes)) hasChanged = true
      cages = after
      return changes
    },
    abandon: async () => undefined,
    close: async () => {
      if (isNew && frames.size === 0) {
        throw new CommandError(`${path} is not written: there is no tournament to write`)
      }
      if (!hasChanged) return
      hasChanged = false
      await locked(path, async () => {
        if (stateOf(path) !== opened) throw changedMeanwhile(path)
        await writeFrames(path, { capturedAt: Math.floor(now()), ...cages }, [...frames.values()])
      })
    },
  }
}
