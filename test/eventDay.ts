import { cageHistory, visitsOf } from '../src/data/replay/cages.ts'
import { historyOf } from '../src/data/replay/history.ts'
import type { TournamentRows } from '../src/data/source/rows.ts'
import { isPublic } from '../src/data/source/visibility.ts'

/** The tournaments of an event with their histories, the earlier ones, and the cages at each time. */
export const eventDay = (
  tournaments: readonly TournamentRows[],
  { from, to, capturedAt }: Readonly<Record<'from' | 'to' | 'capturedAt', number>>,
) => {
  const histories = tournaments
    .filter(({ tournament }) => isPublic(tournament))
    .map((rows) => ({ rows, history: historyOf(rows, capturedAt) }))
  const own = histories.filter(({ history }) =>
    history.instants.some((at) => at > from && at <= to),
  )
  const over = histories.filter(({ history }) => (history.instants.at(-1) ?? 0) < from)
  const visits = own.flatMap(({ rows, history }) => visitsOf(rows, history.times, capturedAt))
  const { cagesAt, instants } = cageHistory({ cages: [], cageQueue: [] }, visits, {
    waitsSince: () => undefined,
    capturedAt: Number.POSITIVE_INFINITY,
  })
  return { own, over: over.map(({ rows }) => rows), cagesAt, instants }
}
