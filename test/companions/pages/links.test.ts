import { expect, test } from 'bun:test'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import { everyAddressOf, everyPageOf } from '../../everyAddress.ts'
import { appOf, archiveWithCages, serviceOf } from '../../fixtures.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../../rows.ts'

const players = ['Axe', 'Bolt', 'Żółw & Söhne'].map((name, index) => ({ id: `p/${index}`, name }))
const league = (name: string) =>
  archiveWithCages(
    { cages: [cageRow({ number: 2, tournamentId: 'cup 1', gameId: 'W-1' })] },
    tournamentOf(
      { id: 'cup 1', name, active: true },
      players,
      [
        fightRows({ id: 'W-0' }, 'p/0', 'p/1'),
        fightRows({ id: 'W-1', state: 'called', startTime: null }, 'p/0', 'p/2', null),
      ],
      {
        recordings: [recordingRow({ id: 1 })],
        clips: [clipRow({ token: 'clip' })],
        stills: [stillRow({ id: 1, playerId: 'p/0', isHero: true })],
      },
    ),
  )

/** Attributes whose values browsers or our scripts read as addresses. */
const addressAttribute =
  /\s(?:href|src|action|api|poster|data-(?:follow|worker|streams|hls))="([^"]*)"/g

const browser = { headers: { accept: 'text/html,*/*;q=0.8' } }

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(stringsIn)
    : typeof value === 'string'
      ? [value]
      : []

/** URLs of the service in an answer: in its body by media type, and in its headers. */
const addressesIn = (type: string, text: string, headers: Headers, origin: string) => {
  const plain = text.replaceAll('&amp;', '&').replaceAll('&#x27;', "'")
  const absolute = plain
    .replaceAll('\r\n ', '')
    .split(/[\s"'<>()`|]+/)
    .filter((word) => word.startsWith(origin))
  const own = /json/.test(type)
    ? stringsIn(JSON.parse(text)).filter((each) => each.startsWith('/'))
    : /html|xml/.test(type)
      ? [...plain.matchAll(addressAttribute)].map(([, address = '']) => address)
      : []
  const linked = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>/g)].map(
    ([, address = '']) => address,
  )
  const location = headers.get('location')
  return [...absolute, ...own, ...linked, ...(location === null ? [] : [location])]
}

test.each([
  ['no setting', 'http://localhost', '', { basePath: '', legacyBase: '/legacy' }],
  [
    'BASE_PATH, LEGACY_BASE, PUBLIC_URL and a proxy that removes a prefix',
    'https://league.example',
    '/outer',
    {
      basePath: '/x/api.php',
      legacyBase: '/x/backend',
      publicUrl: 'https://league.example/outer/x/api.php',
      trustedProxies: 1,
    },
  ],
])('every URL in every answer leads to an answer with %s', async (_, origin, outer, settings) => {
  const { basePath, legacyBase } = settings
  const [before, after] = [league('Cup'), league('Cup of all')]
  const changes = createChanges(settings)
  changes.feed.begin(before)
  const app = appOf(serviceOf(after), {
    ...settings,
    changes,
    streamBase: 'https://media.example',
  })
  const read = async (path: string) => app(new Request(`http://localhost${path}`, browser))
  const { cursor } = JSON.parse(await (await read(`${basePath}/changes`)).text())
  changes.feed.swapped(before, after)

  const problems: string[] = []
  /** Requested paths, and whether an answer links to each. */
  const known = new Map<string, { isLinked: boolean }>()
  const follow = (address: string, from: string): void => {
    const { pathname, search, origin: host } = new URL(address, origin)
    if (host !== origin) return
    const isAbsolute = address.startsWith('/') || address.startsWith(origin)
    // The server in the OpenAPI description has the base path, which is appended to it.
    if (from.endsWith('/openapi') && pathname === (outer || '/')) return
    const isOwn = [basePath, legacyBase].some((base) =>
      `${pathname}/`.startsWith(`${outer}${base}/`),
    )
    if (!isAbsolute) problems.push(`${from}: relative '${address}'`)
    else if (!isOwn) problems.push(`${from}: foreign ${address}`)
    // A stream has no end.
    else if (!/\{|\/changes\/stream/.test(decodeURI(address)))
      known.set(pathname + search, { isLinked: true })
  }
  const started = [
    ...['/', '/docs', '/openapi', '/llms.txt', '/site.webmanifest', '/bulk', '/health'],
    ...[`/changes?since=${cursor}`, '/changes?since=gone'],
    ...everyPageOf(after),
    ...everyAddressOf(after),
  ]
  for (const path of started) {
    const isScript = path.startsWith('/legacy/')
    const own = isScript ? path.replace('/legacy', legacyBase) : basePath + path
    if (!path.startsWith('/robots-thumb')) known.set(outer + own, { isLinked: false })
  }
  const statuses = new Map<string, number>()
  for (const path of known.keys()) {
    const response = await read(path.slice(outer.length))
    const { status, headers } = response
    statuses.set(path, status)
    const type = headers.get('content-type') ?? ''
    for (const address of addressesIn(type, await response.text(), headers, origin)) {
      if (!address.startsWith('#')) follow(address, path)
    }
  }
  for (const [path, { isLinked }] of known) {
    const status = statuses.get(path) ?? 0
    if (isLinked ? ![200, 302].includes(status) : status >= 500)
      problems.push(`${status} at ${path}`)
  }
  expect([...new Set(problems)].slice(0, 40)).toEqual([])
  expect(known.size).toBeGreaterThan(300)
})
