import { createRandom } from '../../scripts/league/random.ts'
import { type Archive, noCages, updateArchive } from '../../src/archive/archive.ts'
import { buildSearch, updateSearch } from '../../src/search/botIndex.ts'
import { rounded, summary } from './stats.ts'

/** Duration of a task, and the longest time between two turns of the event loop meanwhile. */
const timeOf = async (run: () => Promise<unknown>) => {
  let [longest, last] = [0, performance.now()]
  let isOver = false
  const turn = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const started = performance.now()
  await run()
  const ms = performance.now() - started
  isOver = true
  return { ms: rounded(ms), longestPauseMs: rounded(longest) }
}

export const contextOf = ({ botSearch: { newestUnix, leagueWords } }: Archive) => ({
  newestUnix,
  leagueWords,
})

/** Time and longest pause of updates: of one changed fight, and of 45 bots that leave. */
export const measureUpdates = async (archive: Archive) => {
  const context = contextOf(archive)
  const last = archive.dataset.tournaments.find(({ fights }) => fights.length > 0)
  if (!last) throw new Error('the league has no fights')
  const search = buildSearch(archive.bots, context)
  // Bots of the tournament are new values after any change of it.
  const changed = await updateArchive(
    archive,
    'changed',
    new Map([[last.info.id, { ...last }]]),
    noCages,
  )
  const oneFight: { ms: number; longestPauseMs: number }[] = []
  let current = search
  for (let round = 0; round < 20; round += 1) {
    const bots = round % 2 === 0 ? changed.bots : archive.bots
    oneFight.push(
      await timeOf(async () => {
        current = await updateSearch(current, bots, context)
      }),
    )
  }
  oneFight.sort((a, b) => a.ms - b.ms)
  const leavingTimes: { ms: number; longestPauseMs: number }[] = []
  for (const random of Array.from({ length: 10 }, (_, seed) => createRandom(seed))) {
    const leaving = new Set(random.shuffle(archive.bots).slice(0, 45))
    const rest = archive.bots.filter((bot) => !leaving.has(bot))
    const left = await timeOf(async () => {
      current = await updateSearch(current, rest, context)
    })
    // Their terms leave the index with the next change.
    const cleaned = await timeOf(async () => {
      current = await updateSearch(current, [...rest], context)
    })
    leavingTimes.push({
      ms: left.ms + cleaned.ms,
      longestPauseMs: Math.max(left.longestPauseMs, cleaned.longestPauseMs),
    })
    current = await updateSearch(current, archive.bots, context)
  }
  return {
    oneFightMs: oneFight[10]?.ms ?? 0,
    oneFightWorstMs: oneFight.at(-1)?.ms ?? 0,
    leavingMs: summary(leavingTimes.map(({ ms }) => ms)),
    leavingLongestPauseMs: summary(leavingTimes.map(({ longestPauseMs }) => longestPauseMs)),
  }
}
