import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { appOf, archiveOf } from '../fixtures.ts'
import { fightRows, tournamentOf } from '../rows.ts'

const archive = archiveOf(
  tournamentOf({}, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')]),
)

describe('PUBLIC_URL', () => {
  test.each([
    // A prefix that the proxy removes.
    ['https://league.example/api', '', '', '/api', 'https://league.example/api'],
    // A prefix that the proxy keeps.
    ['https://league.example/api', '/api', '/api', '/api', 'https://league.example'],
    ['https://league.example', '', '', '', 'https://league.example'],
    [undefined, '/api', '/api', '/api', '/'],
  ])(
    'PUBLIC_URL=%s with BASE_PATH %p gives the addresses of documents',
    async (publicUrl, basePath, path, linked, server) => {
      const app = appOf(archive, { basePath, publicUrl })
      const ask = async (address: string) => {
        const response = await app(new Request(`http://localhost${address}`))
        return { link: response.headers.get('link'), body: JSON.parse(await response.text()) }
      }
      const list = await ask(`${path}/fights?limit=1`)
      expect(list.link).toContain(`<${linked}/fights?`)
      const script = await ask('/legacy/recentFights')
      expect(script.link).toContain(`<${linked}/fights/recent`)
      const { body: index } = await ask(path || '/')
      expect(index).toMatchObject({ docs: `${linked}/docs`, openapi: `${linked}/openapi` })
      const paths = index.endpoints.map((each: { path: string }) => each.path)
      expect(paths).toContain(`${linked}/fights`)
      const { body: document } = await ask(`${path}/openapi`)
      expect(document.servers).toEqual([{ url: server }])
      // Server and path form the URL that clients use.
      expect(Object.keys(document.paths)).toContain(`${basePath}/fights`)
      const page = await app(new Request(`http://localhost${path}/docs`))
      expect(await page.text()).toContain(`src="${linked}/docs/swagger-ui-bundle.js"`)
    },
  )
})

describe('the canonical URL of a page', () => {
  const pageAt = async (
    path: string,
    settings: Parameters<typeof appOf>[1],
    host = 'a.example',
  ) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { accept: 'text/html', host },
    })
    return (await appOf(archive, { pages: true, ...settings })(request)).text()
  }
  const tags = (page: string): readonly string[] =>
    [...page.matchAll(/rel="canonical" href="([^"]*)"|"og:url" content="([^"]*)"/g)].map(
      ([, canonical, url]) => canonical ?? url ?? '',
    )

  test('the canonical URL of a page follows PUBLIC_URL, and hides outcomes if the page does', async () => {
    const settings = { basePath: '/api', publicUrl: 'https://league.example/v1' }
    const event = archive.dataset.tournaments[0]?.info.id
    for (const [path, address] of [
      ['/api/stats?spoilers=0', '/stats?spoilers=0'],
      [`/api/e/${event}`, `/e/${event}`],
      ['/api/', '/'],
    ] as const) {
      const found = tags(await pageAt(path, settings))
      expect(found).toEqual(Array(2).fill(`https://league.example/v1${address}`))
    }
    expect(tags(await pageAt('/api/e/nowhere', settings))).toEqual([])
  })

  // One response is cached for all hosts.
  test('a page has no canonical URL without PUBLIC_URL', async () => {
    expect(tags(await pageAt('/stats', {}))).toEqual([])
  })
})

test('DATA_LICENSE is the licence in the document', async () => {
  const documentOf = async (given: string | undefined) => {
    const { dataLicense } = readConfig({ DATA_LICENSE: given })
    const app = appOf(archive, { dataLicense })
    return JSON.parse(await (await app(new Request('http://localhost/openapi'))).text())
  }
  const url = 'https://creativecommons.org/licenses/by/4.0/'
  expect((await documentOf(`CC BY 4.0 ${url}`)).info.license).toEqual({ name: 'CC BY 4.0', url })
  expect((await documentOf('Public domain')).info.license).toEqual({ name: 'Public domain' })
  expect((await documentOf(undefined)).info.license).toMatchObject({ name: 'MIT' })
  const app = appOf(archive, { dataLicense: { name: 'CC BY 4.0', url } })
  const dictionary = await app(new Request('http://localhost/bulk/README.md'))
  expect(await dictionary.text()).toContain('CC BY 4.0')
  expect(() => readConfig({ DATA_LICENSE: url })).toThrow('DATA_LICENSE must be a name')

  const shownIn = async (given: string | undefined, accept: string) => {
    const { dataLicense } = readConfig({ DATA_LICENSE: given })
    const request = new Request('http://localhost/', { headers: { accept } })
    return (await appOf(archive, { dataLicense, pages: true })(request)).text()
  }
  const json = async (given: string | undefined) =>
    JSON.parse(await shownIn(given, 'application/json')).license
  expect(await json(`CC BY 4.0 ${url}`)).toEqual({ name: 'CC BY 4.0', url })
  expect(await json('Public domain')).toEqual({ name: 'Public domain' })
  expect(await json(undefined)).toBeUndefined()
  expect(await shownIn(`<CC> 4.0 ${url}`, 'text/html')).toContain(
    `open data (<a rel="license" href="${url}">&lt;CC&gt; 4.0</a>):`,
  )
  expect(await shownIn('Public domain', 'text/html')).toContain('open data (Public domain):')
  expect(await shownIn(undefined, 'text/html')).toContain('open data: <a')
})

test('links follow the headers of their request, however the same characters are split between them', async () => {
  const [app, behindTwo] = [1, 2].map((trustedProxies) => appOf(archive, { trustedProxies }))
  const feed = async (host: string, forwarded: string, of = app): Promise<string | undefined> => {
    const headers = { host, 'x-forwarded-host': forwarded, 'x-forwarded-proto': 'https' }
    return (await of?.(new Request('http://localhost/events.ics', { headers })))?.text()
  }
  expect(await feed('a', 'b.example')).toContain('https://b.example/')
  expect(await feed('ab', '.example')).not.toContain('b.example/')
  for (const hosts of ['c.example', 'd.example, c.example, b.example'])
    expect(await feed('a', hosts, behindTwo)).toContain('https://c.example/')
})
