import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import { fightPath } from '../../../src/api/pagePaths.ts'
import type { App } from '../../../src/app.ts'
import { searchStyleSource } from '../../../src/companions/pages/assets.ts'
import { assetNames } from '../../../src/companions/pages/bundle.ts'
import { isFolded } from '../../../src/companions/pages/events/bracket.ts'
import { layOutBrackets } from '../../../src/companions/pages/events/bracketLayout.ts'
import { createPages } from '../../../src/companions/pages/pages.ts'
import type { Archive, ArchiveService } from '../../../src/data/archive/archive.ts'
import { caching } from '../../../src/http/caching.ts'
import { createUsage } from '../../../src/http/usage/usage.ts'
import { spread } from '../../everyAddress.ts'
import { appOf, archiveOf, get, readText, serviceOf } from '../../fixtures.ts'
import { inlineSources, withoutInlined } from '../../inlined.ts'
import {
  archiveOfLeague,
  hostileNames,
  loadPageLeague,
  type PageLeague,
  withDecidedCages,
  withHostileNames,
  withSwappedOutcomes,
} from '../../pageLeague.ts'
import { present } from '../../present.ts'
import { projectFolder } from '../../process.ts'
import {
  fightRows,
  openFight,
  playerRow,
  playersAs,
  playersNamed,
  tournamentOf,
} from '../../rows.ts'
import { untilCoded } from '../../until.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const read = (app: App, path: string, headers: Readonly<Record<string, string>> = browser) =>
  readText(app, path, headers)
const plainText = (attribute: string): string =>
  attribute
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
const attributes = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    plainText(value),
  )

const small = archiveOf(
  tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), [fightRows({}, 'a', 'b')]),
)

let league: PageLeague
let archive: Archive
let hostile: Archive
let app: App
let hostileApp: App

beforeAll(async () => {
  league = await loadPageLeague()
  archive = archiveOfLeague(league)
  hostile = archiveOfLeague(withHostileNames(league))
  app = appOf(serviceOf(archive, league.now))
  hostileApp = appOf(serviceOf(hostile, league.now))
})

test.each(['/b/bolt?', '/my?bots=bolt&'])(
  '%s with hidden results does not say that no fight comes if it only leaves one out',
  async (path) => {
    const final = openFight({ id: 'W-1' }, 'b', 'c')
    const [red, blue] = final.slots
    const players = playersAs({ a: 'Axe', b: 'Bolt', c: 'Claw' })
    const rows = tournamentOf({ active: true }, players, [
      fightRows({}, 'b', 'a', 0),
      { ...final, slots: [{ ...red, prevGameId: 'W-0' }, blue] },
    ])
    const site = appOf(archiveOf(rows))
    const shown = await read(site, `${path}spoilers=1`)
    expect(shown.text).toContain('<bdi>Claw</bdi>')
    const { text } = await read(site, `${path}spoilers=0`)
    expect(text).toContain('Fights to come would tell results.')
    expect(text).not.toContain('<bdi>Claw</bdi>')
    expect(text).not.toContain('None of them waits')
  },
)

test('hidden results name an undrawn bot neither as called nor in a comparison', async () => {
  const players = playersAs({ a: 'Axe', b: 'Bolt', c: 'Claw' })
  const siteWith = (final: ReturnType<typeof fightRows>) => {
    const [red, blue] = final.slots
    const rows = tournamentOf({ active: true }, players, [
      fightRows({}, 'b', 'a', 0),
      { ...final, slots: [{ ...red, prevGameId: 'W-0' }, blue] },
    ])
    return appOf(archiveOf(rows))
  }
  const called = siteWith(openFight({ id: 'W-1', state: 'called' }, 'b', 'c'))
  const alertOf = async (spoilers: 0 | 1, bots = 'claw') =>
    /data-alert="[^"]*">(.*?)<\/p>/.exec(
      (await read(called, `/my?bots=${bots}&spoilers=${spoilers}`)).text,
    )?.[1]
  expect([await alertOf(1), await alertOf(0)]).toEqual([
    'Claw v Bolt: called to Cage 2',
    'Claw: called to Cage 2',
  ])
  expect([await alertOf(1, 'bolt,claw'), await alertOf(0, 'bolt,claw')]).toEqual([
    'Bolt v Claw: called to Cage 2',
    'Claw: called to Cage 2',
  ])
  const done = siteWith(fightRows({ id: 'W-1' }, 'b', 'c', 0))
  for (const pair of ['bolt/claw', 'claw/bolt'])
    expect((await read(done, `/vs/${pair}?spoilers=0`)).text).toContain(
      'None that can be named without telling a result.',
    )
})

const eventPaths = ({ dataset }: Archive): readonly string[] =>
  dataset.tournaments.map(({ info }) => `/e/${encodeURIComponent(info.id)}`)

/** Every kind of page, with every nth bot. */
const pagesOf = (of: Archive, nth: number): readonly string[] => {
  const names = of.bots.filter((_, index) => index % nth === 0).map(({ cleanName }) => cleanName)
  const teams = of.bots.flatMap(({ teamKey }, index) =>
    index % nth === 1 && teamKey ? [`/team/${teamKey}`] : [],
  )
  const [one = '', other = ''] = of.dataset.fights.flatMap(({ isCompleted, red, blue }) =>
    isCompleted ? [red.player.cleanName, blue.player.cleanName] : [],
  )
  return [
    '/',
    '/e',
    '/e?year=2019',
    '/stats',
    '/stats?weightClass=3',
    '/stats?weightClass=hobbyweight',
    '/usage',
    '/embed',
    '/live',
    '/live?board=1',
    '/overlay',
    '/overlay?lang=de',
    '/overlay/cage/4',
    '/overlay/next?cage=4&lang=ja',
    `/overlay/bot/${one}`,
    ...eventPaths(of).map((path) => path.replace('/e', '/overlay/bracket')),
    ...of.dataset.fights.filter((_, index) => index % (nth * 5) === 0).map(fightPath),
    ...eventPaths(of),
    ...names.map((cleanName) => `/b/${cleanName}`),
    ...teams,
    ...names.slice(1).map((cleanName, index) => `/vs/${names[index]}/${cleanName}`),
    `/vs/${one}/${other}`,
    `/my?bots=${one},${other}`,
    `/?q=${one}`,
    `/?q=${encodeURIComponent(`${one} vs ${other}`)}`,
  ]
}
const hiding = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}spoilers=0`

describe('files of the pages', () => {
  const filesOf = (text: string): readonly string[] =>
    [...text.matchAll(/"([^"]*\/assets\/[^"]*)"/g)].map(([, path = '']) => path)

  test('files of the pages are cached for ever at a URL with their hash', async () => {
    const files = filesOf((await read(app, '/')).text)
    expect(files.length).toBeGreaterThan(4)
    for (const path of files) {
      const { status, headers } = await read(app, path)
      expect([path, status]).toEqual([path, 200])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      const tag = headers.get('etag') ?? ''
      expect((await read(app, path, { 'if-none-match': tag })).status).toBe(304)
    }
  })

  test('files of the pages without a hash, or with an old one, are the same and cached for a minute', async () => {
    const [path = ''] = filesOf((await read(app, '/')).text)
    const { text } = await read(app, path)
    for (const other of [path.replace(/\.\w{10}\./, '.'), path.replace(/\w{10}/, '0123456789')]) {
      const { status, headers, text: same } = await read(app, other)
      expect([other, status, same === text]).toEqual([other, 200, true])
      expect(headers.get('cache-control')).toStartWith('public, max-age=60')
    }
  })

  test.each([
    ['early.js', 'text/javascript; charset=utf-8'],
    ['site.js', 'text/javascript; charset=utf-8'],
    ['search.js', 'text/javascript; charset=utf-8'],
    ['site.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('the file %s is %s', async (name, type) => {
    expect((await read(app, `/assets/${name}`)).headers.get('content-type')).toBe(type)
  })

  test.each(['x.js', '..%2Fbundle.ts', '__proto__', 'constructor', '%00', 'site', 'site.ts'])(
    '%s is no file of the pages',
    async (name) => {
      expect((await read(app, `/assets/${name}`)).status).toBe(404)
    },
  )

  test('style sheets are bundled, without outdated vendor prefixes', async () => {
    for (const name of assetNames.filter((each) => each.endsWith('.css'))) {
      const { text } = await read(app, `/assets/${name}`)
      expect([name, text.match(/@import|:-(webkit|moz)-any|\n\s+\w/)]).toEqual([name, null])
    }
  })

  test('icon and manifest are at the URLs that browsers request', async () => {
    const based = appOf(small, { basePath: '/x', publicUrl: 'https://league.example/outer/x' })
    const icon = await read(based, '/x/favicon.ico')
    expect(icon.headers.get('location')).toBe('/outer/x/assets/favicon.ico')
    const { headers, text } = await read(based, '/x/site.webmanifest')
    expect(headers.get('content-type')).toBe('application/manifest+json')
    const { start_url, icons } = JSON.parse(text)
    expect(start_url).toBe('/outer/x/')
    for (const { src } of icons) {
      const picture = await read(based, src.replace('/outer', ''))
      expect([src, picture.headers.get('content-type')]).toEqual([
        src,
        expect.stringMatching(/^image/),
      ])
    }
  })

  test('the scripts take less than 45 KB, the start page less than 60 KB in all', async () => {
    const sizeOf = async (path: string) => (await read(app, path)).text.length
    const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
    // The HLS player is a library.
    const scripts = assetNames.filter((name) => name.endsWith('.js') && name !== 'hls.js')
    const sizes = await Promise.all(scripts.map((name) => sizeOf(`/assets/${name}`)))
    expect(sum(sizes)).toBeLessThan(45_000)
    const files = new Set(filesOf((await read(app, '/')).text))
    const first = await Promise.all(['/', ...files].map(sizeOf))
    expect(sum(first)).toBeLessThan(60_000)
  })
})

describe('pages', () => {
  test('/ and /usage are JSON for everybody if pages are off', async () => {
    const plain = appOf(archive, { pages: false })
    expect((await get(plain, '/', browser)).body.name).toBe('Cageside')
    expect((await get(plain, '/usage', browser)).body.usage.days).toBe(30)
    for (const path of ['/embed', '/assets/site.css', '/e', '/b/axe', '/stats']) {
      expect((await get(plain, path, browser)).status).toBe(404)
    }
  })

  test('pages are not listed as operations of the API', async () => {
    const { paths } = (await get(app, '/openapi')).body
    expect(
      Object.keys(paths).filter((path) => /embed|assets|^.(b|e|vs|w|overlay)\b/.test(path)),
    ).toEqual([])
  })

  test('pages are valid HTML for any names', async () => {
    const loader = new StaticConfigLoader({
      extends: ['html-validate:recommended'],
      // The files are of the same origin, and names can have 300 letters.
      rules: { 'require-sri': 'off', 'long-title': 'off' },
    })
    // The configuration is made once: it takes 13 ms for each page.
    const config = loader.getConfigFor('')
    loader.getConfigFor = () => config
    const validator = new HtmlValidate(loader)
    const paths = pagesOf(hostile, 53)
    const missing =
      '/team/nobody /b/nobody /e/nothing /vs/nobody/nobody /w/a/b /overlay/cage/99'.split(' ')
    for (const path of [
      ...paths,
      ...paths.filter((_, index) => index % 6 === 0).map(hiding),
      ...missing,
    ]) {
      const { status, headers, text } = await read(hostileApp, path)
      expect([path, status]).toEqual([path, missing.includes(path) ? 404 : 200])
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      const { results } = await validator.validateString(text)
      expect([
        path,
        results.flatMap(({ messages }) => messages.map(({ message, line }) => [line, message])),
      ]).toEqual([path, []])
    }
  })

  test('pages show names as text', async () => {
    const texts: string[] = []
    for (const path of pagesOf(hostile, 17)) {
      const { text: whole, headers } = await read(hostileApp, path)
      const { script, style } = inlineSources(whole)
      expect(headers.get('content-security-policy')).toContain(
        `script-src 'self'${script}; style-src${style} ${searchStyleSource}; `,
      )
      const text = withoutInlined(whole)
      texts.push(text)
      expect(text).not.toMatch(/<img src=x|<script>|<\/svg><b>| style=| on\w+="/)
      expect(text.match(/<script[^>]*>/g)?.every((tag) => tag.includes('/assets/'))).toBe(true)
    }
    const all = texts.join()
    for (const name of hostileNames) {
      expect([name, all.includes(Bun.escapeHTML(name.trim()))]).toEqual([name, true])
    }
  })

  test('pages have no dead link', async () => {
    const found = new Set<string>()
    const own = '/ /e /stats /embed /usage /?q=marz /e/30ffa53072bfab19 /b/marzipan /b/flipflop00'
    for (const path of own.split(' ')) {
      const { text } = await read(app, path)
      const ids = new Set(attributes(text, 'id'))
      for (const link of attributes(text, 'href')) {
        if (link.startsWith('#'))
          expect([path, link, ids.has(link.slice(1))]).toEqual([path, link, true])
        else if (!link.startsWith('https://media.example/')) found.add(link)
      }
    }
    expect(found.size).toBeGreaterThan(100)
    for (const link of found)
      expect([link, (await read(app, link.replace(/#.*/, ''))).status]).toEqual([link, 200])
  })

  // Attributes whose values browsers or our scripts read as addresses.
  const addressAttributes = ['href', 'src', 'action', 'api', 'poster'].concat(
    ['follow', 'worker', 'streams', 'hls'].map((name) => `data-${name}`),
  )
  // The addresses are the same below '/' without settings: see settings.test.ts.
  test('all URLs on pages are absolute paths that exist if every setting is set', async () => {
    const [basePath, linkPath] = ['/api', '/outer/api']
    const settings = {
      basePath,
      legacyBase: '/old/api',
      publicUrl: 'https://league.example/outer/api',
    }
    const outer = linkPath.slice(0, linkPath.length - basePath.length)
    const based = appOf(serviceOf(archive, league.now), {
      ...settings,
      streamBase: 'https://media.example/hls',
    })
    const found = new Set<string>()
    for (const path of [...pagesOf(archive, 60), '/b/nobody']) {
      const { status, text } = await read(based, basePath + path)
      expect([path, status]).toEqual([path, path === '/b/nobody' ? 404 : 200])
      const addresses = addressAttributes.flatMap((name) => attributes(text, name))
      for (const address of addresses) {
        const [kind = 'relative'] =
          /^#|^data:image\/|^https:\/\/(media|league)\.example\/|^\/(?!\/)/.exec(address) ?? []
        expect([path, address, kind]).not.toEqual([path, address, 'relative'])
        if (kind !== '/') continue
        const isBelow = address === linkPath || address.startsWith(`${linkPath}/`)
        expect([path, address, isBelow]).toEqual([path, address, true])
        found.add(address.slice(outer.length).replace(/#.*/, ''))
      }
    }
    expect(found.size).toBeGreaterThan(200)
    const kinds = Map.groupBy(found, (address) => address.split(/[/?]/, 3)[2])
    // Only 50 fights, bots and teams each: one page takes 3 ms.
    for (const address of [...kinds.values()].flatMap((each) => spread(each, 50))) {
      if (address.includes('/changes/stream')) continue
      const { status } = await read(based, address)
      expect([address, status === 302 ? 200 : status]).toEqual([address, 200])
    }
  })

  test('pages allow media only from the hosts that they show', async () => {
    for (const path of pagesOf(archive, 23)) {
      const { headers, text } = await read(app, path)
      const origins = new Set(
        attributes(text, 'src').flatMap((src) => URL.parse(src)?.origin ?? []),
      )
      const allowed = (headers.get('content-security-policy') ?? '').match(/https?:[^ ;]+/g) ?? []
      expect([path, new Set(allowed)]).toEqual([path, origins])
    }
  })

  test('a URL in the data that is not http(s) is no link', async () => {
    const rows = tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), [fightRows({}, 'a', 'b')])
    const [still] = league.tournaments.flatMap(({ stills }) => stills)
    if (!still) throw new Error('the sample has no still')
    const odd = archiveOf({
      ...rows,
      stills: [{ ...still, playerId: 'a', isHero: true, url: 'javascript:alert(1)' }],
    })
    for (const path of ['/', '/b/axe']) {
      expect((await read(appOf(odd), path)).text).not.toContain('javascript')
    }
  })

  test('pages answer 503 and reload while the data is loading', async () => {
    const loading = appOf(undefined)
    for (const path of ['/b/axe', '/vs/axe/bolt', '/e', '/e/x', '/stats', '/live', '/w/a/b']) {
      const { status, headers, text } = await read(loading, path)
      expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '2'])
      expect(text).toContain('One moment')
    }
  })

  test('pages are cached like the API: with a tag, until their content changes', async () => {
    let served = small
    const service: ArchiveService = { ...serviceOf(small), archive: () => served }
    const changing = appOf(service)
    const tags = new Map<string, string>()
    const paths = '/ /e /e/spring_30lb /b/axe /vs/axe/bolt /stats /w/spring_30lb/W-0'.split(' ')
    for (const path of paths) {
      const { headers } = await read(changing, path)
      const tag = headers.get('etag') ?? ''
      tags.set(path, tag)
      expect((await read(changing, path, { ...browser, 'if-none-match': tag })).status).toBe(304)
    }
    served = archiveOf(
      tournamentOf({ name: 'Renamed' }, playersAs({ a: 'Axe', b: 'Bolt' }), [
        fightRows({}, 'a', 'b', 1),
      ]),
    )
    for (const path of paths) {
      const { headers } = await read(changing, path, {
        ...browser,
        'if-none-match': tags.get(path) ?? '',
      })
      expect([path, headers.get('etag') === tags.get(path)]).toEqual([path, false])
    }
  })

  test('pages are counted by route template', async () => {
    const usage = createUsage()
    const counted = appOf(small, { usage, basePath: '/x' })
    for (const path of ['/', '/?q=x', '/b/axe', '/b/bolt?spoilers=0', '/e/spring_30lb', '/stats']) {
      await counted(new Request(`http://localhost/x${path}`), '192.0.2.1')
    }
    const { perEndpoint } = JSON.parse((await read(counted, '/x/usage', {})).text).usage
    expect(
      Object.fromEntries(
        perEndpoint.map((each: { endpoint: string; requests: number }) => [
          each.endpoint,
          each.requests,
        ]),
      ),
    ).toEqual({ '/': 2, '/b/:bot': 2, '/e/:tournamentID': 1, '/stats': 1 })
  })

  test.each([
    [9, '10.0 %'],
    [10, '9.09 %'],
  ])('/usage shows one error after %i other requests as %s', async (others, share) => {
    const counted = appOf(small, { usage: createUsage() })
    for (const path of [...Array.from({ length: others }, () => '/'), '/b/nobody'])
      await counted(new Request(`http://localhost${path}`), '192.0.2.1')
    expect((await read(counted, '/usage')).text).toContain(`>${share}<`)
  })

  test('/usage is JSON unless HTML is preferred, and never mixes the two', async () => {
    for (const accept of [browser.accept, '*/*', browser.accept, 'application/json']) {
      const { headers, text } = await read(app, '/usage?days=7', { accept })
      const isPage = accept === browser.accept
      expect(headers.get('content-type')).toBe(
        isPage ? 'text/html; charset=utf-8' : 'application/json',
      )
      expect(headers.get('cache-control')).toBe(isPage ? 'private, no-cache' : 'max-age=10')
      expect(text.startsWith('{"usage":{"days":7,')).toBe(!isPage)
    }
  })

  test('the page of a bot is found by its display name too', async () => {
    const { status, text } = await read(app, `/b/${encodeURIComponent('Flip-Flop 0-0')}`)
    expect(status).toBe(200)
    expect(text).toContain('<h1><bdi>Flip-Flop 0-0</bdi></h1>')
  })
})

test('/embed shows the address of PUBLIC_URL, ready to copy', async () => {
  const shown = async (settings: Parameters<typeof appOf>[1]) =>
    plainText((await read(appOf(small, settings), `${settings?.basePath ?? ''}/embed`)).text)
  expect(await shown({ basePath: '/api', publicUrl: 'https://league.example/api' })).toContain(
    'src="https://league.example/api/assets/search.js"',
  )
  expect(await shown({ basePath: '/api' })).toContain('src="https://HOST/api/assets/search.js"')
  expect(await shown({})).toContain('src="https://HOST/assets/search.js"')
})

describe('an address without a route', () => {
  const json = '{"error":"path not found"}'
  test.each([
    ['/nothing', browser.accept, true],
    ['/x/y/z?spoilers=1', 'text/html', true],
    ['/%zz', browser.accept, true],
    ['/nothing', '*/*', false],
    ['/nothing', 'application/json, text/html;q=0.9', false],
    ['/nothing', 'text/html;q=0', false],
  ])('%s with Accept: %s is a page: %p', async (path, accept, isPage) => {
    for (const basePath of ['', '/api']) {
      const based = appOf(serviceOf(archive, league.now), { basePath })
      const { status, headers, text } = await read(based, path, { accept })
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store'])
      expect(headers.get('vary')).toBe('Accept-Encoding')
      expect(headers.get('content-type')).toBe(
        isPage ? 'text/html; charset=utf-8' : 'application/json',
      )
      if (!isPage) expect(text).toBe(json)
      else {
        expect(headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(text).toContain('<h1>Not found</h1>')
        expect(text).toContain(`href="${basePath}/"`)
        expect(text).not.toContain('nothing')
      }
    }
  })

  test('the page of an unknown address keeps the choice about results, even while the data is loading', async () => {
    for (const each of [app, appOf(undefined)]) {
      expect((await read(each, '/nothing?spoilers=0')).text).toContain('href="/e?spoilers=0"')
      expect((await read(each, '/nothing')).text).toContain('href="/e"')
    }
  })

  test('the page of an unknown address has no body for HEAD, and is JSON if pages are off', async () => {
    const ask = (method: string, to = app) =>
      to(new Request('http://localhost/nothing', { method, headers: browser }))
    const head = await ask('HEAD')
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      404,
      'text/html; charset=utf-8',
      '',
    ])
    expect(await (await ask('GET', appOf(archive, { pages: false }))).text()).toBe(json)
  })

  test.each([
    ['/nothing', 'Not possible here'],
    ['/b/axe', 'Not possible here'],
    ['/', 'Not possible here'],
    ['/bots', undefined],
  ])('another method of %s is 405, with the title %p for browsers', async (path, title) => {
    for (const accept of [browser.accept, '*/*']) {
      const request = { method: 'POST', headers: { accept } }
      const response = await app(new Request(`http://localhost${path}`, request))
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      const text = await response.text()
      if (title !== undefined && accept !== '*/*') expect(text).toContain(`<h1>${title}</h1>`)
      else expect(text).toBe('{"error":"method not allowed"}')
    }
  })

  test('a client beyond its limits gets a page that reloads, or an empty overlay', async () => {
    const limits = { rate: 1, burst: 1, maxWaiting: 9 }
    for (const [path, shown] of [
      ['/b/axe', '<h1>Too many requests</h1>'],
      ['/overlay/cage/1', '<main class="overlay"></main>'],
      ['/bots', '{"error":"too many requests from this address"}'],
    ] as const) {
      const limited = appOf(small, { limits })
      let refused: Response | undefined
      while (refused?.status !== 429)
        refused = await limited(
          new Request(`http://localhost${path}`, { headers: browser }),
          '192.0.2.1',
        )
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      const text = await refused.text()
      expect(text).toContain(shown)
      expect(text.includes('<meta http-equiv="refresh"')).toBe(path !== '/bots')
    }
  })

  test('a 404 of a route of the API stays JSON', async () => {
    expect((await read(app, '/bots/nobody')).text).toBe('{"error":"bot not found"}')
    expect((await read(app, '/assets/nothing')).text).toBe(json)
  })
})

test.each([
  ['/live', true],
  ['/b/flipflop00', true],
  ['/overlay/cage/4', true],
  ['/overlay/cage/99', true],
  ['/', false],
  ['/usage', false],
  ['/b/nobody', false],
])('%s may be shown in a frame: %p', async (path, may) => {
  const { headers, text } = await read(app, path)
  expect(headers.get('content-security-policy')?.includes('frame-ancestors')).toBe(!may)
  const hasButton = may && !path.startsWith('/overlay')
  expect(text.includes('data-copy-frame')).toBe(hasButton)
})

test('the content security policy of a page allows only what it needs', async () => {
  const { headers, text } = await read(app, '/e')
  const { script, style } = inlineSources(text)
  expect(headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src${style} ${searchStyleSource}`,
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
})

test('the main picture of a page is preloaded by its headers', async () => {
  const found = new Set<boolean>()
  for (const { cleanName } of archive.bots.slice(0, 40)) {
    const { headers, text } = await read(app, `/b/${cleanName}`)
    const [picture] = attributes(/<a class="portrait".*?<\/a>/s.exec(text)?.[0] ?? '', 'src')
    expect(headers.get('link')).toBe(
      picture === undefined ? null : `<${picture}>; rel=preload; as=image; fetchpriority=high`,
    )
    found.add(picture !== undefined)
  }
  expect(found.size).toBe(2)
})

describe('the list of events', () => {
  const idsOf = (text: string): readonly string[] =>
    attributes(text, 'href').flatMap((href) => href.match(/^\/e\/(.+)$/)?.slice(1) ?? [])

  test('/e has every event in its year, the newest year first', async () => {
    const { text } = await read(app, '/e')
    const years = attributes(text, 'href').filter((href) => href.startsWith('/e?year='))
    const pages = await Promise.all(years.map(async (path) => (await read(app, path)).text))
    expect(idsOf(pages[0] ?? '')).toEqual(idsOf(text))
    expect(pages.flatMap(idsOf)).toEqual(
      archive.dataset.tournaments.map(({ info }) => encodeURIComponent(info.id)),
    )
  })

  test('the year of an event is the year of its start in the time zone of the events', async () => {
    const startTime = Date.UTC(2026, 0, 1, 2) / 1000
    const evening = archiveOf(tournamentOf({ startTime }, [], []))
    const heading = async (timeZone: string, path: string) =>
      (await read(appOf(evening, { timeZone }), path)).text.includes('/e/spring_30lb')
    expect(await heading('UTC', '/e?year=2026')).toBe(true)
    expect(await heading('UTC', '/e?year=2025')).toBe(false)
    expect(await heading('America/New_York', '/e?year=2026')).toBe(false)
    expect(await heading('America/New_York', '/e?year=2025')).toBe(true)
  })

  test('an event without any time is listed in its year, even west of Greenwich', async () => {
    const undated = archiveOf(tournamentOf({ startTime: null, createTime: 0 }, [], []))
    for (const [timeZone, year] of [
      ['UTC', 1970],
      ['America/New_York', 1969],
    ] as const) {
      const site = appOf(undated, { timeZone })
      expect((await read(site, '/e')).text).toContain(`href="/e?year=${year}"`)
      expect(idsOf((await read(site, `/e?year=${year}`)).text)).toEqual(['spring_30lb'])
    }
  })

  test('a year without events says so', async () => {
    const { status, text } = await read(app, '/e?year=1971')
    expect(status).toBe(200)
    expect(text).toContain('No events in 1971.')
    expect((await read(app, '/e?year=x')).text).toBe((await read(app, '/e')).text)
  })
})

test('a link labelled with film starts the film, others do not', async () => {
  const { text: event } = await read(app, '/e/092633de6e3593b1')
  const links = [...event.matchAll(/<a class="state" href="([^"]*)">(.*?)<\/a>/g)]
  expect(links.length).toBeGreaterThan(50)
  for (const [, href = '', said = ''] of links)
    expect([href, href.endsWith('#play')]).toEqual([href, said.includes('class="film"')])
  expect((await read(app, '/b/plonktron')).text).toMatch(
    /<li class="[wl]"><a href="\/w\/[^"]*#play"/,
  )
  expect((await read(app, '/overlay/bracket/092633de6e3593b1')).text).not.toContain('#play')
  expect((await read(app, '/e/092633de6e3593b1?spoilers=0')).text).toContain('?spoilers=0#play"')
})

test('the open round of an event is the round of the last begun fight, or the first if none has begun', async () => {
  const openOf = async (path: string) =>
    [
      ...(await read(app, path)).text.matchAll(/<details name="rounds" open>\s*<summary>(.*?) </g),
    ].map(([, round]) => round)
  expect(await openOf('/e/092633de6e3593b1')).toEqual(['Grand Final Reset'])
  // The existence of a reset is an outcome.
  expect(await openOf('/e/092633de6e3593b1?spoilers=0')).toEqual(['Grand Final'])
  const waiting = { state: 'available', startTime: null, stopTime: null, endTime: null } as const
  const bots = playersNamed('Axe', 'Bolt')
  const rows = ['Semifinals', 'Final'].map((id, round) =>
    fightRows({ id, roundIdx: round, ...waiting }, 'p0', 'p1', null),
  )
  const { text } = await read(appOf(archiveOf(tournamentOf({}, bots, rows))), '/e/spring_30lb')
  expect(text.match(/<details name="rounds" open>/g)).toHaveLength(1)
})

test('the fights of an event can be downloaded unless outcomes are hidden', async () => {
  const { text } = await read(app, '/e/cg_feb26_30lb')
  const [, csv = '', json = ''] =
    /Download: <a href="([^"]*)" download="cg_feb26_30lb.csv">CSV<\/a>, <a href="([^"]*)"/.exec(
      text,
    ) ?? []
  const table = await app(new Request(`http://localhost${csv}`))
  expect(table.headers.get('content-type')).toStartWith('text/csv')
  expect(table.headers.get('etag')).not.toBeNull()
  const bytes = await table.bytes()
  // Excel reads UTF-8 only after a byte order mark.
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const [head, ...rows] = new TextDecoder().decode(bytes).trim().split('\n')
  expect(head).toStartWith('tournamentID,id,')
  const { body } = await get(app, json)
  expect(rows.map((row) => row.split(',')[1])).toEqual(
    body.fights.map(({ id }: { id: string }) => id),
  )
  expect((await read(app, '/e/cg_feb26_30lb?spoilers=0')).text).not.toContain('fights.csv')
  expect(table.headers.get('content-disposition')).toBe(
    'attachment; filename="cg_feb26_30lb-fights.csv"',
  )
  expect(table.headers.get('cache-control')).toBe(
    'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
  )
  const missing = await app(new Request('http://localhost/e/nope/fights.csv'))
  expect([missing.status, await missing.json()]).toEqual([404, { error: 'event not found' }])
})

describe('the bracket of an event', () => {
  test('the bracket draws every link of the API once, except links of byes, from its game to its corner', async () => {
    for (const tournament of archive.dataset.tournaments) {
      const { info, format, brackets } = tournament
      const { text } = await read(app, `/overlay/bracket/${info.id}?rounds=99`)
      const { body } = await get(app, `/tournaments/${info.id}/brackets`)
      const expected = brackets
        .filter(({ isExhibition }) => !isExhibition && format.type !== 'round_robin')
        .flatMap(({ id }) =>
          body.brackets
            .find(({ bracketID }: { bracketID: string }) => bracketID === id)
            .games.flatMap(
              (game: { id: string; slots: { slotIdx: number; prevGameID: string | null }[] }) =>
                game.slots
                  .filter(({ prevGameID }) => prevGameID !== null)
                  .map(({ slotIdx, prevGameID }) => `${prevGameID} ${game.id} ${slotIdx}`),
            ),
        )
      const { links } = layOutBrackets(tournament)
      expect([
        info.id,
        links.map(({ from, to, corner }) => `${from} ${to.game.id} ${corner}`).sort(),
      ]).toEqual([info.id, expected.toSorted()])
      const ofByes = links.filter(({ from }) => {
        const game = tournament.games.get(from)
        return game !== undefined && isFolded(game)
      })
      const [, lines = ''] = /<path class="link" d="([^"]*)"/.exec(text) ?? []
      const drawn =
        (lines.match(/M/g) ?? []).length + (text.match(/class="link note/g) ?? []).length
      expect([info.id, drawn]).toEqual([info.id, links.length - ofByes.length])
      const places = new Set(
        [...text.matchAll(/class="game \w+" transform="translate\((\S+) (\S+)\)"/g)].map(
          ([, x, y]) => `${x} ${y}`,
        ),
      )
      for (const [, startX, startY, endY, endX] of lines.matchAll(
        /M([\d.]+) ([\d.]+)H[\d.]+V([\d.]+)H([\d.]+)/g,
      )) {
        expect(places).toContain(`${Number(startX) - 208} ${Number(startY) - 24}`)
        const corners = [12, 36].map((below) => `${endX} ${Number(endY) - below}`)
        expect(corners.some((corner) => places.has(corner))).toBe(true)
      }
    }
  })

  test('the bracket names the loser of an undrawn bye and of a hidden round', async () => {
    const path = '/overlay/bracket/092633de6e3593b1?spoilers=0'
    const cornersOf = async (rounds: number, name: string) => {
      const { text } = await read(app, `${path}&rounds=${rounds}`)
      return new RegExp(`<title>${name}: (.*)</title>`).exec(text)?.[1]
    }
    expect(await cornersOf(99, 'Losers Round 1, fight 1')).toBe('loser of W:1-1 v loser of W:1-2')
    expect(await cornersOf(2, 'Losers Semifinal')).toBe('winner of L:6-1 v winner of L:6-2')
    expect(await cornersOf(1, 'Losers Final')).toBe('winner of L:7-1 v loser of W:5-1')
  })

  test('the page of an event has a placeholder of the size of its bracket', async () => {
    for (const { info } of archive.dataset.tournaments) {
      const { text } = await read(app, `/e/${info.id}`)
      const [address] = attributes(text, 'data-drawing')
      const { text: drawing } = await read(app, address ?? `/overlay/bracket/${info.id}?rounds=99`)
      const frameOf = (markup: string) => /<svg class="bracket"[^>]*>/.exec(markup)?.[0]
      expect([info.id, frameOf(text)]).toEqual([info.id, frameOf(drawing)])
    }
  })

  test('the bracket has every game at its own place, right of the games that feed it', () => {
    for (const tournament of archive.dataset.tournaments) {
      const { games, links } = layOutBrackets(tournament)
      const places = new Set(games.map(({ column, row }) => `${column} ${row}`))
      expect(places.size).toBe(games.length)
      for (const { source, to, takes } of links) {
        expect([takes, source !== undefined]).toEqual([takes, takes === 'winner'])
        if (source) expect(source.column).toBeLessThan(to.column)
      }
    }
  })

  test('the bracket tells losers from winners only by its structure', async () => {
    const { text: drawing } = await read(app, '/overlay/bracket/cg_feb26_30lb?rounds=99')
    const notes = [...drawing.matchAll(/class="link note (\w+)">.*?<text[^>]*>([^<]*)</g)]
    expect(notes.length).toBeGreaterThan(10)
    for (const [, takes, from] of notes) expect([takes, from?.[0]]).toEqual(['loser', 'W'])
    const { text } = await read(app, '/e/cg_feb26_30lb')
    expect(text).toMatch(
      /winner to <a href="#g-W-\d+">Quarterfinals, fight 1<\/a>, loser to <a href="#g-L-\d+">Losers /,
    )
  })

  const ringOf = (count: number) =>
    archiveOf(
      tournamentOf(
        {},
        playersAs({ a: 'Axe', b: 'Bolt' }),
        Array.from({ length: count }, (_, index) => {
          const { games, slots } = fightRows({ id: `W-${index}`, position: index }, 'a', 'b')
          const [red, blue] = slots
          return { games, slots: [{ ...red, prevGameId: `W-${(index + 1) % count}` }, blue] }
        }),
      ),
    )
  test.each([1, 2, 2000])('the bracket survives a circle of %d games', async (count) => {
    const ring = appOf(ringOf(count))
    expect((await read(ring, '/e/spring_30lb')).status).toBe(200)
    const { status, text } = await read(ring, '/overlay/bracket/spring_30lb')
    expect(status).toBe(200)
    expect(text.match(/M\d+ \d+H\d+V|link note/g)).toHaveLength(count)
  })
})

describe('pages without outcomes', () => {
  test('pages without outcomes are the same bytes if every fight ended the other way', async () => {
    const busy = withDecidedCages(league)
    const app = appOf(serviceOf(archiveOfLeague(busy), league.now))
    const swapped = archiveOfLeague(withSwappedOutcomes(busy))
    const other = appOf(serviceOf(swapped, league.now))
    const feeds = archive.bots
      .filter((_, index) => index % 9 === 0)
      .flatMap(({ cleanName }) => [`/b/${cleanName}/results.atom`, `/b/${cleanName}/fights.ics`])
    const ofEvents = eventPaths(archive).flatMap((path) => [
      `${path}/results.atom`,
      `${path}/fights.ics`,
      `${path}/chapters.txt`,
      `${path}/chapters.vtt`,
    ])
    const mine = `?bots=${archive.bots
      .filter(
        ({ entries }, index) =>
          index < 30 || entries.some(({ tournament }) => tournament.info.active),
      )
      .map(({ cleanName }) => cleanName)
      .join(',')}`
    const ofMine = [`/my${mine}`, `/my.ics${mine}`, `/my/results.atom${mine}`]
    const paths = [
      ...pagesOf(archive, 2).filter((path) => path !== '/usage'),
      ...['/results.atom', '/events.ics', ...feeds, ...ofEvents, ...ofMine],
      ...['/overlay/next', ...busy.cages.cages.map(({ number }) => `/overlay/cage/${number}`)],
    ]
    // Expected starts depend on the lengths of fights.
    const withoutExpected = (text: string) =>
      text.replace(/(≈|in about \d+ min, |to )<time.*?<\/time>/g, '')
    let changed = 0
    let told = 0
    for (const path of paths) {
      const [one, two] = [await read(app, hiding(path)), await read(other, hiding(path))]
      expect([path, one.status]).toEqual([path, 200])
      expect([path, withoutExpected(two.text)]).toEqual([path, withoutExpected(one.text)])
      const [shown, otherShown] = [await read(app, path), await read(other, path)]
      changed += Number(shown.text !== otherShown.text)
      if (!path.startsWith('/b/') || path.endsWith('.atom') || path.endsWith('.ics')) continue
      // A link preview tells an outcome only if its URL has spoilers=1.
      const description = /<meta name="description".*>/
      const [said] = description.exec(shown.text) ?? []
      const asked = await read(app, `${path}?spoilers=1`)
      expect([path, description.exec(otherShown.text)?.[0]]).toEqual([path, said])
      told += Number(description.exec(asked.text)?.[0] !== said)
    }
    // The compared pages differ with outcomes.
    expect(changed).toBeGreaterThan(paths.length * 0.8)
    expect(told).toBeGreaterThan(20)
  })

  test('pages without outcomes say which fight a corner comes from, as its winner or its loser', async () => {
    const { text } = await read(app, hiding('/e/092633de6e3593b1'))
    const cornersOf = (name: string) => {
      const [row = ''] = text.match(RegExp(`<p class="when">[^<]* <small>${name}<.*`)) ?? []
      return [...row.matchAll(/<i>([^<]*)<\/i>/g)].map(([, words]) => words)
    }
    expect(cornersOf('W:2-1')).toEqual([
      'winner of Round of 32, fight 1',
      'winner of Round of 32, fight 2',
    ])
    expect(cornersOf('L:2-1')).toEqual([
      'winner of Losers Round 1, fight 1',
      'loser of Round of 16, fight 8',
    ])
  })

  test('pages without outcomes do not tell whether there was a second grand final', async () => {
    const isSecond = (id: string) => id === 'W-32'
    const double = '092633de6e3593b1'
    const without = archiveOfLeague({
      ...league,
      tournaments: league.tournaments.map((rows) =>
        rows.tournament.id === double
          ? {
              ...rows,
              games: rows.games.filter(({ id }) => !isSecond(id)),
              slots: rows.slots.filter(({ gameId }) => !isSecond(gameId)),
              recordings: rows.recordings.filter(({ gameId }) => !isSecond(gameId)),
              judgeLines: rows.judgeLines.filter(({ gameId }) => !isSecond(gameId)),
              pauses: rows.pauses.filter(({ gameId }) => !isSecond(gameId)),
              clips: rows.clips.filter(({ gameId }) => !isSecond(gameId)),
            }
          : rows,
      ),
    })
    const other = appOf(serviceOf(without, league.now))
    const paths = [`/e/${double}`, `/e/${double}/results.atom`, `/e/${double}/chapters.txt`]
    for (const path of [...paths, '/e', '/stats']) {
      const [one, two] = [await read(app, hiding(path)), await read(other, hiding(path))]
      expect([path, two.text]).toEqual([path, one.text])
      expect((await read(app, path)).text).not.toBe((await read(other, path)).text)
    }
  })

  test('pages without outcomes keep that choice in every link to a page', async () => {
    const paths = pagesOf(archive, 40).filter((path) => !/^\/overlay\/|board/.test(path))
    for (const path of paths) {
      const { text } = await read(app, hiding(path))
      for (const link of attributes(text, 'href')) {
        const isPage = /^\/($|\?|(b|e|w|vs|team|stats|embed|usage)\b)/.test(link)
        if (isPage) expect([path, link]).toEqual([path, expect.stringMatching(/[?&]spoilers=[01]/)])
      }
      expect(text).toMatch(/spoilers=1">.*Show results/)
    }
  })
})

describe('a round robin', () => {
  const bots = ['Axe', 'Bolt', 'Club'].map((name) => ({ id: name.toLowerCase(), name }))
  const robin = archiveOf(
    tournamentOf({ formatType: 'round_robin' }, bots, [
      fightRows({ id: 'F1' }, 'axe', 'bolt'),
      fightRows({ id: 'F2' }, 'club', 'axe'),
      fightRows({ id: 'F3', state: 'available', startTime: null, stopTime: null }, 'bolt', 'club'),
    ]),
  )
  const page = async (path: string) => (await read(appOf(serviceOf(robin)), path)).text

  test('a round robin has a table of who beat whom, from both sides', async () => {
    const text = await page('/e/spring_30lb')
    const [body = ''] = /<table class="cross">.*?<\/table>/s.exec(text) ?? []
    const rows = [...body.matchAll(/<th scope="row">.*?<\/tr>/gs)].map(([row]) => [
      /<bdi>(.*?)<\/bdi>/.exec(row)?.[1],
      ...[...row.matchAll(/<td.*?<\/td>/gs)].map(([cell]) => cell.replace(/<[^>]*>/g, '')),
    ])
    expect(rows).toEqual([
      ['Club', '1–0', '', 'W', '·'],
      ['Axe', '1–1', 'L', '', 'W'],
      ['Bolt', '0–1', '·', 'L', ''],
    ])
    expect(body).toContain('title="Finals, fight 1: Club beat Axe"')
  })

  test.each([
    [40, 40],
    [41, 0],
  ])('the table of a round robin of %i bots has %i columns of bots', async (count, columns) => {
    const many = playersNamed(...Array.from({ length: count }, (_, index) => `Bot ${index}`))
    const fights = many.map((_, index) =>
      fightRows({ id: `F${index}` }, `p${index}`, `p${(index + 1) % count}`),
    )
    const archive = archiveOf(tournamentOf({ formatType: 'round_robin' }, many, fights))
    const { text } = await read(appOf(archive), '/e/spring_30lb')
    const [head = ''] = /<table class="cross">.*?<\/thead>/s.exec(text) ?? []
    expect([...head.matchAll(/class="quiet"/g)]).toHaveLength(columns)
  })

  test('a round robin has no table before two bots meet', async () => {
    const drawn = tournamentOf({ formatType: 'round_robin' }, bots, [openFight({}, 'axe', null)])
    const { text } = await read(appOf(archiveOf(drawn)), '/e/spring_30lb')
    expect(text).not.toContain('class="cross"')
  })

  test('a round robin has no table if results are hidden', async () => {
    const text = await page('/e/spring_30lb?spoilers=0')
    expect(text).not.toContain('class="cross"')
    expect(text).not.toContain('#results')
  })
})

describe('groups before an elimination', () => {
  const bots = playersNamed('Axe', 'Bolt', 'Club', 'Drum')
  const stage = (bracketId: string, id: string, position = 0) => ({ bracketId, id, position })
  const bracketOf = (id: string, position: number, formatType: 'round_robin' | null) => ({
    ...{ id, position, formatType },
    name: id,
    isExhibition: false,
  })
  const groups = (winner: 0 | 1) =>
    appOf(
      archiveOf(
        tournamentOf(
          {},
          bots,
          [
            fightRows(stage('Group A', 'A-1'), 'p0', 'p1', winner),
            fightRows(stage('Group B', 'B-1'), 'p2', 'p3', winner),
            fightRows(stage('Finals', 'F-1'), `p${winner}`, `p${2 + winner}`),
          ],
          {
            brackets: [
              bracketOf('Finals', 2, null),
              bracketOf('Group A', 0, 'round_robin'),
              bracketOf('Group B', 1, 'round_robin'),
            ],
          },
        ),
      ),
    )

  test('groups have a table each, and the elimination after them is drawn', async () => {
    const { text } = await read(groups(0), '/e/spring_30lb')
    expect(text.match(/<table class="cross">/g)).toHaveLength(2)
    expect(text).toContain('<h3>Group B</h3>')
    expect(text).toContain('round robin, then single elimination</p>')
    expect(text).toContain('id="bracket"')
    const { brackets } = (await get(groups(0), '/tournaments/spring_30lb/brackets')).body
    expect(brackets.map(({ standings }: { standings: object }) => standings)).toEqual([
      [
        { rank: 1, playerID: 'p0', wins: 1, losses: 0, draws: 0 },
        { rank: 2, playerID: 'p1', wins: 0, losses: 1, draws: 0 },
      ],
      [
        { rank: 1, playerID: 'p2', wins: 1, losses: 0, draws: 0 },
        { rank: 2, playerID: 'p3', wins: 0, losses: 1, draws: 0 },
      ],
      [],
    ])
  })

  test('a single group has its name beside other brackets, and none if it is the whole event', async () => {
    const fights = [fightRows(stage('Group A', 'A-1'), 'p0', 'p1')]
    const brackets = [bracketOf('Group A', 0, 'round_robin')]
    const shown = async (
      ...[own, list]: [typeof fights, typeof brackets | ReturnType<typeof bracketOf>[]]
    ) =>
      (
        await read(
          appOf(archiveOf(tournamentOf({}, bots, own, { brackets: list }))),
          '/e/spring_30lb',
        )
      ).text
    const [results = ''] =
      /<section id="results".*?<\/section>/s.exec(await shown(fights, brackets)) ?? []
    expect(results).toContain('class="cross"')
    expect(results).not.toContain('<h3>')
    const both = [...fights, fightRows(stage('Finals', 'F-1'), 'p0', 'p2')]
    const text = await shown(both, [...brackets, bracketOf('Finals', 1, null)])
    expect(/<section id="results".*?<\/section>/s.exec(text)?.[0]).toContain('<h3>Group A</h3>')
  })

  test('pages without outcomes do not tell who came out of a group', async () => {
    const page = '/e/spring_30lb?spoilers=0'
    const [one, other] = [await read(groups(0), page), await read(groups(1), page)]
    expect(other.text).toBe(one.text)
  })
})

describe('a league without many fights', () => {
  const bots = ['Axe', 'Bolt', 'New'].map((name) => ({ id: name.toLowerCase(), name }))
  const young = appOf(
    serviceOf(
      archiveOf(
        tournamentOf({ id: 'first', name: 'First Cup' }, bots, [
          fightRows({ id: 'F1' }, 'axe', 'bolt'),
        ]),
        tournamentOf({ id: 'next', name: 'Next Cup', startTime: null }, bots, []),
      ),
    ),
  )
  const cells = (text: string): readonly string[] =>
    [...text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell)

  test('the page of a bot without fights says where it has entered', async () => {
    const { text } = await read(young, '/b/new')
    expect(text).toContain('<a href="/e/first"><bdi>First Cup</bdi></a>, 30 lb')
    expect(text).toContain('<a href="/e/next"><bdi>Next Cup</bdi></a>, 30 lb')
    const { text: pair } = await read(young, '/vs/axe/new')
    expect(cells(pair)).not.toContain('0:00')
    expect(cells(pair).filter((cell) => cell === '–')).toHaveLength(4)
  })

  test('the description of a pair is the same with and without outcomes', async () => {
    const descriptionOf = async (path: string) =>
      /name="description" content="([^"]*)"/.exec((await read(young, path)).text)?.[1]
    const description = await descriptionOf('/vs/axe/bolt')
    expect(description).toBe('Axe and Bolt: careers and fights against each other.')
    expect(await descriptionOf('/vs/axe/bolt?spoilers=0')).toBe(description)
  })

  test('a bot whose name has no letters is not linked for comparison', async () => {
    const players = playersNamed('Axe', '?!', '...')
    const fights = ['p1', 'p2', 'p1'].map((other, index) =>
      fightRows({ id: `W-${index}` }, 'p0', other),
    )
    const { text } = await read(
      appOf(archiveOf(tournamentOf({ id: 'cup' }, players, fights))),
      '/b/axe',
    )
    const [, opponents = ''] = /id="opponents"(.*?)<\/section>/s.exec(text) ?? []
    expect(opponents.match(/<b>.*?<\/b>/g)).toEqual(['<b>2–0</b>', '<b>1–0</b>'])
    expect(opponents).not.toContain('<a ')
  })

  test('the page of an event to come lists its bots without places', async () => {
    const { text } = await read(young, '/e/next')
    expect(text).toContain('>Bots</h2>')
    expect(text).toContain('3 bots, 30 lb, single elimination</p>')
    expect((await read(young, '/e/first')).text).toContain('>Standings</h2>')
  })

  test('/stats has no empty leaderboards', async () => {
    const { text } = await read(young, '/stats')
    expect(text).toContain('Most wins')
    expect(text).not.toContain('Best win rate')
    // The league has one class.
    expect(text).toContain('>All classes<')
    const { text: empty } = await read(appOf(serviceOf(archiveOf())), '/stats')
    expect(empty).toContain('No fight is over yet.')
    expect(empty).not.toContain('<table')
  })
})

test('the stats of a long history say that they cover only the last events', async () => {
  const history = Array.from({ length: 25 }, (_, index) =>
    tournamentOf({ id: `t${index}` }, playersAs({ a: 'Axe', b: 'Bolt' }), [
      fightRows({}, 'a', 'b'),
    ]),
  )
  const said = 'The last 24; <a href="/e">'
  const first = tournamentOf({ id: 'first', weightClass: 12, startTime: 1 }, [], [])
  const { text } = await read(appOf(serviceOf(archiveOf(...history, first))), '/stats')
  expect(text).toContain(said)
  expect(text).toContain('href="/stats?weightClass=12"')
  const all = archiveOf(...history.slice(1))
  expect((await read(appOf(serviceOf(all)), '/stats')).text).not.toContain(said)
  expect((await read(app, '/stats')).text).not.toContain(said)
})

test('comparing a bot with itself redirects to its page', async () => {
  const { status, headers } = await read(
    app,
    `/vs/${archive.bots[0]?.cleanName}/${archive.bots[0]?.cleanName}?spoilers=0`,
  )
  expect([status, headers.get('location')]).toEqual([
    302,
    `/b/${archive.bots[0]?.cleanName}?spoilers=0`,
  ])
})

test('an event that was left active says when its last fight began', async () => {
  const bots = ['Axe', 'Bolt'].map((name) => ({ id: name, name }))
  const open = archiveOf(tournamentOf({ active: true }, bots, [fightRows({}, 'Axe', 'Bolt')]))
  const startUnix = open.dataset.fights[0]?.startUnix ?? 0
  for (const [later, said] of [
    [86_400, '<b>Under way</b>'],
    [3 * 86_400, '<b>Last fight begun <time'],
  ] as const) {
    const site = appOf(serviceOf(open, startUnix + later))
    expect((await read(site, '/e/spring_30lb')).text).toContain(said)
    expect((await read(site, '/')).text.includes('>Under way</h2>')).toBe(later === 86_400)
  }
})

test('an event that is marked as active begins with its first fight, on every page', async () => {
  const bots = ['Axe', 'Bolt'].map((name) => ({ id: name, name }))
  const waiting = { state: 'available', startTime: null, stopTime: null } as const
  for (const [startTime, said, inList] of [
    [null, '<b>To come</b>', '<i>to come</i>'],
    [1_700_000_000, '<b>Under way</b>', '<i>0\u00a0% fought</i>'],
  ] as const) {
    const info = { active: true, startTime, scheduledStartTime: 1_700_000_000 }
    const open = archiveOf(tournamentOf(info, bots, [fightRows(waiting, 'Axe', 'Bolt')]))
    const site = appOf(serviceOf(open, 1_700_000_060))
    expect((await read(site, '/e/spring_30lb')).text).toContain(said)
    expect((await read(site, '/e')).text).toContain(inList)
  }
})

test('an event with untimed results has begun, and its open fights are to come only if it is active', async () => {
  const untimed = { startTime: null, stopTime: null, endTime: null }
  const open = openFight({ id: 'W-1', scheduledTime: 1_770_009_000 }, 'a', 'b')
  const eventWith = async (active: boolean) => {
    const info = { active, startTime: null, scheduledStartTime: 1_770_000_000 }
    const players = playersAs({ a: 'Axe', b: 'Bolt' })
    const rows = tournamentOf(info, players, [fightRows(untimed, 'a', 'b'), open])
    return (await read(appOf(serviceOf(archiveOf(rows), 1_770_000_060)), '/e/spring_30lb')).text
  }
  expect(await eventWith(true)).toContain('href="#schedule"')
  const over = await eventWith(false)
  expect(over).not.toContain('href="#schedule"')
  expect(over).not.toContain('<b>To come</b>')
})

test('a bot of several classes has its record in each', async () => {
  const bots = playersNamed('Axe', 'Bolt')
  const class30 = tournamentOf({ id: 'heavy' }, bots, [fightRows({}, 'p0', 'p1')])
  const class3 = tournamentOf({ id: 'light', weightClass: 3 }, bots, [fightRows({}, 'p0', 'p1', 1)])
  const split = async (...classes: readonly (typeof class3)[]) =>
    /<p class="soft">([^/]* lb.*?)<\/p>/
      .exec((await read(appOf(archiveOf(...classes)), '/b/axe')).text)?.[1]
      ?.replace(/<[^>]*>/g, '')
  expect(await split(class30, class3)).toBe('3 lb 0–1, 30 lb 1–0')
  expect(await split(class3)).toBeUndefined()
})

test('a list of fights names a year once', async () => {
  const fights = [1_770_000_000, 1_750_000_000, 1_749_000_000].map((startTime, index) =>
    fightRows({ id: `W-${index}`, startTime, stopTime: startTime + 60 }, 'a', 'b'),
  )
  const league = archiveOf(tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), fights))
  const { text } = await read(appOf(serviceOf(league, 1_770_000_100)), '/b/axe')
  const [, list = ''] = text.split('<h2 id="fights-title">')
  expect([...list.matchAll(/class="when"><time[^>]*>([^<]*)/g)].map(([, day]) => day)).toEqual([
    '2 Feb 2026',
    '15 Jun 2025',
    '4 Jun',
  ])
})

test('a list of fights is in order of its times: ends, or starts without outcomes', async () => {
  const fights = [
    { id: 'W-0', startTime: 1_770_000_000, stopTime: 1_770_000_600, endTime: 1_770_000_600 },
    { id: 'W-1', startTime: 1_770_000_300, stopTime: 1_770_000_420, endTime: 1_770_000_420 },
  ].map((game) => fightRows(game, 'a', 'b'))
  const league = archiveOf(tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), fights))
  const app = appOf(serviceOf(league, 1_770_001_000))
  const timesOf = async (path: string) =>
    [...(await read(app, path)).text.matchAll(/<small><time[^>]*>([\d:]+)</g)].map(([, at]) => at)
  expect(await timesOf('/?spoilers=1')).toEqual(['02:50', '02:47'])
  expect(await timesOf('/?spoilers=0')).toEqual(['02:40', '02:45'])
})

test('a fight of a coming event has its date if it differs from the date of the event, and counts as planned', async () => {
  const toCome = archiveOf(
    tournamentOf(
      { id: 'next', active: false, startTime: null, scheduledStartTime: 1_770_000_000 },
      playersAs({ a: 'Axe', b: 'Bolt' }),
      [
        openFight({ id: 'W-0', scheduledTime: 1_770_003_600 }, 'a', 'b'),
        openFight({ id: 'W-1', scheduledTime: 1_770_090_000 }, 'b', 'a'),
      ],
    ),
  )
  const from = appOf(serviceOf(toCome, 1_769_000_000))
  expect((await read(from, '/b/axe')).text).toMatch(/>2 Feb 2026<\/time> <time[^>]*>03:40</)
  const { text } = await read(from, '/e/next')
  expect(text).toMatch(/class="when"><time[^>]*>03:40</)
  // The second day of the event is not its own date.
  expect(text).toMatch(/class="when"><time[^>]*>3 Feb 2026<\/time> <time[^>]*>03:40</)
  expect(text).toContain('0 of 2 fights, ')
  expect(text).toContain('href="#schedule"')
})

test('an event counts the fights whose bots are not known yet, but no byes', async () => {
  const players = [
    ...playersAs({ a: 'Axe', b: 'Bolt' }),
    playerRow({ id: 'bye', name: 'BYE', isBye: true }),
  ]
  const league = archiveOf(
    tournamentOf({ id: 'cup', active: true }, players, [
      fightRows({ id: 'W-0' }, 'a', 'b'),
      openFight({ id: 'W-1' }, 'a', 'bye'),
      openFight({ id: 'W-2' }, null, null),
      openFight({ id: 'W-3' }, 'b', null),
    ]),
  )
  const app = appOf(serviceOf(league, 1_770_000_300))
  expect((await read(app, '/e/cup')).text).toContain(', 1 of 3 fights, ')
  expect((await read(app, '/e')).text).toMatch(/>33.% fought</)
})

test('a league without fights has no choice of results or classes', async () => {
  const from = appOf(serviceOf(archiveOf(), league.now))
  const { text } = await read(from, '/')
  expect(text.match(/>Hide results</g)).toHaveLength(1)
  expect((await read(from, '/stats')).text).not.toContain('All classes')
})

test('a page explains its codes once', async () => {
  const legends = (text: string) => text.match(/<small>(?:[A-Z]{2,3}: [a-z’ ]+(?: · )?)+<\/small>/g)
  const { text } = await read(app, '/e/092633de6e3593b1')
  expect(legends(text)).toEqual([expect.stringContaining('KO: knockout · ')])
  expect(legends((await read(app, hiding('/e/092633de6e3593b1'))).text)).toBeNull()
})

test('the classes of one event link to each other, and share one entry in /e', async () => {
  const bots = ['Axe', 'Bolt'].map((name) => ({ id: name, name }))
  const classes = ['30lb', '3lb', '3lb Freestyle'].map((text, index) =>
    tournamentOf({ id: `c${index}`, name: `Cup ${text}`, startTime: 1_770_000_000 + index }, bots, [
      fightRows({}, 'Axe', 'Bolt'),
    ]),
  )
  const site = appOf(archiveOf(...classes))
  const chips = /<nav class="chips" aria-label="Classes">(.*?)<\/nav>/s
  const [, found = ''] = chips.exec((await read(site, '/e/c1')).text) ?? []
  expect(found.replace(/<[^>]*>/g, ' ').split(/ {2,}/)).toEqual([
    '',
    '3 lb Freestyle',
    '3 lb',
    '30 lb',
    '',
  ])
  expect(found).toContain('href="/e/c1" aria-current="page"')
  expect((await read(site, '/e')).text.match(/<h2>/g)).toHaveLength(1)
})

test('tournaments that begin within a day and a half of the last one are one event', async () => {
  const begun = [0, 30, 60, 96].map((hours) =>
    tournamentOf({ id: `${hours}`, name: `Cup ${hours}`, startTime: 1e9 + hours * 3600 }, [], []),
  )
  const { text } = await read(appOf(archiveOf(...begun)), '/e')
  const events = text.split('<h2>').slice(1)
  expect(events.map((each) => each.match(/\/e\/\d+/g))).toEqual([
    ['/e/96'],
    ['/e/60', '/e/30'],
    ['/e/0'],
  ])
})

test('an event of 187 bots takes at most 25 KB', async () => {
  const names = archive.bots.map(({ name }) => name)
  const bots = Array.from({ length: 187 }, (_, index) => ({
    id: `p${index}`,
    name: names[index] ?? `${names[index - names.length]} ${index}`,
  }))
  const hash = (text: string) => new Bun.CryptoHasher('sha1').update(text).digest('hex')
  let [roundIdx, waiting] = [0, bots.map(({ id }) => id)]
  const fights: ReturnType<typeof fightRows>[] = []
  while (waiting.length > 1) {
    const next: string[] = []
    for (let index = 0; index < waiting.length; index += 2) {
      const [red = '', blue] = [waiting[index], waiting[index + 1]]
      next.push(red)
      // Qualifying has as many fights again, with ids that tell nothing.
      for (const id of blue === undefined
        ? []
        : [`W-${fights.length}`, `EX-${hash(red + roundIdx).slice(0, 16)}`])
        fights.push(fightRows({ id, roundIdx, position: fights.length }, red, blue ?? ''))
    }
    waiting = next
    roundIdx += 1
  }
  const large = appOf(archiveOf(tournamentOf({}, bots, fights)))
  const { text } = await read(large, '/e/spring_30lb')
  expect(text.match(/class="fight /g)?.length).toBeGreaterThan(300)
  const sizes = new Map<string, number>()
  for (const coding of ['br', 'zstd', 'gzip']) {
    const headers = { ...browser, 'accept-encoding': coding }
    const ask = () => large(new Request('http://localhost/e/spring_30lb', { headers }))
    const sent = await untilCoded(coding, ask)
    sizes.set(coding, (await sent.bytes()).length)
  }
  expect([...sizes].filter(([, bytes]) => bytes > 25_000)).toEqual([])
})

test('/my shows how a bot stands in each event under way, or in the last one', async () => {
  const standing = async (...active: readonly boolean[]) => {
    const cups = active.map((isActive, index) =>
      tournamentOf(
        { id: `c${index}`, name: `Cup ${index}`, active: isActive, startTime: 1e9 + index },
        playersAs({ a: 'Axe', b: 'Bolt' }),
        [fightRows({}, 'a', 'b')],
      ),
    )
    const { text } = await read(appOf(archiveOf(...cups)), '/my?bots=axe')
    return text.match(/1–0 in Cup \d/g)
  }
  expect(await standing(true, true, false)).toEqual(['1–0 in Cup 1', '1–0 in Cup 0'])
  expect(await standing(false, false)).toEqual(['1–0 in Cup 1'])
})

test('/my has the results of the last 24 hours', async () => {
  const rows = tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), [fightRows({}, 'a', 'b')])
  const served = archiveOf(rows)
  const { finishUnix } = present(served.dataset.fights[0])
  let time = present(finishUnix) + 86_400
  const site = appOf({ ...serviceOf(served), now: () => time })
  const isShown = async () => (await read(site, '/my?bots=axe')).text.includes('/w/spring_30lb/W-0')
  expect(await isShown()).toBe(true)
  time += 1
  expect(await isShown()).toBe(false)
})

test('a bot that fought itself is not among its opponents', async () => {
  const fights = [fightRows({}, 'a', 'a'), fightRows({ id: 'W-1' }, 'a', 'b')]
  const rows = tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), fights)
  const { text } = await read(appOf(archiveOf(rows)), '/b/axe')
  const [opponents = ''] = /<section id="opponents".*?<\/section>/s.exec(text) ?? []
  expect(opponents.match(/(?<=href=")\/b\/\w+/g)).toEqual(['/b/bolt'])
  const form = [...text.matchAll(/title="([^"]*)" aria-label="[^"]*">([WLD])</g)]
  expect(form.map(([, title, sign]) => `${sign} ${title}`).toSorted()).toEqual([
    'D No winner against Axe',
    'W Won against Bolt',
  ])
})

test.each([
  [{ name: 'CC0' }, 'open data (CC0): '],
  [
    { name: 'CC0', url: 'https://licence.example' },
    'open data (<a rel="license" href="https://licence.example">CC0</a>): ',
  ],
])('the footer names the licence %p', async (dataLicense, said) => {
  expect((await read(appOf(small, { dataLicense }), '/e')).text).toContain(said)
})

test.each([
  ['x'.repeat(24), false],
  ['x'.repeat(25), true],
  [`${'ab '.repeat(21)}a`, false],
  [`${'ab '.repeat(21)}ab`, true],
])('the name %s may be broken between letters: %p', async (name, isLong) => {
  const rows = tournamentOf({}, playersAs({ a: name, b: 'Bolt' }), [fightRows({}, 'a', 'b')])
  const { text } = await read(appOf(archiveOf(rows)), '/e/spring_30lb')
  expect(text.includes(`<bdi class="long">${name}</bdi>`)).toBe(isLong)
})

test('a single fight or event is counted in the singular', async () => {
  const { text } = await read(appOf(serviceOf(small)), '/b/axe')
  expect(text).toContain('100\u00a0% won in 1 fight at 1 event, ')
  expect((await read(appOf(serviceOf(small)), '/e/spring_30lb')).text).toContain('2 bots, ')
})

describe('times on pages', () => {
  test.each([
    ['/', 40 * 60, '40 minutes ago'],
    ['/e/spring_30lb', 3 * 3600, '3 hours ago'],
    ['/w/spring_30lb/W-0', -12 * 86_400, 'in 12 days'],
  ])('times on %s say how far they are from now: %d s are "%s"', async (path, later, words) => {
    const { startUnix } = small.dataset.fights[0] ?? {}
    const site = appOf(serviceOf(small, (startUnix ?? 0) + later))
    expect((await read(site, path)).text).toContain(`</time>, ${words}</`)
  })

  test('times on pages name the zone as people there do', async () => {
    const { text } = await read(
      appOf(serviceOf(small), { timeZone: 'America/New_York' }),
      '/e/spring_30lb',
    )
    expect(text).toContain('>Sun, 1 Feb 2026, 21:41 EST</time>')
  })

  test('times on pages are in the zone of the events', async () => {
    const { text } = await read(
      appOf(serviceOf(small), { timeZone: 'Asia/Tokyo' }),
      '/e/spring_30lb',
    )
    expect(text).toContain(
      '<time datetime="2026-02-02T02:41:40Z" class="full">Mon, 2 Feb 2026, 11:41 GMT+9</time>',
    )
  })
})

describe('a team', () => {
  const teams = appOf(
    archiveOf(
      tournamentOf(
        { weightClassName: 'Antweight (UK)' },
        [
          { id: 'a', name: 'Axe', team: 'Team Ümlaut', driver: 'Ann' },
          { id: 'b', name: 'Bolt', team: 'team umlaut!' },
          { id: 'c', name: 'Cog', team: 'ロ' },
          { id: 'd', name: 'Drum', team: '!!!' },
        ],
        [fightRows({}, 'a', 'b'), fightRows({ id: 'W-1' }, 'a', 'c')],
      ),
    ),
  )

  test('a team has a page with its bots and their fights, each once', async () => {
    const { status, text } = await read(teams, '/team/Team%20%C3%9Cmlaut')
    expect(status).toBe(200)
    expect(text).toContain('2–0 · Antweight (UK) · driven by Ann</small>')
    expect(text).toContain('0–1 · Antweight (UK)</small>')
    expect(text.match(/<li class="fight/g)).toHaveLength(2)
  })

  test('a team that no bot has any more has neither a page nor links', async () => {
    const year = (id: string, team: string, startTime: number) =>
      tournamentOf(
        { id, createTime: startTime },
        [
          { id: 'a', name: 'Axe', team },
          { id: 'b', name: 'Bolt', team: 'Stay' },
          { id: '?', name: '?', team: 'Nameless' },
        ],
        [fightRows({ startTime, stopTime: startTime + 90 }, 'a', 'b')],
      )
    const years = appOf(archiveOf(year('first', 'Left', 1000), year('second', 'Joined', 2000)))
    const linked = async (path: string) =>
      [...(await read(years, path)).text.matchAll(/href="\/team\/([^"]+)"/g)].map(([, to]) => to)
    expect(await linked('/e/first')).toEqual(['stay'])
    expect(await linked('/e/second')).toEqual(['joined', 'stay'])
    expect((await read(years, '/team/left')).status).toBe(404)
  })

  test('a team has its fights to come, each once, before its bots', async () => {
    const { text, headers } = await read(
      appOf(
        archiveOf(
          tournamentOf(
            { active: true },
            [
              { id: 'a', name: 'Axe', team: 'Ann' },
              { id: 'b', name: 'Bolt', team: 'Ann' },
              { id: 'c', name: 'Cog', team: 'Cy' },
            ],
            [
              fightRows({}, 'a', 'c'),
              fightRows({ id: 'W-2', state: 'available', scheduledTime: 20 }, 'c', 'a'),
              fightRows({ id: 'W-1', state: 'available', scheduledTime: 10 }, 'a', 'b'),
              fightRows({ id: 'W-3', state: 'available', scheduledTime: 15 }, 'b', 'c'),
            ],
          ),
        ),
      ),
      '/team/ann',
    )
    const next = text.slice(text.indexOf('id="upcoming" data-live'), text.indexOf('id="bots"'))
    const found = [...next.matchAll(/href="[^"]*\/(W-\d)"/g)].map(([, id]) => id)
    expect([...new Set(found)]).toEqual(['W-1', 'W-3', 'W-2'])
    expect(next.match(/<li class="fight/g)).toHaveLength(3)
    expect(headers.get('cache-control')).toBe(caching.live)
  })

  test.each([
    [200, 'Fights'],
    [201, 'The last 200 fights'],
  ])('the page of a team with %i fights lists 200 under %p', async (count, title) => {
    const fights = Array.from({ length: count }, (_, index) =>
      fightRows({ id: `W-${index}` }, 'a', 'b'),
    )
    const players = [{ id: 'a', name: 'Axe', team: 'Ann' }, { id: 'b' }]
    const { text } = await read(appOf(archiveOf(tournamentOf({}, players, fights))), '/team/ann')
    expect(text).toContain(`<h2 id="fights-title">${title}</h2>`)
    expect(text.match(/<li class="fight/g)).toHaveLength(200)
  })

  test.each([
    ['/b/axe', '<a href="/team/teamumlaut"><bdi>Team Ümlaut</bdi></a>, driven by <bdi>Ann</bdi>'],
    ['/b/drum', '<p class="soft"><bdi>!!!</bdi></p>'],
    ['/e/spring_30lb', '<small><a href="/team/teamumlaut"><bdi>Team Ümlaut</bdi></a></small></th>'],
    [
      '/?q=umlaut',
      '<a href="/team/teamumlaut"><bdi>Team Ümlaut</bdi></a> <small>Axe, Bolt</small>',
    ],
  ])('the team of a bot is on %s', async (path, markup) => {
    expect((await read(teams, path)).text).toContain(markup)
  })
})

describe('the table of pages', () => {
  test('the table of pages in the README names every page', async () => {
    const text = await Bun.file(join(projectFolder, 'src/companions/pages/README.md')).text()
    const listed = [...text.matchAll(/^\| `(\/[^`]*)`/gm)].map(([, path = '']) =>
      path.replace(/(?<=\/)[A-Z]+/g, ':'),
    )
    const { routes } = createPages({ linkPath: '', timeZone: 'UTC' }).routes
    const served = routes.map(({ path }) => path.replace(/:\w+/g, ':'))
    expect(listed.toSorted()).toEqual(
      [...served.filter((path) => !/assets|\.\w+$/.test(path)), '/', '/usage'].toSorted(),
    )
  })
})
