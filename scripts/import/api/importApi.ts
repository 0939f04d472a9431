import { MirrorError } from '../../../src/mirror/remote.ts'
import { CommandError } from '../../command.ts'
import { type Remote, type RemoteBody, RemoteError } from '../remote/remote.ts'
import type { ResponseStore } from '../remote/responseStore.ts'
import { type ImportRun, writeTournament } from '../run.ts'
import { flag, record, records, text } from '../values.ts'
import { importCages } from './cages.ts'
import { readSnapshotFile, type SnapshotSource, writeSnapshotFile } from './fromSnapshot.ts'
import { isFullRoundDue, type Memory } from './memory.ts'
import { type League, type Live, noLive, readLeague, readLive, readTournament } from './read.ts'
import { createReader } from './reader.ts'
import { buildImport, usableId } from './tournament.ts'

export interface ApiSource {
  /** Where its snapshot is; without one every fight is requested. */
  readonly snapshot?: SnapshotSource | undefined
  readonly remote: Remote
  readonly store: ResponseStore
  /** Path of the legacy scripts below the base; `undefined` leaves them out. */
  readonly legacy: string | undefined
  /** State between rounds; without one, everything is requested. */
  readonly memory?: Memory
}

/** Removes tournaments that the source had once and has no longer: it must say so for each. */
const pruneTournaments = async (
  { target, result, report }: ImportRun,
  { remote, store }: ApiSource,
  listed: ReadonlySet<string>,
): Promise<void> => {
  const present = new Set(await target.ids())
  for (const id of store.knownTournaments()) {
    if (listed.has(id)) continue
    try {
      await remote.get(`/tournaments/${encodeURIComponent(id)}`)
      report({ where: id, reason: 'not in the list, but still there: not removed' })
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      if (error.status !== 404) {
        report({ where: id, reason: `not removed: ${error.message}` })
        continue
      }
      if (present.has(id)) {
        await target.remove(id)
        result.removed += 1
      }
      store.forget(id)
    }
  }
}

/** Tournaments of the list with usable ids, those that are over first. */
const listTournaments = (body: unknown, { report }: ImportRun) =>
  records(record(body).tournaments)
    .flatMap((tournament) => {
      const id = usableId(tournament.tournamentID)
      if (id === undefined) {
        report({ where: '/tournaments', reason: 'a tournament without a usable id' })
      }
      return id === undefined ? [] : [{ id, tournament, isActive: flag(tournament.active) }]
    })
    .sort((a, b) => Number(a.isActive) - Number(b.isActive))

/** Clips and stills of tournaments that are not in the list. */
const reportStrays = (
  { clips = [], stills = [] }: League,
  listed: ReadonlySet<string>,
  { report }: ImportRun,
): void => {
  for (const row of [...clips, ...stills]) {
    if (listed.has(text(row.tournamentID))) continue
    const where = text(row.token) || text(row.stillID)
    report({ where, reason: 'its tournament is not in the list' })
  }
}

/** Imports the snapshot of the source; false if it has none that can be read. */
const importSnapshot = async (
  run: ImportRun,
  source: ApiSource,
  isFull: boolean,
): Promise<boolean> => {
  const { memory, snapshot, store } = source
  if (!snapshot) return false
  const file = await readSnapshotFile(snapshot, memory?.snapshot, isFull, run.progress.note)
  if (!file || file === 'unchanged') return file !== undefined
  const listed = new Set(file.frames.map(({ name: [id] }) => id))
  const known = listed.union(new Set(store.knownTournaments()))
  const isOfSource = (id: string): boolean => known.has(id)
  try {
    await writeSnapshotFile(run, file, { memory: memory?.snapshot, isFull, isOfSource })
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error
    return false
  }
  for (const id of listed) store.know(id)
  if (run.prune) await pruneTournaments(run, source, listed)
  // Responses are kept for a source that has no snapshot any more.
  store.finish(false)
  memory?.tournaments.clear()
  if (memory) memory.version = undefined
  return true
}

/**
 * Imports a league from a server of this API: its snapshot where it has one, else the answers of all its endpoints.
 */
export const importApi = async (run: ImportRun, source: ApiSource): Promise<void> => {
  const { memory } = source
  const startedMs = performance.now()
  const isFull = isFullRoundDue(memory, startedMs)
  if (!(await importSnapshot(run, source, isFull))) await importEndpoints(run, source, isFull)
  if (memory && isFull) memory.fullAtMs = startedMs
}

/** The list of tournaments, without which nothing can be imported. */
const readList = async ({ base, get }: Remote): Promise<RemoteBody> => {
  const path = '/tournaments'
  const refuse = (why: string): never => {
    throw new CommandError(`${base} cannot be imported: ${path} ${why}`)
  }
  const answer = await get(path).catch((error: unknown) => {
    if (error instanceof RemoteError) return refuse(error.message)
    throw error
  })
  if (!Array.isArray(record(answer.body).tournaments)) return refuse('lists no tournaments')
  return answer
}

/**
 * Imports what the endpoints answer. Tournaments that are over come first, so that what is live is read last. A
 * tournament whose bracket or fights cannot be had is left as it is.
 */
const importEndpoints = async (
  givenRun: ImportRun,
  source: ApiSource,
  isFull: boolean,
): Promise<void> => {
  const { remote, store, legacy, memory } = source
  // Only a round that reads everything knows what is gone.
  const run = isFull ? givenRun : { ...givenRun, prune: false }
  const { progress, report, result } = run
  const reader = createReader(remote, report)
  const answer = await readList(remote)
  const { version } = answer
  if (!isFull && version !== undefined && version === memory?.version) return
  const tournaments = listTournaments(answer.body, run)
  const listed = new Set(tournaments.map(({ id }) => id))
  const known = new Set([...listed, ...store.knownTournaments()])
  const isOfSource = (id: string): boolean => known.has(id)
  progress.add(tournaments.length)
  const league = await readLeague(reader, legacy, isFull)
  reportStrays(league, listed, run)
  const withMedia = new Set(
    [...(league.clips ?? []), ...(league.stills ?? [])].map((row) => text(row.tournamentID)),
  )
  let live: Live | undefined
  for (const { id, tournament, isActive } of tournaments) {
    if (isActive) live ??= await readLive(reader)
    const before = memory?.tournaments.get(id)
    const row = JSON.stringify(tournament)
    if (!isFull && !isActive && before?.row === row && !withMedia.has(id)) {
      result.tournaments.set(id, false)
      result.games.set(id, before.games)
      progress.step(id)
      continue
    }
    const known = isFull ? undefined : before?.fights
    const problems = result.problems.length
    const reading = { reader, live: live ?? noLive, league, legacy, known }
    const found = await readTournament(reading, tournament, id)
    if (found) {
      await writeTournament(run, buildImport(found.responses), { isOfSource })
      store.know(id)
      const games = result.games.get(id)
      // With problems it is requested again, whatever the list says.
      const knownRow = result.problems.length === problems ? row : ''
      if (games) memory?.tournaments.set(id, { row: knownRow, fights: found.digests, games })
    } else memory?.tournaments.delete(id)
    progress.step(id)
  }
  live ??= await readLive(reader)
  if (live.hasCages) await importCages(run, live.cages, isOfSource)
  if (run.prune) await pruneTournaments(run, source, listed)
  store.finish(isFull)
  if (!memory) return
  memory.version = result.problems.length === 0 ? version : undefined
  memory.snapshot.written.clear()
  memory.snapshot.etag = undefined
}
