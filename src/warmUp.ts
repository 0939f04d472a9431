import { setImmediate } from 'node:timers/promises'
import type { OpenAPIV3 } from 'openapi-types'
import type { App } from './app.ts'
import type { Archive } from './archive/archive.ts'
import { exampleTargets } from './openapi/examples.ts'

/**
 * Requests whose code is slow until it is compiled. At 11,000 fights the first of each takes 20 to
 * 70 ms, the tenth 3 to 8 ms. The query differs by round, as a cached response would run no code.
 */
const requestsOf = (
  { dataset }: Archive,
  { basePath, legacyBase }: { readonly basePath: string; readonly legacyBase: string },
  round: number,
): readonly string[] => {
  const [first] = dataset.tournaments
  const largest = dataset.tournaments.reduce(
    (a, b) => (a && a.fights.length >= b.fights.length ? a : b),
    first,
  )
  const table = new URLSearchParams({
    tournamentID: largest?.info.id ?? '',
    'search[value]': 'aeiounrstl'.charAt(round),
    'order[0][column]': String(round),
  })
  return [
    `${basePath}/search?q=the ${round} iron storms of doom and steel`,
    `${basePath}/autocomplete?q=the ${round} iron storms of doom&limit=20`,
    `${basePath}/bots?q=${'aeiounrstl'.charAt(round)}&limit=200`,
    `${basePath}/usage?days=${365 - round}`,
    `${basePath}/changes`,
    `${legacyBase}/getTournamentMatchesDataTables?${table}`,
  ]
}

/** Pages of different events; the first one also bundles the files of all pages. */
const pagesOf = (
  { dataset }: Archive,
  { basePath }: { readonly basePath: string },
  round: number,
): readonly string[] => [
  `${basePath}/?q=${'aeiounrstl'.charAt(round)}`,
  `${basePath}/e/${encodeURIComponent(dataset.tournaments[round]?.info.id ?? '')}`,
]

const rounds = 10

/** Compiles what requests need, one internal request per turn of the event loop. */
export const warmUp = async (
  app: App,
  archive: Archive,
  paths: { readonly basePath: string; readonly legacyBase: string; readonly pages: boolean },
): Promise<void> => {
  const request = async (path: string, accept = '*/*'): Promise<Response> => {
    const response = await app(new Request(`http://localhost${path}`, { headers: { accept } }))
    await setImmediate()
    return response
  }
  const described = await request(`${paths.basePath}/openapi`)
  const document: OpenAPIV3.Document = JSON.parse(await described.text())
  for (const target of exampleTargets(document)) {
    // Its index makes all files, which takes 80 MB at 11,000 fights.
    if (!target.startsWith(`${paths.basePath}/bulk`)) await request(target)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const path of requestsOf(archive, paths, round)) await request(path)
    if (!paths.pages) continue
    for (const path of pagesOf(archive, paths, round)) await request(path, 'text/html')
  }
}
