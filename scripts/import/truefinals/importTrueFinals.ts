import { type Remote, RemoteError, sourceName } from '../remote/remote.ts'
import { type ImportRun, isOfSource, writeTournament } from '../run.ts'
import { writeCages } from '../target/cages.ts'
import { type Loose, record, records, text } from '../values.ts'
import { buildCages } from './cages.ts'
import { buildTrueFinals } from './tournament.ts'

export interface TrueFinalsSource {
  readonly remote: Remote
  /** Source name in the target; derived from the server's address by default. */
  readonly source?: string | undefined
  readonly tournamentIds: readonly string[]
  /** Pounds by tournament id. */
  readonly weights: ReadonlyMap<string, number>
}

const hints: ReadonlyMap<number | undefined, string> = new Map([
  [401, ': TRUEFINALS_USER_ID and TRUEFINALS_API_KEY are not accepted'],
  [403, ': this user may not read it'],
])

/** A tournament with its players and byes; undefined if it cannot be read. */
const readTournament = async (
  { remote }: TrueFinalsSource,
  { report }: ImportRun,
  id: string,
): Promise<{ tournament: Loose; players: readonly Loose[] } | undefined> => {
  const path = `/v1/tournaments/${encodeURIComponent(id)}`
  try {
    const [tournament, players] = await Promise.all([
      remote.get(path),
      remote.get(`${path}/players?includeByePlayers=true`),
    ])
    return { tournament: record(tournament), players: records(players) }
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    report({ where: error.path, reason: error.message + (hints.get(error.status) ?? '') })
    return undefined
  }
}

/** Imports tournaments, and the cages that they share. */
export const importTrueFinals = async (run: ImportRun, source: TrueFinalsSource): Promise<void> => {
  const { remote, tournamentIds, weights } = source
  const name = source.source ?? sourceName('truefinals', remote.base)
  const requested = new Set(tournamentIds)
  const isOfLeague = await isOfSource(run, name, requested)
  const isOwn = (id: string): boolean => requested.has(id) && isOfLeague(id)
  const found: Loose[] = []
  run.progress.add(tournamentIds.length)
  for (const id of tournamentIds) {
    const responses = await readTournament(source, run, id)
    run.progress.step(id)
    if (!responses) continue
    const { tournament, players } = responses
    if (text(tournament.id) !== id) {
      run.report({ where: id, reason: 'the server answers with another tournament' })
      continue
    }
    const built = buildTrueFinals(tournament, players, weights.get(id))
    const imported = { ...built, tournament: { ...built.tournament, source: name } }
    const updated = await writeTournament(run, imported, { isOfSource: isOwn })
    if (updated?.rows.tournament.weightClass === 0) {
      run.report({ where: id, reason: `unknown weight class; give --weight ${id}=POUNDS` })
    }
    found.push(tournament)
  }
  if (found.length > 0) await writeCages(run, buildCages(found), isOwn)
}
