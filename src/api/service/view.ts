import type { Archive, ArchiveService } from '../../archive.ts'
import type { Dataset } from '../../dataset/types.ts'
import type { LogCounts } from '../../usage/log.ts'
import type { Health } from './schema.ts'

const empty: Dataset = { tournaments: [], tournamentsByID: new Map(), fights: [] }

/** Counts walk the whole dataset; they are made once for each. */
const countsOf = new WeakMap<Dataset, Omit<Health['counts'], 'badRows'>>()

const counts = (dataset: Dataset): Omit<Health['counts'], 'badRows'> => {
  const known = countsOf.get(dataset)
  if (known) return known
  const { tournaments, fights } = dataset
  const made = {
    tournaments: tournaments.length,
    fights: fights.length,
    completedFights: fights.reduce((sum, { isCompleted }) => sum + Number(isCompleted), 0),
    players: tournaments.reduce((sum, { info }) => sum + info.numPlayers, 0),
    recordings: tournaments.reduce((sum, { recordings }) => sum + recordings.places.length, 0),
    clips: tournaments.reduce((sum, { clips }) => sum + clips.length, 0),
    stills: tournaments.reduce((sum, { stills }) => sum + stills.length, 0),
  }
  countsOf.set(dataset, made)
  return made
}

export const health = (
  service: ArchiveService,
  archive: Archive | undefined,
  usageLog: LogCounts,
): Health => {
  const { source, currentAt, lastRefresh, badRows, heldBack = [] } = service.status()
  return {
    status: archive && lastRefresh.error === null ? 'ok' : 'degraded',
    source,
    version: archive?.version ?? 'none',
    ageSeconds: currentAt === null ? null : Math.max(0, Math.floor(service.now() - currentAt)),
    counts: { ...counts(archive?.dataset ?? empty), badRows },
    lastRefresh: { ...lastRefresh },
    heldBack: heldBack.map((each) => ({ ...each })),
    usageLog: { ...usageLog },
  }
}
