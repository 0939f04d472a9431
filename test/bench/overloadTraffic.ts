import { createRandom } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import { getRequest, type Traffic } from './traffic.ts'

/** Requests with uncached responses; 503 is expected, too. */
export const createExpensiveTraffic = (catalog: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const bot = (): string => random.pick(catalog.bots).cleanName
  const kinds = [
    () => `/fights?page=${random.int(1, catalog.lastFightPage)}&limit=${random.int(60, 100)}`,
    () => `/search?q=${bot().slice(0, 5)}+${random.token(4)}+${bot().slice(0, 6)}`,
    () => `/stats/head-to-head/${bot()}/${bot()}`,
    () => `/stills?event=${random.token(2)}&page=${random.int(1, 20)}&limit=100`,
    () => `/bots?q=${random.token(2)}&page=${random.int(1, 10)}&limit=200`,
    () =>
      `/legacy/getTournamentMatchesDataTables?tournamentID=${random.pick(catalog.tournaments)}` +
      `&search[value]=${random.token(1)}&draw=${random.int(1, 1_000_000)}`,
  ]
  return () => getRequest(random.pick(kinds)(), (status) => status === 200 || status === 503)
}

/** Requests with cached responses. */
export const createCheapTraffic = ({ tournaments }: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const paths = ['/cages', '/schedule', '/fights/recent', `/tournaments/${tournaments[0]}`]
  return () => getRequest(random.pick(paths))
}
