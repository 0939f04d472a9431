import { createRandom } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import type { Traffic } from './traffic.ts'

const codings = ['gzip, deflate, br, zstd', 'gzip, deflate, br', 'gzip']

/** People who watch an event: live URLs, with the ETag of the last response. */
export const createPollingTraffic = ({ cages }: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const paths = [
    '/cages',
    '/fights/recent',
    '/schedule',
    ...cages.map((number) => `/cages/${number}`),
  ]
  return () => ({
    method: 'GET',
    path: random.pick(paths),
    headers: `Accept-Encoding: ${random.pick(codings)}\r\n`,
    revalidates: true,
    isExpected: (status) => status === 200 || status === 304,
  })
}
