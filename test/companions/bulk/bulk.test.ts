import { describe, expect, setSystemTime, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { createBulk } from '../../../src/companions/bulk/bulk.ts'
import { bulkRoutes } from '../../../src/companions/bulk/routes.ts'
import { bulkNames } from '../../../src/companions/bulk/tables.ts'
import { type Archive, noCages, updateArchive } from '../../../src/data/archive/archive.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { createArrival } from '../../../src/http/arrival.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { appOf, archiveOf, archiveWithCages, get, serviceOf } from '../../fixtures.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  playersAs,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../../rows.ts'
import { until } from '../../until.ts'

const spring = tournamentOf(
  { id: 'spring', name: '=HYPERLINK("x"), "spring"' },
  playersAs({ p1: '+Axe', p2: 'Żółw' }),
  [fightRows({}, 'p1', 'p2')],
  {
    recordings: [recordingRow({ id: 7 }), recordingRow({ id: 8, startMs: null })],
    clips: [clipRow({ token: 'c' })],
    stills: [stillRow({ id: 3, playerId: 'p1' })],
  },
)
const autumn = (notice: string, id = 'autumn') =>
  tournamentOf({ id, name: 'Autumn' }, playersAs({ q1: 'Bolt', q2: 'Cog' }), [
    fightRows({ notice }, 'q1', 'q2'),
  ])

/** An archive with its own version. */
const versioned = (version: string, ...rows: readonly TournamentRows[]): Archive => ({
  ...archiveOf(...rows),
  version,
  dataVersion: version,
})

/** A service whose archive can be replaced. */
const stageOf = (first: Archive | undefined) => {
  let archive = first
  const app = appOf({ ...serviceOf(undefined), archive: () => archive })
  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    Promise.resolve(app(new Request(`http://localhost${path}`, { headers, method })))
  const text = async (name: string): Promise<string> => {
    const response = await request(`/bulk/${name}`)
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`)
    return Buffer.from(gunzipSync(await response.bytes())).toString()
  }
  return {
    app,
    request,
    text,
    rows: async (name: string) =>
      (await text(name))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    swap: (after: Archive) => {
      archive = after
    },
  }
}

describe('the files of /bulk', () => {
  test('/bulk lists the files with rows, size and digest', async () => {
    const { app, request } = stageOf(versioned('one', spring, autumn('')))
    // A tag: the list takes time, so it is awaited.
    const { status, body } = await get(app, '/bulk', { 'if-none-match': '"none"' })
    expect(status).toBe(200)
    const inBoth = ['tournaments', 'players', 'fights', 'recordings', 'bots']
    const names = inBoth.flatMap((name) => [`${name}.ndjson.gz`, `${name}.csv.gz`])
    expect(body.files.map(({ name }: { name: string }) => name)).toEqual([
      ...names,
      'clips.ndjson.gz',
      'stills.ndjson.gz',
    ])
    for (const { url, bytes, sha256, version, updated } of body.files) {
      const sent = await (await request(url)).bytes()
      expect(sent).toHaveLength(bytes)
      expect(new Bun.CryptoHasher('sha256').update(sent).digest('hex')).toBe(sha256)
      expect(version).toBe('one')
      expect(Math.abs(updated - Date.now() / 1000)).toBeLessThan(60)
    }
    expect(await get(app, '/bulk')).toMatchObject({ body })
  })

  test('files of /bulk hold the answers of the API, a line for each row', async () => {
    const { app, rows } = stageOf(versioned('one', spring, autumn('x')))
    const [first, second] = await rows('fights.ndjson.gz')
    for (const fight of [first, second]) {
      const base = `/tournaments/${fight.tournamentID}`
      const { fights } = (await get(app, `${base}/fights`)).body
      expect(fight).toMatchObject(fights[0])
      const details = (await get(app, `${base}/fights/${fight.gameID}`)).body.fight
      expect(fight.corners).toEqual([details.player1, details.player2])
      expect(fight).toMatchObject({
        fightStartOffset: details.fightStartOffset,
        notice: details.notice,
        player1ID: details.player1.playerID,
        player2ID: details.player2.playerID,
      })
    }
    const feeds = (await get(app, '/video-feeds/fight/spring/W-0')).body
    const asText = (value: unknown): string => (value === null ? '' : String(value))
    const recordings = await rows('recordings.ndjson.gz')
    expect(
      recordings.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])),
      ),
    ).toEqual(feeds.recordings)
    expect(recordings[1]).toMatchObject({ recordingID: 8, startTime: null, fightStartOffset: null })
    expect(await rows('bots.ndjson.gz')).toEqual((await get(app, '/bots')).body.bots)
    expect(await rows('clips.ndjson.gz')).toEqual((await get(app, '/clips')).body.clips)
    expect(await rows('stills.ndjson.gz')).toEqual((await get(app, '/stills')).body.stills)
    for (const row of await rows('players.ndjson.gz')) {
      const { tournamentID, ...player } = row
      const { body } = await get(app, `/tournaments/${tournamentID}/players/${player.playerID}`)
      expect(player).toEqual(body.player)
    }
    for (const { brackets, format, ...row } of await rows('tournaments.ndjson.gz')) {
      const base = `/tournaments/${row.tournamentID}`
      const unset = '0000-00-00 00:00:00'
      const dated = Object.entries(row).map(([name, value]) => [
        name,
        name.endsWith('Time') ? (value ?? unset) : value,
      ])
      expect(Object.fromEntries(dated)).toEqual((await get(app, base)).body.tournament)
      expect(Object.values(row)).not.toContain(unset)
      expect({ brackets, format }).toMatchObject({ brackets, format })
      expect((await get(app, `${base}/brackets`)).body).toMatchObject({ brackets, format })
    }
  })

  test('CSV files hold no formula, and quote cells that need it', async () => {
    const { text } = stageOf(versioned('one', spring, autumn('')))
    const fights = await text('fights.csv.gz')
    expect(fights).toStartWith('tournamentID,id,gameID,player1,')
    expect(fights).toContain(`,'+Axe,axe,Żółw,zolw,"'=HYPERLINK(""x""), ""spring""",`)
    expect(await text('bots.csv.gz')).toContain("\naxe,'+Axe,1,1,0,1,1,30,")
  })

  test('the dictionary names each column, the version and the license', async () => {
    const { request, text } = stageOf(versioned('one', spring))
    const response = await request('/bulk/README.md')
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const dictionary = await response.text()
    expect(dictionary).toContain('Data version: one. License of the data: not stated.')
    for (const name of bulkNames) {
      const section =
        dictionary
          .split('\n## ')
          .slice(1)
          .find((each) => each.includes(`\`${name}\``)) ?? ''
      const [first = ''] = (await text(name)).split('\n')
      const columns = name.includes('.csv') ? first.split(',') : Object.keys(JSON.parse(first))
      const nested = ['format', 'brackets']
      for (const column of columns.filter((each) => !nested.includes(each))) {
        expect(section).toMatch(new RegExp(`\\n\\| ${column} \\|.*\\| [^| ][^|]* \\|(\\n|$)`))
      }
    }
    expect(dictionary).toContain('| startTime | integer or null | milliseconds since the epoch |')
    expect(dictionary).toContain('| weightClassName | string or null |  |')
    expect(dictionary).toContain('lines of the judges, joined by &lt;br>')
    expect(dictionary).toMatch(/\| winner \|.*player1 is red, player2 blue/)
    expect(dictionary).toContain('a film shows the fight from second `fightStartOffset` of')
  })

  test('the files of a league without rows are valid gzip', async () => {
    const { text } = stageOf(versioned('none'))
    expect(await text('clips.ndjson.gz')).toBe('')
    expect(await text('bots.csv.gz')).toStartWith('cleanName,name,')
  })

  test('files are 503 until data is loaded, and 404 under other names', async () => {
    const { request } = stageOf(undefined)
    expect((await request('/bulk/bots.csv.gz')).status).toBe(503)
    const loaded = stageOf(versioned('one', spring))
    for (const name of ['bots.json', '..%2Fbots.csv.gz', 'bots.csv.gz.json', '__proto__']) {
      expect((await loaded.request(`/bulk/${name}`)).status).toBe(404)
    }
  })
})

describe('a request for a file', () => {
  const stage = stageOf(versioned('one', spring, autumn('')))
  const path = '/bulk/fights.ndjson.gz'
  const whole = stage.request(path).then(async (response) => Buffer.from(await response.bytes()))

  test.each<[string, Record<string, string>, (size: number) => [number, number] | number]>([
    ['a range', { range: 'bytes=2-9' }, () => [2, 10]],
    ['the rest', { range: 'bytes=5-' }, (size) => [5, size]],
    ['the last bytes', { range: 'bytes=-4' }, (size) => [size - 4, size]],
    ['more last bytes than there are', { range: 'bytes=-999999' }, (size) => [0, size]],
    ['a range beyond the end', { range: 'bytes=3-999999' }, (size) => [3, size]],
    ['a range after the end', { range: 'bytes=999999-' }, () => 416],
    ['no last bytes', { range: 'bytes=-0' }, () => 416],
    ['several ranges', { range: 'bytes=0-1,4-5' }, () => 200],
    ['a range backwards', { range: 'bytes=9-2' }, () => 200],
    ['another unit', { range: 'rows=0-1' }, () => 200],
    ['no range', { range: 'bytes=-' }, () => 200],
    ['a range of another file', { range: 'bytes=2-9', 'if-range': '"x"' }, () => 200],
    ['a range by date', { range: 'bytes=2-9', 'if-range': new Date().toUTCString() }, () => 200],
  ])('a request for %s', async (_, headers, expected) => {
    const { request } = stage
    const bytes = await whole
    const response = await request(path, headers)
    const range = expected(bytes.length)
    const body = Buffer.from(await response.bytes())
    if (range === 200) {
      expect(response.status).toBe(200)
      expect(body.equals(bytes)).toBe(true)
      return
    }
    if (range === 416) {
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe(`bytes */${bytes.length}`)
      expect(response.headers.has('etag')).toBe(false)
      return
    }
    const [start, end] = [range].flat()
    expect(response.status).toBe(206)
    expect(body.equals(bytes.subarray(start, end))).toBe(true)
    expect(response.headers.get('content-range')).toBe(
      `bytes ${start}-${Number(end) - 1}/${bytes.length}`,
    )
  })

  test('a range from the end on is 416, from the last byte on a part', async () => {
    const size = (await whole).length
    const statusFrom = async (start: number) =>
      (await stage.request(path, { range: `bytes=${start}-` })).status
    expect([await statusFrom(size - 1), await statusFrom(size)]).toEqual([206, 416])
  })

  test('a request with the ETag of the file gets a part, or a 304', async () => {
    const { request } = stage
    const etag = (await request(path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const part = await request(path, { range: 'bytes=0-0', 'if-range': etag })
    expect(part.status).toBe(206)
    const unchanged = await request(path, { 'if-none-match': etag, range: 'bytes=0-0' })
    expect([unchanged.status, unchanged.body]).toEqual([304, null])
    expect(unchanged.headers.get('date')).toEndWith(' GMT')
    expect((await request(path, { 'if-range': `W/${etag}`, range: 'bytes=0-0' })).status).toBe(200)
  })

  test('HEAD has the headers of the whole file, and no body', async () => {
    const { request } = stage
    const response = await request(path, { range: 'bytes=0-1' }, 'HEAD')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': String((await whole).length),
      'content-type': 'application/gzip',
      'accept-ranges': 'bytes',
      'x-data-version': 'one',
    })
    expect(await response.text()).toBe('')
  })
})

/** The files of an archive that can be replaced. */
const bulkOf = (first: Archive, options: Partial<Parameters<typeof createBulk>[0]> = {}) => {
  let archive = first
  const { file } = createBulk({ archive: () => archive, ...options })
  return {
    swap: (after: Archive) => {
      archive = after
    },
    file: async (name: (typeof bulkNames)[number]) => {
      const made = await file(name)
      if (typeof made !== 'object') throw new Error(`${name}: ${made}`)
      const read = () => gunzipSync(Buffer.concat(made.members)).toString()
      return { ...made, text: read() }
    },
  }
}

describe('a change', () => {
  const before = versioned('one', spring, autumn('a'))
  /** The same tournaments except one, as after a refresh. */
  const replaced = (...tournaments: Archive['dataset']['tournaments']): Archive => {
    const dataset = { ...before.dataset, tournaments }
    return { ...before, version: 'two', dataVersion: 'two', dataset }
  }
  const [newest, oldest] = before.dataset.tournaments
  const [changed] = archiveOf(autumn('b')).dataset.tournaments
  if (!newest || !oldest || !changed) throw new Error('no tournaments')
  const kept = [newest, oldest].filter(({ info }) => info.id === 'spring')

  test('a change compresses only its tournament', async () => {
    const { file, swap } = bulkOf(before)
    const first = await file('fights.ndjson.gz')
    swap(replaced(changed, ...kept))
    const second = await file('fights.ndjson.gz')
    expect(second.text).toContain('"notice":"b"')
    expect(first.members.filter((member) => second.members.includes(member))).toHaveLength(1)
    expect(second.version).toBe('two')
  })

  test('a change of the ratings compresses only fights with other chances', async () => {
    const cup = (id: string, at: number, fight: ReturnType<typeof fightRows>) =>
      tournamentOf({ id, createTime: at }, playersAs({ p1: 'Axe', p2: 'Bolt' }), [fight])
    const done = (id: string, at: number) =>
      cup(id, at, fightRows({ startTime: at, stopTime: at + 90, endTime: at + 99 }, 'p1', 'p2'))
    const early = [
      done('old', 1_770_000_000),
      cup('open', 1_770_900_000, openFight({}, 'p1', 'p2')),
    ]
    const late = done('late', 1_770_500_000)
    const first = archiveOf(...early)
    const [added] = archiveOf(late).dataset.tournaments
    const next = await updateArchive(first, 'two', new Map([['late', added]]), noCages)
    const { file, swap } = bulkOf(first)
    const { members } = await file('fights.ndjson.gz')
    swap(next)
    const second = await file('fights.ndjson.gz')
    expect(second.text).toBe((await bulkOf(archiveOf(...early, late)).file(second.name)).text)
    expect(members.map((member) => second.members.includes(member)).sort()).toEqual([false, true])
  })

  test('a change does not affect a download that began before it', async () => {
    const { request, swap, rows } = stageOf(versioned('one', spring, autumn('a')))
    const download = await request('/bulk/fights.ndjson.gz')
    swap(versioned('two', spring, autumn('b')))
    expect((await rows('fights.ndjson.gz')).map(({ notice }) => notice)).toContain('b')
    const text = gunzipSync(await download.bytes()).toString()
    expect(text).toContain('"notice":"a"')
  })

  test('a response has the version of its file, even if the data changes while it is made', async () => {
    const { request, swap } = stageOf(before)
    const response = request('/bulk/fights.ndjson.gz')
    swap(versioned('two', spring, autumn('b')))
    expect((await response).headers.get('x-data-version')).toBe('two')
  })

  test('requests after a change have it, even if an older file is still being made', async () => {
    const { file, swap } = bulkOf(before)
    const making = file('fights.ndjson.gz')
    await setImmediate()
    swap(replaced(changed, ...kept))
    expect((await file('fights.ndjson.gz')).version).toBe('two')
    expect((await making).version).toBe('one')
  })

  test('files have the version of the archive after a change of only the cages', async () => {
    const { request, swap } = stageOf(before)
    await request('/bulk/fights.ndjson.gz')
    swap({ ...before, version: 'other cages' })
    for (const path of ['/bulk/fights.ndjson.gz', '/bulk', '/bulk/dictionary.md']) {
      const { headers } = await request(path)
      expect([path, headers.get('x-data-version')]).toEqual([path, 'other cages'])
    }
  })

  test('/snapshot has the version of the archive after a change of only the cages', async () => {
    const cages = { cages: [cageRow({ number: 1 })] }
    const archive = archiveWithCages(cages, tournamentOf({}, [{ id: 'a' }, { id: 'b' }], []))
    expect(archive.version).not.toBe(archive.dataVersion)
    const { headers } = await appOf(archive)(new Request('http://localhost/snapshot'))
    expect(headers.get('x-data-version')).toBe(archive.version)
  })

  test('all files of a list have one version, even after a change in the middle of it', async () => {
    let archive = before
    const bulk = createBulk({ archive: () => archive })
    archive = replaced(changed, ...kept)
    await bulk.file('fights.ndjson.gz')
    const made = await Promise.all(bulk.filesOf(before))
    expect(new Set(made.map((file) => file?.version))).toEqual(new Set(['one']))
  })

  test('hiding a tournament takes it from all files', async () => {
    const { file, swap } = bulkOf(before)
    for (const name of bulkNames) await file(name)
    swap(versioned('two', spring))
    for (const name of bulkNames) expect((await file(name)).text).not.toMatch(/autumn|Bolt/)
  })

  test('hiding a tournament while a file is made takes it from the answer', async () => {
    const after = versioned('two', spring)
    // The archive is read at the request, and when making the file begins.
    const reads = [before, before]
    const { file } = createBulk({ archive: () => reads.shift() ?? after })
    expect(await file('fights.ndjson.gz')).toMatchObject({ version: 'two', rows: 1 })
    expect(reads).toEqual([])
  })

  test('a change of no row keeps digest and time; any other change makes new ones', async () => {
    const { file, swap } = bulkOf(before)
    const { sha256, updated } = await file('bots.csv.gz')
    const later = Date.now() + 60_000
    setSystemTime(later)
    try {
      swap(versioned('two', spring, autumn('a')))
      expect(await file('bots.csv.gz')).toMatchObject({ sha256, updated, version: 'two' })
      swap(versioned('three', spring))
      expect((await file('bots.csv.gz')).updated).toBe(Math.floor(later / 1000))
    } finally {
      setSystemTime()
    }
  })
})

test('simultaneous requests get one file', async () => {
  const { file } = bulkOf(versioned('one', spring, autumn('')))
  const files = await Promise.all(Array.from({ length: 20 }, () => file('fights.ndjson.gz')))
  expect(new Set(files.map(({ members }) => members)).size).toBe(1)
})

test('a file is dropped when nobody asked for one for a while, and made again', async () => {
  const { file } = bulkOf(versioned('one', spring), { idleMs: 200 })
  const first = await file('clips.ndjson.gz')
  expect((await file('clips.ndjson.gz')).members).toBe(first.members)
  await until(async () => {
    await Bun.sleep(250)
    return (await file('clips.ndjson.gz')).members !== first.members
  })
  expect((await file('clips.ndjson.gz')).sha256).toBe(first.sha256)
})

describe('a file that takes time to make', () => {
  const many = (hidden?: number): Archive =>
    versioned(
      `without ${hidden}`,
      ...Array.from({ length: 100 }, (_, index) =>
        tournamentOf(
          { id: `t${index}`, privacy: index === hidden ? 'private' : 'public' },
          [{ id: 'p1' }, { id: 'p2' }],
          [fightRows({}, 'p1', 'p2')],
          { recordings: [recordingRow({ id: index + 1 })] },
        ),
      ),
    )
  const draftOf = async (archive: () => Archive) => {
    const bulk = createBulk({ archive, draftAfterMs: 0 })
    const draft = await bulk.fileOrDraft('recordings.ndjson.gz')
    if (typeof draft !== 'object' || !('read' in draft)) throw new Error('no draft')
    return { bulk, draft }
  }

  test('a file that takes time is read while it is made, by several at once, and is ready afterwards', async () => {
    const all = many()
    const { bulk, draft } = await draftOf(() => all)
    const again = await bulk.fileOrDraft('recordings.ndjson.gz')
    expect(again).toBe(draft)
    const read = () => Array.fromAsync(draft.read())
    const [first, second] = await Promise.all([read(), read()])
    const file = await bulk.file('recordings.ndjson.gz')
    if (typeof file !== 'object') throw new Error('no file')
    expect(file.members).toHaveLength(100)
    expect([first, second, await read()]).toEqual([
      [...file.members],
      [...file.members],
      [...file.members],
    ])
    expect([draft.version, await bulk.fileOrDraft('recordings.ndjson.gz')]).toEqual([
      'without undefined',
      file,
    ])
  })

  test('a file that takes time ends in an error if something is hidden meanwhile; the next one lacks it', async () => {
    let archive = many()
    const { bulk, draft } = await draftOf(() => archive)
    const read = Array.fromAsync(draft.read()).then(() => 'whole', String)
    archive = many(50)
    expect(await bulk.file('recordings.ndjson.gz')).toMatchObject({
      rows: 99,
      version: 'without 50',
    })
    expect(await read).toContain('something was hidden')
  })

  test('a slow reader gets no more of a file once something in it is hidden', async () => {
    let archive = many()
    const { bulk, draft } = await draftOf(() => archive)
    const slow = draft.read()
    await slow.next()
    archive = many(50)
    await bulk.file('recordings.ndjson.gz')
    await expect(slow.next()).rejects.toThrow('something was hidden')
  })
})

test('a file that takes too long to make is a 503 with Retry-After', async () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    tournamentOf({ id: `t${index}` }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')], {
      recordings: [recordingRow({ id: index })],
    }),
  )
  const archive = versioned('one', ...many)
  const { file } = createBulk({ archive: () => archive, waitMs: 0 })
  expect(await file('recordings.ndjson.gz')).toBe('busy')
  await until(async () => typeof (await file('recordings.ndjson.gz')) === 'object')
})

test.each([
  ['/bulk/fights.csv.gz', 'fights.csv.gz'],
  ['/bulk/README.md', 'README.md'],
])('%s is saved as %s', async (path, name) => {
  const { headers } = await appOf(versioned('one', spring))(new Request(`http://localhost${path}`))
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
})

test('the index is sent entry by entry if making the files takes time', async () => {
  const archive = versioned('one', spring)
  const service = serviceOf(archive)
  const indexWhen = async (draftAfterMs: number, method = 'GET', waitMs = 60_000) => {
    const bulk = createBulk({ archive: () => archive, draftAfterMs, waitMs })
    const routes = bulkRoutes(service, '', undefined, bulk)
    const app = createArrival(service, {
      routes,
      log: createLog('silent'),
      onSent: () => undefined,
    })
    const response = await app(new Request('http://localhost/bulk', { method }))
    // The times at which a file was made may differ.
    const entries = (await response.text()).replaceAll(/"updated":\d+/g, '')
    return { tag: response.headers.get('etag'), status: response.status, entries }
  }
  const made = await indexWhen(60_000)
  const sent = await indexWhen(0)
  expect([made.status, sent.status, sent.tag]).toEqual([200, 200, null])
  expect(made.tag).not.toBeNull()
  expect(sent.entries).toEqual(made.entries)
  // HEAD waits for the tag of the whole list.
  expect((await indexWhen(0, 'HEAD')).tag).not.toBeNull()
  expect((await indexWhen(0, 'HEAD', 0)).status).toBe(503)
})

test('the first index and file after a start have an ETag', async () => {
  const many = Array.from({ length: 100 }, (_, index) => autumn('', `autumn${index}`))
  const app = appOf(versioned('one', spring, ...many))
  const tagOf = async (path: string) => {
    const { headers, body } = await app(new Request(`http://localhost${path}`))
    await body?.cancel()
    return headers.get('etag')
  }
  const paths = ['/bulk', '/bulk/players.ndjson.gz']
  const first = await Promise.all(paths.map(tagOf))
  expect(first).toEqual([expect.any(String), expect.any(String)])
  expect(await Promise.all(paths.map(tagOf))).toEqual(first)
})

test.each([
  ['its tag', { method: 'HEAD' }, 200],
  ['a part of it', { headers: { range: 'bytes=0-9' } }, 206],
  ['it if it is another', { headers: { 'if-none-match': '"other"' } }, 200],
])('a request for %s waits for the whole file', async (_, init, status) => {
  const many = Array.from({ length: 100 }, (_, index) => autumn('', `autumn${index}`))
  const archive = versioned('one', spring, ...many)
  const service = serviceOf(archive)
  const bulk = createBulk({ archive: () => archive, draftAfterMs: 0 })
  const app = createArrival(service, {
    routes: bulkRoutes(service, '', undefined, bulk),
    log: createLog('silent'),
    onSent: () => undefined,
  })
  const answer = app(new Request('http://localhost/bulk/players.ndjson.gz', init))
  // Other requests get the file while it is made.
  expect(await bulk.fileOrDraft('players.ndjson.gz')).toHaveProperty('read')
  const response = await answer
  await response.body?.cancel()
  expect([response.status, response.headers.has('etag')]).toEqual([status, true])
})

test('an index has entries of one version of the data, whether sent at once or as files are made', async () => {
  const [one, two] = [versioned('one', spring), versioned('two', spring, autumn('b'))]
  for (const draftAfterMs of [0, 60_000]) {
    let reads = 0
    const archive = () => (reads++ < 6 ? one : two)
    const service = { ...serviceOf(one), archive }
    const routes = bulkRoutes(service, '', undefined, createBulk({ archive, draftAfterMs }))
    const app = createArrival(service, {
      routes,
      log: createLog('silent'),
      onSent: () => undefined,
    })
    const response = await app(new Request('http://localhost/bulk'))
    const versions = (await response.text()).matchAll(/"version":"(\w+)"/g)
    expect(reads).toBeGreaterThan(6)
    expect([...versions].map(([, version]) => version)).toEqual(bulkNames.map(() => 'one'))
    expect(response.headers.get('x-data-version')).toBe('one')
  }
})

test('an index is cut or refused if something is hidden while its files are made', async () => {
  const [one, two] = [versioned('one', spring, autumn('')), versioned('two', spring)]
  let served = one
  const service = { ...serviceOf(one), archive: () => served }
  const indexWhen = async (draftAfterMs: number) => {
    served = one
    const bulk = createBulk({ archive: () => served, draftAfterMs })
    const app = createArrival(service, {
      routes: bulkRoutes(service, '', undefined, bulk),
      log: createLog('silent'),
      onSent: () => undefined,
    })
    const response = app(new Request('http://localhost/bulk'))
    if (draftAfterMs > 0) served = two
    const { status, body } = await response
    served = two
    return [status, await new Response(body).text().catch(() => 'cut')]
  }
  expect(await indexWhen(0)).toEqual([200, 'cut'])
  expect((await indexWhen(60_000))[0]).toBe(503)
})
