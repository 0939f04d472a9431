import type { ArchiveService } from '../../data/archive/archive.ts'
import type { Dataset, Tournament } from '../../data/league/types.ts'
import type { Usage } from '../../http/usage/usage.ts'
import type { Health } from './schema.ts'

const empty: Dataset = { tournaments: [], tournamentsByID: new Map(), fights: [] }

/** Takes 20 µs for the 1,300 tournaments of 120,000 fights. */
const counts = ({ tournaments, fights }: Dataset): Omit<Health['counts'], 'badRows'> => {
  const sum = (of: (tournament: Tournament) => number): number =>
    tournaments.reduce((total, each) => total + of(each), 0)
  return {
    tournaments: tournaments.length,
    fights: fights.length,
    completedFights: sum(({ completedFights }) => completedFights),
    players: sum(({ info }) => info.numPlayers),
    recordings: sum(({ recordings }) => recordings.places.length),
    clips: sum(({ clips }) => clips.length),
    stills: sum(({ stills }) => stills.length),
  }
}

const maxDoubts = 20
const doubtsOf = ({ tournaments }: Dataset): string[] =>
  tournaments.flatMap(({ doubts }) => doubts).slice(0, maxDoubts)

/** Bad rows above both limits are a problem; a few are mistyped at every event. */
const someBad = 10
const badShare = 0.001

/** Parts of the service whose state is reported. */
export interface Watched {
  readonly service: ArchiveService
  readonly usage: Pick<Usage, 'logCounts'>
  /** Problems of other parts. */
  readonly problems: readonly (() => readonly string[])[]
}

export const health = ({ service, usage, problems: others }: Watched): Health => {
  const archive = service.archive()
  const { problems: usageProblems, ...usageLog } = usage.logCounts()
  const {
    source,
    follows,
    currentAt,
    lastRefresh,
    badRows,
    badCages = 0,
    heldBack = [],
    problems: sourceProblems = [],
  } = service.status()
  const counted = counts(archive?.dataset ?? empty)
  const rows = counted.fights + counted.players + counted.recordings + badRows
  const problems = [
    ...(archive ? [] : ['no data is loaded']),
    ...(lastRefresh.error === null ? [] : [`the last refresh failed: ${lastRefresh.error}`]),
    ...(badRows > Math.max(someBad, badShare * rows)
      ? [`${badRows} rows are left out, as they break their schema`]
      : []),
    // A cage whose row is left out looks idle.
    ...(badCages > 0
      ? [`rows of cages are left out, as they break their schema: ${badCages}`]
      : []),
    ...sourceProblems,
    ...usageProblems,
    ...others.flatMap((each) => each()),
  ]
  return {
    status: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    doubts: doubtsOf(archive?.dataset ?? empty),
    source,
    follows,
    version: archive?.version ?? 'none',
    ageSeconds: currentAt === null ? null : Math.max(0, Math.floor(service.now() - currentAt)),
    counts: { ...counted, badRows },
    lastRefresh: { ...lastRefresh },
    heldBack: heldBack.map((each) => ({ ...each })),
    usageLog,
  }
}
