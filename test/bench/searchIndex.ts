import { createNames } from '../../scripts/league/names.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { findBots } from '../../src/api/search/lookup.ts'
import {
  type Archive,
  loadArchive,
  noCages,
  updateArchive,
} from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import type { Tournament } from '../../src/data/league/types.ts'
import { searchSteps, updateSearch } from '../../src/derived/search/botIndex.ts'
import { readText } from '../../src/derived/search/pairs.ts'
import { inSlices } from '../../src/runtime/timeSlice.ts'
import { fightRows, tournamentOf } from '../rows.ts'
import { drawQueries } from './searchQueries.ts'
import { type Summary, summary, watched } from './stats.ts'

const contextOf = ({ botSearch: { newestUnix, leagueWords, idsByWord } }: Archive) => ({
  newestUnix,
  leagueWords,
  idsByWord,
})

/** A new index of the bots. */
export const measureBuild = async (archive: Archive) =>
  (await watched(() => inSlices(searchSteps(archive.bots, contextOf(archive))))).figures

/** Cost of updates of the index for one changed fight, and for 45 bots that leave. */
export const measureUpdates = async (archive: Archive) => {
  const context = contextOf(archive)
  const last = archive.dataset.tournaments.find(({ fights }) => fights.length > 0)
  if (!last) throw new Error('the league has no fights')
  let current = await inSlices(searchSteps(archive.bots, context))
  const update = async (bots: Archive['bots']) => {
    const { result, figures } = await watched(() => inSlices(updateSearch(current, bots, context)))
    current = result
    return figures
  }
  // Bots of the tournament are new values after any change of it.
  const replaced = new Map([[last.info.id, { ...last }]])
  const changed = await updateArchive(archive, 'changed', replaced, noCages)
  const oneFight: number[] = []
  for (let round = 0; round < 20; round += 1) {
    oneFight.push((await update(round % 2 === 0 ? changed.bots : archive.bots)).ms)
  }
  const leaving: { ms: number; longestPauseMs: number }[] = []
  for (let seed = 0; seed < 10; seed += 1) {
    const gone = new Set(createRandom(seed).shuffle(archive.bots).slice(0, 45))
    const rest = archive.bots.filter((bot) => !gone.has(bot))
    // The terms leave the index with the second update.
    leaving.push(await update(rest), await update([...rest]))
    await update(archive.bots)
  }
  return {
    oneFightMs: summary(oneFight),
    leavingMs: summary(leaving.map(({ ms }) => ms)),
    leavingLongestPauseMs: summary(leaving.map(({ longestPauseMs }) => longestPauseMs)),
  }
}

const entrants = 100

/** Tournaments of bots in pairs that meet three times. */
const tournamentsOf = (names: readonly string[]): readonly Tournament[] =>
  Array.from({ length: Math.ceil(names.length / entrants) }, (_, index) => {
    const players = names
      .slice(index * entrants, (index + 1) * entrants)
      .map((name, at) => ({ id: `p${at}`, name }))
    const fights = players.flatMap((_, at) =>
      [1, 2, 3].map((round) => {
        const startTime = 1_700_000_000 + 86_400 * index + 100 * at + round
        const times = { startTime, stopTime: startTime + 60 }
        return fightRows({ id: `W-${at}-${round}`, ...times }, `p${at & ~1}`, `p${at | 1}`)
      }),
    )
    return buildTournament(tournamentOf({ id: `t${index}`, name: `Cup ${index}` }, players, fights))
  })

/** A league of this many different bots: first build, a complete reload, and queries. */
export const measureManyBots = async (bots: number, rounds: number) => {
  const source = createNames()
  const random = createRandom(1)
  const names = Array.from({ length: bots }, () => source.next(random))
  const tournaments = tournamentsOf(names)
  const loaded = await watched(async () => {
    const archive = await loadArchive('many', tournaments)
    return archive
  })
  const archive = loaded.result
  const search = await measureBuild(archive)
  const anew = new Map(tournamentsOf(names).map((each) => [each.info.id, each]))
  const reloaded = await watched(() => updateArchive(archive, 'again', anew, noCages))
  const { botSearch } = reloaded.result
  const searchReload = await watched(() =>
    inSlices(updateSearch(botSearch, [...archive.bots], contextOf(archive))),
  )
  const times: number[] = []
  for (const { queries } of drawQueries(archive.bots, createRandom(1), rounds)) {
    for (const { text } of queries) {
      const started = performance.now()
      findBots(readText(searchReload.result, text), 8)
      times.push(performance.now() - started)
    }
  }
  const parts: Record<string, { ms: number | Summary; longestPauseMs?: number }> = {
    load: loaded.figures,
    reload: reloaded.figures,
    index: search,
    'new index': searchReload.figures,
    query: { ms: summary(times) },
  }
  return parts
}
