import { createRandom, type Random } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import type { Traffic } from './traffic.ts'

/** The path with a fifth of its characters percent-encoded. */
const percentEncoded = (path: string, random: Random): string =>
  path.replace(/[a-z0-9]/gi, (char) =>
    random.chance(0.2) ? `%${char.charCodeAt(0).toString(16)}` : char,
  )

const methods = ['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']

/**
 * Requests that vary everything a client can: hardly two are equal. Any status below 500 is expected.
 * Equal catalog and seed give equal requests.
 */
export const createHostileTraffic = (catalog: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const junk = (maxLength: number): string => random.token(random.int(1, maxLength))
  const number = (): number => random.int(-10, 2_000_000_000)
  const paths = [
    () => `/search?q=${junk(200)}`,
    () => `/search?q=${random.pick(catalog.bots).cleanName}+${junk(12)}`,
    () => `/autocomplete?q=${junk(40)}&limit=${number()}`,
    () => `/bots?q=${junk(20)}&page=${number()}&limit=${number()}`,
    () => `/bots/${junk(300)}`,
    () => `/fights?page=${number()}&limit=${number()}&${junk(10)}=${junk(100)}`,
    () => `/fights?page=${random.int(1, catalog.lastFightPage)}&limit=${random.int(1, 100)}`,
    () => `/fights/recent?limit=${random.int(1, 100)}&key=${junk(64)}`,
    () => `/stills?bot=${junk(30)}&tag=${junk(30)}&event=${junk(30)}&source=${junk(30)}`,
    () => `/stills?page=${random.int(1, 5000)}&limit=${random.int(1, 100)}`,
    () => `/stats/head-to-head/${junk(60)}/${junk(60)}`,
    () =>
      `/stats/head-to-head/${random.pick(catalog.bots).cleanName}/${random.pick(catalog.bots).cleanName}`,
    () => `/stats/leaderboard?metric=${junk(10)}&limit=${number()}&weightClass=${number()}`,
    () => `/tournaments/${junk(100)}/fights/${junk(100)}`,
    () => `/usage?days=${number()}&endpoint=${junk(100)}`,
    () => `/${junk(20)}/${junk(2000)}`,
    () => percentEncoded(`/bots/${random.pick(catalog.bots).cleanName}/fights`, random),
    () => percentEncoded(`/tournaments/${random.pick(catalog.tournaments)}/brackets`, random),
    () => `/bots/%${random.hex(2)}%E0%A4`,
  ]
  const header: readonly (() => string)[] = [
    () => `User-Agent: ${junk(300)}\r\n`,
    () => `X-API-Key: ${junk(64)}\r\n`,
    () => `If-None-Match: ${random.chance(0.5) ? `W/"${junk(22)}"` : `"${junk(3000)}", "a"`}\r\n`,
    () =>
      `Accept-Encoding: ${random.pick(['br', 'gzip', 'zstd', junk(60)])};q=0.${random.int(0, 999)}, ${junk(9)}\r\n`,
    () => `X-Forwarded-For: ${[0, 0, 0, 0].map(() => random.int(0, 255)).join('.')}\r\n`,
    () => `X-${junk(20)}: ${junk(200)}\r\n`,
    () => `Origin: https://${random.hex(12)}.example\r\n`,
  ]
  return () => ({
    method: random.pick(methods),
    path: random.pick(paths)(),
    headers: header.map((make) => (random.chance(0.7) ? make() : '')).join(''),
    revalidates: false,
    isExpected: (status) => status < 500,
  })
}
