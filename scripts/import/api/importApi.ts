import { MirrorError } from '../../../src/data/mirror/remote.ts'
import { CommandError } from '../../command.ts'
import { type Remote, RemoteError, sourceName } from '../remote/remote.ts'
import { type ImportRun, isOfSource, writeTournament } from '../run.ts'
import { writeCages } from '../target/cages.ts'
import { flag, record, records, text } from '../values.ts'
import { readCage } from './cages.ts'
import { readSnapshotFile, type SnapshotSource, writeSnapshotFile } from './fromSnapshot.ts'
import { type League, type Live, readLeague, readLive, readTournament } from './read.ts'
import { createReader } from './reader.ts'
import { buildImport, usableId } from './tournament.ts'

export interface ApiSource {
  /** Address of its snapshot; without one every fight is requested. */
  readonly snapshot?: SnapshotSource | undefined
  readonly remote: Remote
  /** Source name in the target; derived from the server's address by default. */
  readonly source?: string | undefined
  /** Path of the legacy scripts below the base; `undefined` leaves them out. */
  readonly legacy: string | undefined
}

const nameOf = ({ source, remote }: ApiSource): string => source ?? sourceName('api', remote.base)

/** Removes tournaments that the source had before and has no longer; the source must confirm each. */
const pruneTournaments = async (
  { target, result, report }: ImportRun,
  source: ApiSource,
  listed: ReadonlySet<string>,
): Promise<void> => {
  const { remote } = source
  for (const [id, owner] of await target.sources()) {
    if (owner !== nameOf(source) || listed.has(id)) continue
    try {
      await remote.get(`/tournaments/${encodeURIComponent(id)}`)
      report({ where: id, reason: 'not in the list, but still there: not removed' })
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      if (error.status !== 404) {
        report({ where: id, reason: `not removed: ${error.message}` })
        continue
      }
      await target.remove(id)
      result.removed += 1
    }
  }
}

/** Tournaments of the list with usable ids; finished ones come first. */
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
const importSnapshot = async (run: ImportRun, source: ApiSource): Promise<boolean> => {
  const { snapshot } = source
  if (!snapshot) return false
  const file = await readSnapshotFile(snapshot, run.progress.note)
  if (!file || file === 'unchanged') return file !== undefined
  const listed = new Set(file.frames.map(({ name: [id] }) => id))
  try {
    await writeSnapshotFile(run, file, {
      memory: snapshot.memory,
      source: nameOf(source),
      isOfSource: await isOfSource(run, nameOf(source), listed),
    })
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error
    return false
  }
  if (run.prune) await pruneTournaments(run, source, listed)
  return true
}

/** Imports a league from a server of this API: its snapshot if it has one, else the answers of all its endpoints. */
export const importApi = async (run: ImportRun, source: ApiSource): Promise<void> => {
  if (!(await importSnapshot(run, source))) await importEndpoints(run, source)
}

/** The list of tournaments; without it nothing can be imported. */
const readList = async ({ base, get }: Remote): Promise<unknown> => {
  const path = '/tournaments'
  const refuse = (why: string): never => {
    throw new CommandError(`${base} cannot be imported: ${path}: ${why}`)
  }
  const answer = await get(path).catch((error: unknown) => {
    if (error instanceof RemoteError) return refuse(error.message)
    throw error
  })
  if (!Array.isArray(record(answer).tournaments)) return refuse('no list of tournaments')
  return answer
}

/**
 * Imports the answers of the endpoints. Finished tournaments come first, so that live data is read last. If the bracket
 * or the fights of a tournament cannot be read, the tournament stays as it is.
 */
const importEndpoints = async (run: ImportRun, source: ApiSource): Promise<void> => {
  const { remote, legacy } = source
  const { progress } = run
  const reader = createReader(remote, run.report)
  const tournaments = listTournaments(await readList(remote), run)
  const listed = new Set(tournaments.map(({ id }) => id))
  const isOwn = await isOfSource(run, nameOf(source), listed)
  progress.add(tournaments.length)
  const league = await readLeague(reader, legacy)
  reportStrays(league, listed, run)
  let live: Live | undefined
  for (const { id, tournament, isActive } of tournaments) {
    if (isActive) live ??= await readLive(reader)
    const reading = { reader, live, league, legacy }
    const responses = await readTournament(reading, tournament, id)
    if (responses) {
      await writeTournament(run, buildImport(responses, nameOf(source)), { isOfSource: isOwn })
    }
    progress.step(id)
  }
  live ??= await readLive(reader)
  const cages = live.cages?.flatMap((cage) => readCage(cage) ?? [])
  if (cages) await writeCages(run, cages, isOwn)
  if (run.prune) await pruneTournaments(run, source, listed)
}
