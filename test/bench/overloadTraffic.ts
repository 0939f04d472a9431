import { createRandom } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import type { Traffic, TrafficRequest } from './traffic.ts'

const get = (path: string, isExpected: TrafficRequest['isExpected']): TrafficRequest => ({
  method: 'GET',
  path,
  headers: 'Accept-Encoding: gzip, deflate, br, zstd\r\n',
  revalidates: false,
  isExpected: isExpected,
})
const isFound = (status: number): boolean => status === 200

/** Requests none of whose answers is stored; 503 is a right answer to them. */
export const createExpensiveTraffic = (world: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const bot = (): string => random.pick(world.bots).cleanName
  const kinds = [
    () => `/fights?page=${random.int(1, world.lastFightPage)}&limit=${random.int(60, 100)}`,
    () => `/search?q=${bot().slice(0, 5)}+${random.token(4)}+${bot().slice(0, 6)}`,
    () => `/stats/head-to-head/${bot()}/${bot()}`,
    () => `/stills?event=${random.token(2)}&page=${random.int(1, 20)}&limit=100`,
    () => `/bots?q=${random.token(2)}&page=${random.int(1, 10)}&limit=200`,
    () =>
      `/legacy/getTournamentMatchesDataTables?tournamentID=${random.pick(world.tournaments)}` +
      `&search[value]=${random.token(1)}&draw=${random.int(1, 1_000_000)}`,
  ]
  return () => get(random.pick(kinds)(), (status) => status === 200 || status === 503)
}

/** What everybody's screen asks, and is stored. */
export const createCheapTraffic = (world: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const paths = ['/cages', '/schedule', '/fights/recent', `/tournaments/${world.tournaments[0]}`]
  return () => get(random.pick(paths), isFound)
}

/** Reports over every number of days in turn. */
export const createReportTraffic = (): Traffic => {
  let asked = 0
  return () => {
    asked += 1
    return get(`/usage?days=${1 + (asked % 365)}`, isFound)
  }
}
