import { describe, expect, test } from 'bun:test'
import type { OpenAPIV3 } from 'openapi-types'
import type { Archive } from '../../src/data/archive/archive.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { exampleTournament } from '../../src/http/openapi/examples.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { clipRow, fightRows, openFight, recordingRow, stillRow, tournamentOf } from '../rows.ts'

const league = (
  id: string,
  { token = `clip-${id}`, ...over }: { token?: string; startTime?: number } = {},
) =>
  tournamentOf(
    { id, name: `League ${id}`, createTime: 1_770_000_000, ...over },
    [
      { id: `${id}-p1`, name: `Axe of ${id}` },
      { id: `${id}-p2`, name: `Blade of ${id}` },
    ],
    [fightRows({}, `${id}-p1`, `${id}-p2`)],
    {
      recordings: [recordingRow({ id: id.length })],
      clips: [clipRow({ token })],
      stills: [stillRow({ id: 70 + id.length, playerId: `${id}-p1`, isHero: true })],
    },
  )
const older = league('alpha', { startTime: 1_700_000_000 })
const newer = league('zeta8')
const versioned = (archive: Archive, version: string): Archive => ({
  ...archive,
  version,
  dataVersion: version,
})

/** An app whose archive can be replaced. */
const changing = (...rows: readonly TournamentRows[]) => {
  let archive = archiveOf(...rows)
  const app = appOf({ ...serviceOf(archive), archive: () => archive })
  return {
    replace: (next: Archive) => {
      archive = next
    },
    shows: async (text: string) => JSON.stringify((await get(app, '/openapi')).body).includes(text),
    etag: async () => (await get(app, '/openapi')).headers.get('etag'),
  }
}

/** A request for each JSON operation, made from its examples. */
const exampleTargets = ({ paths, components }: OpenAPIV3.Document): readonly string[] =>
  Object.entries(paths).flatMap(([template, item]) => {
    const { parameters = [], responses } = item?.get ?? {}
    const success = responses?.[200]
    if (!success || '$ref' in success || !success.content?.['application/json']) return []
    const query = new URLSearchParams()
    let path = template
    for (const each of parameters) {
      const found =
        '$ref' in each ? components?.parameters?.[/\w+$/.exec(each.$ref)?.[0] ?? ''] : each
      if (!found || '$ref' in found) continue
      const { name, in: place, example } = found
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(example ?? 'none'))
      else if (place === 'query' && example !== undefined) query.set(name, String(example))
    }
    return [`${path}?${query}`]
  })

describe('the examples of /openapi', () => {
  test('the examples of /openapi come from the oldest tournament that has everything', async () => {
    const { shows } = changing(newer, older)
    expect(await shows('"axeofalpha"')).toBe(true)
    expect(await shows('zeta8')).toBe(false)
  })

  test.each([
    ['clips', { clips: [] }],
    ['a still of a bot', { stills: [stillRow({ id: 1, isHero: true })] }],
    ['a hero still', { stills: [stillRow({ id: 1, playerId: 'beta-p1' })] }],
    ['recordings', { recordings: [] }],
    ['a completed fight', openFight({}, 'beta-p1', 'beta-p2')],
  ] as const)(
    'the examples of /openapi come from the oldest tournament with a fight if none has %s, else the oldest',
    (_, lack) => {
      const lacking = (startTime: number) => ({ ...league('beta', { startTime }), ...lack })
      const empty = { ...lacking(1), games: [], slots: [], recordings: [], clips: [], stills: [] }
      const idOf = (...rows: readonly TournamentRows[]) => {
        const named = rows.map(({ tournament, ...others }, index) => ({
          tournament: { ...tournament, id: `t${index}` },
          ...others,
        }))
        return exampleTournament(archiveOf(...named))?.info.id
      }
      expect(idOf(league('alpha', { startTime: 3 }), lacking(2), empty)).toBe('t0')
      expect(idOf(lacking(3), lacking(2), empty)).toBe('t1')
      expect(idOf({ ...empty, tournament: newer.tournament }, empty)).toBe('t1')
    },
  )

  test('the example still of /openapi has a known size if any has, else it is the newest', async () => {
    const unknown = [{ width: null }, { height: null }, { width: null, height: null }].map(
      (size, index) => stillRow({ id: 701 - index, takenTime: 1_770_009_000 - index, ...size }),
    )
    const known = stillRow({ id: 702, takenTime: 1_770_000_000 })
    for (const [stills, example] of [
      [[...unknown, known], '702'],
      [unknown, '701'],
    ] as const)
      expect(await changing({ ...older, stills }).shows(`"example":"${example}"`)).toBe(true)
  })

  test('the examples of /openapi stay while other tournaments change', async () => {
    const here = changing(newer, older)
    const before = await here.etag()
    const olderAlone = archiveOf(older)
    here.replace(versioned(olderAlone, 'a'))
    const { tournaments } = olderAlone.dataset
    expect(await here.etag()).toBe(before)
    const changed = archiveOf(league('zeta8', { token: 'another' }))
    const dataset = {
      ...changed.dataset,
      tournaments: [...changed.dataset.tournaments, ...tournaments],
    }
    here.replace(versioned({ ...changed, dataset }, 'b'))
    expect(await here.etag()).toBe(before)
  })

  test('the examples of /openapi are replaced at once when their tournament is hidden', async () => {
    const here = changing(newer, older)
    expect(await here.shows('alpha')).toBe(true)
    here.replace(versioned(archiveOf(newer), 'a'))
    expect(await here.shows('alpha')).toBe(false)
    expect(await here.shows('"axeofzeta8"')).toBe(true)
    here.replace(versioned(archiveOf(), 'b'))
    expect(await here.shows('zeta8')).toBe(false)
  })

  test('the examples of /openapi are replaced when their tournament changes', async () => {
    const here = changing(older)
    expect(await here.shows('"clip-alpha"')).toBe(true)
    here.replace(versioned(archiveOf(league('alpha', { token: 'renamed' })), 'a'))
    expect(await here.shows('"renamed"')).toBe(true)
    expect(await here.shows('"clip-alpha"')).toBe(false)
  })

  test('the examples of /openapi are requests that every JSON operation answers', async () => {
    const archive = archiveOf(older)
    const app = appOf(serviceOf(archive))
    const { body } = await get(app, '/openapi')
    const targets = exampleTargets(body)
    expect(targets.length).toBeGreaterThan(45)
    for (const target of targets) {
      const { status } = await app(new Request(`http://localhost${target}`))
      expect([target, status]).toEqual([target, 200])
    }
  })
})

describe('the headers of a success', () => {
  test('an operation with pages or a successor documents its Link header', async () => {
    const { body } = await get(appOf(archiveOf(older)), '/openapi')
    const hasLink = (path: string): boolean =>
      'Link' in body.paths[path].get.responses['200'].headers
    expect(hasLink('/bots')).toBe(true)
    expect(hasLink('/bots/{bot}')).toBe(false)
    expect(hasLink('/legacy/recentFights')).toBe(true)
  })
})

describe('the headers of a request', () => {
  const named = async (path: string) => {
    const { body } = await get(appOf(archiveOf(older)), '/openapi')
    const { parameters, responses } = body.paths[path].get
    const references = parameters.flatMap(({ $ref = '' }) => /\w+$/.exec($ref) ?? [])
    return { references, statuses: Object.keys(responses), responses }
  }

  test('an operation documents which parameter is required, and how short it may be', async () => {
    const { body } = await get(appOf(archiveOf(older)), '/openapi')
    const [q] = body.paths['/search'].get.parameters
    expect(q).toMatchObject({ name: 'q', required: true, schema: { minLength: 2 } })
    const [page] = body.paths['/fights'].get.parameters
    expect(page.required).toBe(false)
  })

  test('only operations that can answer 304 document If-None-Match', async () => {
    for (const path of ['/bots', '/bulk/{file}', '/changes', '/health']) {
      const { references, statuses } = await named(path)
      expect([path, references, statuses]).toEqual([
        path,
        expect.arrayContaining(['IfNoneMatch', 'ApiKey']),
        expect.arrayContaining(['304']),
      ])
    }
    for (const path of ['/changes/stream', '/bots/{bot}/picture', '/legacy/getBotPic']) {
      const { references, statuses } = await named(path)
      expect([path, references]).not.toEqual([path, expect.arrayContaining(['IfNoneMatch'])])
      expect([path, statuses]).not.toEqual([path, expect.arrayContaining(['304'])])
    }
  })

  test('a stream documents how it is resumed, and its headers for proxies', async () => {
    const { references, responses } = await named('/changes/stream')
    expect(references).toContain('LastEventID')
    expect(Object.keys(responses['200'].headers)).toContain('X-Accel-Buffering')
    expect((await named('/changes')).references).not.toContain('LastEventID')
  })
})
