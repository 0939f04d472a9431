import { describe, expect, test } from 'bun:test'
import { everyAddressOf, everyPageOf } from '../everyAddress.ts'
import { appOf, archiveOf } from '../fixtures.ts'
import { fightRows, tournamentOf } from '../rows.ts'

const archive = archiveOf(
  tournamentOf({}, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')]),
)

describe('X-Ignored-Parameters', () => {
  test.each([
    ['/fights?sort=asc&limit=1&class=3lb', 'sort, class'],
    ['/fights?limit=1', null],
    ['/fights?limit=x', null],
    ['/tournaments/spring_30lb?sort=1', 'sort'],
    ['/health?sort=1', 'sort'],
    ['/tournaments/none?sort=1', 'sort'],
    ['/fights?a[b]=1&a-b=1&A_9=1', 'a[b], a-b, A_9'],
    // Nothing that could be more than a name.
    ['/fights?a%0d%0ab=1&%C3%A9=1&a%20b=1&%22=1&=1&%3Cb%3E=1', null],
    [`/fights?${'x'.repeat(65)}=1`, null],
    [
      `/fights?${Array.from({ length: 12 }, (_, n) => `p${n}=1`).join('&')}`,
      'p0, p1, p2, p3, p4, p5, p6, p7, p8, p9',
    ],
    ['/fights?sort=1&sort=2', 'sort'],
    ['/fights?key=me&v=9f2c', null],
    ...['/snapshot', '/bulk', '/bulk/fights.csv.gz', '/changes', '/changes/stream'].map(
      (path) => [`${path}?sort=1`, 'sort'] as const,
    ),
    ['/usage?spoilers=0', null],
    ['/?spoilers=0&q=axe', null],
    ['/b/p1?spoilers=0&utm_source=x', 'utm_source'],
    [
      '/legacy/getTournamentMatchesDataTables?columns[0][data]=name&columns[0][search][value]=&order[0][dir]=asc&search[regex]=false&_=1',
      '_',
    ],
  ])('the ignored parameters of %s are %p', async (path, names) => {
    const app = appOf(archive)
    for (const [method, held] of [
      ['GET', '*'],
      ['GET', ''],
      ['HEAD', ''],
      ['GET', '*'],
    ] as const) {
      const conditional = held === '' ? {} : { 'if-none-match': held }
      const request = new Request(`http://localhost${path}`, { method, headers: conditional })
      const { headers, body } = await app(request)
      await body?.cancel()
      expect(headers.get('x-ignored-parameters')).toBe(names)
      expect(headers.get('access-control-expose-headers')).toContain('X-Ignored-Parameters')
    }
  })

  test('X-Ignored-Parameters belongs to its request, though all share one cached response', async () => {
    const app = appOf(archive)
    for (const [query, names] of [
      ['sort=1', 'sort'],
      ['', null],
      ['class=1', 'class'],
      ['sort=1', 'sort'],
    ] as const) {
      const { headers } = await app(new Request(`http://localhost/fights/recent?${query}`))
      expect(headers.get('x-ignored-parameters')).toBe(names)
    }
  })
})

test('v is a known parameter of every URL, and changes nothing', async () => {
  const app = appOf(archive)
  const ask = async (path: string) => {
    const { status, headers } = await app(new Request(`http://localhost${path}`))
    return [path, status, headers.get('etag'), headers.get('x-ignored-parameters')]
  }
  for (const path of [...everyAddressOf(archive), ...everyPageOf(archive)]) {
    if (path.startsWith('/legacy/randomClips')) continue
    const versioned = `${path}${path.includes('?') ? '&' : '?'}v=9f2c1e07ab34d5c6`
    const [, ...plain] = await ask(path)
    expect(await ask(versioned)).toEqual([versioned, ...plain])
  }
})

test('all values of v share one cached response', async () => {
  let made = 0
  const app = appOf({
    ...archive,
    get dataset() {
      made += 1
      return archive.dataset
    },
  })
  for (let n = 0; n < 20; n += 1) {
    await app(new Request(`http://localhost/fights/recent?v=${n}`))
    if (n === 0) made = 0
  }
  // Checks only for values that the response was made from.
  expect(made).toBe(0)
})
