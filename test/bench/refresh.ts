import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { connect } from '../../src/data/source/connection.ts'
import { buildArchive } from '../buildArchive.ts'
import { openStage } from './stage.ts'
import { type Extent, type Row, rowsOf, timed, watched } from './stats.ts'

/** One changed fight in a real Postgres: duration of the refresh, pause of the event loop, memory. */
export const benchRefresh = async ({ scale, rounds }: Extent): Promise<Row[]> => {
  await using stage = await openStage(scale)
  const { database, admin } = stage
  const source = connect(database.readerUrl, { deadlineMs: 60_000 })
  let league = emptyLeague
  const look = async () => {
    league = (await refreshLeague(source, league)).league
  }
  const loadMs = await timed(look)
  const fight = league.archive?.dataset.fights[0]
  if (!fight) throw new Error('the league has no fight')
  const [durations, pauses, idlePauses]: [number[], number[], number[]] = [[], [], []]
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  for (let round = 0; round < rounds; round += 1) {
    await admin`UPDATE cageside.games SET notice = ${`round ${round}`}
      WHERE tournament_id = ${fight.tournament.id} AND id = ${fight.id}`
    const { figures } = await watched(look)
    durations.push(figures.ms)
    pauses.push(figures.longestPauseMs)
    idlePauses.push((await watched(look)).figures.longestPauseMs)
  }
  Bun.gc(true)
  const after = process.memoryUsage.rss()
  await source.close()
  const tournaments = [...league.entries.values()].map(({ tournament }) => tournament)
  const rebuildMs = await timed(() => buildArchive('rebuilt', tournaments))
  const row = rowsOf(scale)
  return [
    row('one changed fight: pause of the event loop', 'ms', pauses, {
      beside: { 'a refresh without changes': idlePauses, 'building the whole archive': rebuildMs },
      atMost: 2,
    }),
    row('one changed fight: refresh to the new version', 'ms', durations, {
      beside: { 'loading everything': loadMs },
    }),
    row('growth of resident memory over the rounds', 'MiB', (after - before) / 2 ** 20),
  ]
}
