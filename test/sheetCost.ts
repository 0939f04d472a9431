/**
 * A program of its own, as a large heap of other tests multiplies the cost of an allocation: prints how many times the
 * CPU time of 4,000 fights of one tournament 20,000 take, in `one` round or in a round `each`.
 */
import { readLeague } from '../scripts/import/csv/folder.ts'

const [kind = 'one'] = process.argv.slice(2)

/** CPU milliseconds that files of this many fights take. */
const cpuFor = (count: number): number => {
  const fights = Array.from(
    { length: count },
    (_, index) =>
      `a,b${index % 300},c${index % 7},red,${kind === 'one' ? 1 : `R${index}`},${index % 24}:00`,
  )
  const files = new Map(
    Object.entries({
      'tournaments.csv': ['tournament,weight,start', 'a,3,2026-03-14 10:00'],
      'players.csv': ['tournament,name'],
      'fights.csv': ['tournament,red,blue,winner,round,start', ...fights],
    }).map(([name, lines]) => [name, Buffer.from(`${lines.join('\n')}\n`)] as const),
  )
  const started = process.cpuUsage()
  const { league, problems } = readLeague(files, { 'time-zone': 'America/New_York' })
  const { user, system } = process.cpuUsage(started)
  const ids = new Set(league.flatMap(({ games }) => games?.map(({ id }) => id) ?? []))
  if (ids.size !== count || problems.length > 0) throw new Error(`${ids.size} of ${count} fights`)
  return (user + system) / 1000
}

const least = (runs: number, count: number): number =>
  Math.min(...Array.from({ length: runs }, () => cpuFor(count)))

// The smaller files first: the bound in the test was measured so.
const few = least(5, 4000)
console.log(least(2, 20_000) / few)
