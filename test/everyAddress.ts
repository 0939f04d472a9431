import type { TSchema } from '@sinclair/typebox'
import { createRandom } from '../scripts/league/random.ts'
import { createRoutes } from '../src/api/routes.ts'
import { openCompanions } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Archive } from '../src/data/archive/archive.ts'
import { recordingsOf } from '../src/data/league/recordings.ts'
import { weightClassKey } from '../src/data/league/weightClass.ts'
import { createLog } from '../src/runtime/log.ts'
import { contract, serviceOf } from './fixtures.ts'

/** Values of parameters, by name. */
type Values = Readonly<Record<string, string>>

/** Operations whose answers differ by design: random clips, random client ids, the state of the process. */
const differing: ReadonlySet<string> = new Set([
  'listChanges',
  'streamChanges',
  'legacyRandomClips',
  'getUsage',
  'getHealth',
  'getBulkIndex',
  'getBulkFile',
  'getSnapshot',
])

const pages = (count: number): string[] =>
  Array.from({ length: Math.min(count, 5) }, (_, page) => String(page + 1))

/** Every combination of values for the parameters of a path, by their names. */
const pathValues = ({ dataset, bots, clips, stills, cages }: Archive): Record<string, Values[]> => {
  const tournaments = dataset.tournaments.map(({ info }) => ({ tournamentID: info.id }))
  const games = dataset.fights.map(({ tournament, id }) => ({
    tournamentID: tournament.id,
    gameID: id,
  }))
  return {
    '': [{}],
    tournamentID: tournaments,
    'tournamentID gameID': games,
    'tournamentID playerID': dataset.tournaments.flatMap(({ info, players }) =>
      players.map(({ player }) => ({ tournamentID: info.id, playerID: player.id })),
    ),
    recordingID: dataset.fights.flatMap(({ recordings }) =>
      recordingsOf(recordings).map(({ id }) => ({ recordingID: String(id) })),
    ),
    bot: bots.map(({ cleanName }) => ({ bot: cleanName })),
    // Opponents of the newest fight of each bot, or bots that it has rarely met.
    'bot1 bot2': bots.map(({ cleanName, fights: [newest] }, index) => {
      const other = newest?.red.player.cleanName === cleanName ? newest.blue : newest?.red
      const any = bots[(index * 7 + 1) % bots.length]?.cleanName ?? ''
      return { bot1: cleanName, bot2: other?.player.cleanName || any }
    }),
    team: bots.flatMap(({ teamKey }) => (teamKey === '' ? [] : [{ team: teamKey }])),
    token: [...clips.byToken.keys()].sort().map((token) => ({ token })),
    stillID: stills.newestFirst.flatMap(({ id, token }) => [
      { stillID: String(id) },
      { stillID: token },
    ]),
    cageNumber: Object.values(cages).map(({ number }) => ({ cageNumber: String(number) })),
  }
}

/** Values that make a difference for each parameter of a query. */
const queryValues = ({ dataset, bots, stills }: Archive): Record<string, readonly string[]> => {
  const ids = dataset.tournaments.map(({ info }) => info.id)
  const names = bots.slice(0, 20).map(({ name }) => name)
  return {
    q: [
      ...names.map((name) => name.slice(0, 3)),
      ...names,
      names.slice(0, 2).join(' vs '),
      'cup',
      bots.find(({ team }) => team)?.team ?? 'team',
    ],
    limit: ['1', '100'],
    active: ['0', '30', 'x'],
    offset: ['0', '2', '-1'],
    from: ['2026-01-01', 'never'],
    page: pages(Math.ceil(dataset.fights.length / 20)),
    metric: ['wins', 'winRate', 'koRate', 'avgMatchDuration'],
    weightClass: [
      ...new Set(
        bots.flatMap(({ classes }) =>
          classes.map(({ weightClass }) => weightClassKey(weightClass)),
        ),
      ),
    ].map(String),
    kind: ['bot,tournament,pair'],
    bot: names,
    tournament: ids,
    year: ['2025', '2026'],
    tag: stills.byTag.map(({ label }) => label),
    heroesOnly: ['1'],
    event: ids,
    source: stills.bySource.map(({ label }) => label),
    function: ['getLocalTournaments'],
    'params[tournamentId]': [],
    tournamentID: ids,
    gameID: [],
    draw: ['3'],
    start: ['1'],
    length: ['2'],
    'search[value]': names.slice(0, 1),
    'columns[0][data]': ['name'],
    'order[0][column]': ['2'],
    'order[0][dir]': ['desc'],
    all: ['1'],
    cage: ['1', '2'],
  }
}

/** Queries whose parameters are only valid together. */
const together = ({ dataset }: Archive): Record<string, Values[]> => ({
  legacyMatchJSON: dataset.fights.map(({ tournament, id }) => ({
    tournamentID: tournament.id,
    gameID: id,
  })),
  legacyTournamentSource: dataset.tournaments.map(({ info }) => ({
    function: 'getSingleTournament',
    'params[tournamentId]': info.id,
  })),
  legacyGetTournamentMatchesDataTables: dataset.tournaments.map(({ info }) => ({
    tournamentID: info.id,
    draw: '9',
    length: '2',
  })),
})

const fill = (template: string, values: Values): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

/** Values for the parameters in the path of a template. Throws if there are none. */
const valuesFor = (template: string, inPath: Record<string, Values[]>): Values[] => {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = inPath[names.join(' ')]
  if (!values) throw new Error(`there are no values for ${template}`)
  return values
}

const described: ReadonlySet<string> = new Set(contract.operations.map(({ template }) => template))
/** Templates of all routes, with the schemas of the parameters of their queries. */
const allRoutes = createRoutes(serviceOf(undefined), {
  basePath: '',
  legacyBase: '/legacy',
  liveStreams: async () => [],
  pictureSizes: async () => undefined,
  companions: openCompanions(
    readConfig({ SNAPSHOT: '/nowhere/league.cageside' }),
    createLog('silent'),
  ),
})
  .routes.routes.filter(({ method }) => method === 'GET')
  .map(({ path, hooks }) => ({
    template: path.replace(/:(\w+)/g, '{$1}'),
    query: Object.entries<TSchema>(hooks.query?.properties ?? {}),
  }))
export const templates: readonly string[] = allRoutes.map(({ template }) => template)
const routes = allRoutes.filter(({ template }) => !/\{(file|asset)\}/.test(template))
/** Routes that `/openapi` leaves out. */
const undescribed = routes
  .map(({ template }) => template)
  .filter((template) => !described.has(template))

/** All URLs of a route that an archive has. */
interface RouteAddresses {
  readonly template: string
  readonly addresses: readonly string[]
}

/** Every page, every feed and every legacy script with `.php`. */
export const pagesByRoute = (archive: Archive): RouteAddresses[] => {
  const inPath = pathValues(archive)
  return undescribed.map((template) => ({
    template,
    addresses: valuesFor(template, inPath).map((values) => fill(template, values)),
  }))
}

export const everyPageOf = (archive: Archive): string[] =>
  pagesByRoute(archive).flatMap(({ addresses }) => addresses)

/**
 * URLs of every described route of the app, made from the route table: for every value in the archive, and with every
 * parameter of its query. Throws for a parameter without values here, so that no route is left out.
 */
export const addressesByRoute = (archive: Archive): RouteAddresses[] => {
  const inPath = pathValues(archive)
  const inQuery = queryValues(archive)
  const combined = together(archive)
  return contract.operations.flatMap(({ template, operation }) => {
    const { operationId = '', parameters } = operation
    if (differing.has(operationId)) return []
    const queries = parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name }) => {
        const values = inQuery[name]
        if (!values) throw new Error(`there are no values for ${name} of ${template}`)
        return values.map((value): Values => ({ [name]: value }))
      })
    const addresses = valuesFor(template, inPath).flatMap((values) =>
      [{}, ...queries, ...(combined[operationId] ?? [])].map((query) => {
        const text = new URLSearchParams(query).toString()
        return fill(template, values) + (text && `?${text}`)
      }),
    )
    return [{ template, addresses }]
  })
}

export const everyAddressOf = (archive: Archive): string[] =>
  addressesByRoute(archive).flatMap(({ addresses }) => addresses)

/** At most `most` entries of a list, evenly spread; others for each `turn`. */
export const spread = <T>(list: readonly T[], most: number, turn = 0): readonly T[] => {
  const step = Math.max(1, list.length / most)
  const place = (index: number): number => Math.floor((index + (turn % step)) / step)
  return list.filter((_, index) => place(index) !== place(index - 1))
}

/** Up to `most` addresses of each route. */
export const someAddressesOf = (archive: Archive, most: number, turn = 0): string[] =>
  addressesByRoute(archive).flatMap(({ addresses }) => spread(addresses, most, turn))

/** Values of a parameter around the bounds of its schema. */
const bounds = ({ minimum, maximum, default: usual }: TSchema): string[] => {
  const numbers = [minimum, maximum, usual].filter((value) => typeof value === 'number')
  return [...numbers.flatMap((value) => [value - 1, value, value + 1]).map(String), '', '3', 'x']
}

/** A path, and `count` drawn queries, for each route with parameters: several at a time, at and beyond their bounds. */
export const drawnAddressesOf = (archive: Archive, count: number): Map<string, string[]> => {
  const inPath = pathValues(archive)
  const inQuery: Readonly<Record<string, readonly string[]>> = {
    ...queryValues(archive),
    bots: [
      archive.bots
        .slice(0, 3)
        .map(({ name }) => name)
        .join(),
      'nobody,x',
    ],
    lang: ['de', 'fr-CA', '../x'],
    spoilers: ['0'],
    weightClass: ['antweight', ...(queryValues(archive).weightClass ?? [])],
  }
  const drawn = new Map<string, string[]>()
  for (const { template, query } of routes) {
    if (template.startsWith('/changes')) continue
    // Each route is drawn separately, so that other routes do not change it.
    const random = createRandom(Number(BigInt(Bun.hash(template)) % 2n ** 31n))
    const paths = valuesFor(template, inPath)
    const draw = () => {
      const chosen = query.filter(() => random.chance(0.6))
      const values = chosen.map(([name, schema]): [string, string] => {
        const { type, anyOf = [] } = schema
        const literals = anyOf.flatMap((each: TSchema) => each.const ?? [])
        const known = [...(inQuery[name] ?? []), ...literals]
        const isNumber =
          type === 'integer' || anyOf.some((each: TSchema) => each.type === 'integer')
        const own = isNumber ? bounds(schema) : type === 'boolean' ? ['1', 'false', ''] : []
        return [name, random.pick([...known, ...own, ...(known.length + own.length ? [] : ['x'])])]
      })
      const text = new URLSearchParams(values).toString()
      return fill(template, random.pick(paths)) + (text && `?${text}`)
    }
    if (paths.length === 0) continue
    const addresses = Array.from({ length: query.length === 0 ? 0 : count }, draw)
    const unknown = template.replaceAll(/\{\w+\}/g, 'none')
    drawn.set(template, unknown === template ? addresses : [...addresses, unknown])
  }
  return drawn
}
