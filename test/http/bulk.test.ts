import { afterAll, describe, expect, test } from 'bun:test'
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Archive } from '../../src/archive/archive.ts'
import { type Bulk, openBulk } from '../../src/bulk/bulk.ts'
import { bulkNames } from '../../src/bulk/tables.ts'
import { createLog } from '../../src/log.ts'
import type { TournamentRows } from '../../src/source/rows.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { temporaryFolder } from '../process.ts'
import { clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

const log = createLog('silent')
const opened: Bulk[] = []
afterAll(async () => {
  for (const bulk of opened) await bulk.stop()
})

const spring = tournamentOf(
  { id: 'spring', name: '=HYPERLINK("x"), "spring"' },
  [
    { id: 'p1', name: '+Axe' },
    { id: 'p2', name: 'Żółw' },
  ],
  [fightRows({}, 'p1', 'p2')],
  {
    recordings: [recordingRow({ id: 7 }), recordingRow({ id: 8, startMs: null })],
    clips: [clipRow({ token: 'c' })],
    stills: [stillRow({ id: 3, playerId: 'p1' })],
  },
)
const autumn = (notice: string) =>
  tournamentOf(
    { id: 'autumn', name: 'Autumn' },
    [
      { id: 'q1', name: 'Bolt' },
      { id: 'q2', name: 'Cog' },
    ],
    [fightRows({ notice }, 'q1', 'q2')],
  )

/** An archive under a version of its own. */
const versioned = (version: string, ...rows: readonly TournamentRows[]): Archive => ({
  ...archiveOf(...rows),
  version,
  dataVersion: version,
})

/** A service whose archive can be replaced, with its files in a folder. */
const stageOf = async (first: Archive | undefined, folder?: string) => {
  const own = folder ?? join(await temporaryFolder(), 'bulk')
  let archive = first
  const bulk = openBulk({ folder: own, archive: () => archive, log, retryAfterMs: 100 })
  opened.push(bulk)
  const service = { ...serviceOf(undefined), archive: () => archive }
  const app = appOf(service, { bulk })
  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    Promise.resolve(app(new Request(`http://localhost${path}`, { headers, method })))
  const text = async (name: string): Promise<string> => {
    const response = await request(`/bulk/${name}`)
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`)
    return Buffer.from(gunzipSync(await response.bytes())).toString()
  }
  return {
    folder: own,
    bulk,
    app,
    request,
    text,
    rows: async (name: string) =>
      (await text(name))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    swap: (after: Archive) => {
      const before = archive
      archive = after
      if (before) bulk.swapped(before, after)
    },
  }
}

const dataFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.gz')).toSorted()

describe('the files of /bulk', () => {
  test('are listed with rows, size and digest', async () => {
    const { app, request } = await stageOf(versioned('one', spring, autumn('')))
    const { status, body } = await get(app, '/bulk')
    expect(status).toBe(200)
    expect(body.files.map(({ name }: { name: string }) => name)).toEqual([...bulkNames])
    for (const { url, bytes, sha256, version, updated } of body.files) {
      const sent = await (await request(url)).bytes()
      expect(sent).toHaveLength(bytes)
      expect(new Bun.CryptoHasher('sha256').update(sent).digest('hex')).toBe(sha256)
      expect(version).toBe('one')
      expect(Math.abs(updated - Date.now() / 1000)).toBeLessThan(60)
    }
    expect(await get(app, '/bulk')).toMatchObject({ body })
  })

  test('hold what the API answers, a line for each row', async () => {
    const { app, rows } = await stageOf(versioned('one', spring, autumn('x')))
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
    expect(await rows('recordings.ndjson.gz')).toEqual(feeds.recordings)
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
      expect(row).toEqual((await get(app, base)).body.tournament)
      expect({ brackets, format }).toMatchObject({ brackets, format })
      expect((await get(app, `${base}/brackets`)).body).toMatchObject({ brackets, format })
    }
  })

  test('as CSV hold no formula, and quote what must be quoted', async () => {
    const { text } = await stageOf(versioned('one', spring, autumn('')))
    const fights = await text('fights.csv.gz')
    expect(fights).toStartWith('tournamentID,id,gameID,player1,')
    expect(fights).toContain(`,'+Axe,axe,Żółw,zolw,"'=HYPERLINK(""x""), ""spring""",`)
    expect(await text('bots.csv.gz')).toContain("\naxe,'+Axe,1,1,0,1,1,30,")
  })

  test('of a league without rows are valid gzip', async () => {
    const { text } = await stageOf(versioned('none'))
    expect(await text('clips.ndjson.gz')).toBe('')
    expect(await text('bots.csv.gz')).toStartWith('cleanName,name,')
  })

  test('are 503 until data is loaded, and 404 under other names', async () => {
    const { request } = await stageOf(undefined)
    expect((await request('/bulk/bots.csv.gz')).status).toBe(503)
    const loaded = await stageOf(versioned('one', spring))
    for (const name of ['bots.json', '..%2Fbots.csv.gz', 'bots.csv.gz.json', '__proto__']) {
      expect((await loaded.request(`/bulk/${name}`)).status).toBe(404)
    }
  })
})

describe('a request for a file', () => {
  const stage = stageOf(versioned('one', spring, autumn('')))
  const path = '/bulk/fights.ndjson.gz'
  const whole = stage.then(async ({ request }) => Buffer.from(await (await request(path)).bytes()))

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
  ])('for %s', async (_, headers, expected) => {
    const { request } = await stage
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
      return
    }
    const [start, end] = [range].flat()
    expect(response.status).toBe(206)
    expect(body.equals(bytes.subarray(start, end))).toBe(true)
    expect(response.headers.get('content-range')).toBe(
      `bytes ${start}-${Number(end) - 1}/${bytes.length}`,
    )
  })

  test('with its tag is a part, or a 304', async () => {
    const { request } = await stage
    const etag = (await request(path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const part = await request(path, { range: 'bytes=0-0', 'if-range': etag })
    expect(part.status).toBe(206)
    expect((await request(path, { 'if-none-match': etag, range: 'bytes=0-0' })).status).toBe(304)
    expect((await request(path, { 'if-range': `W/${etag}`, range: 'bytes=0-0' })).status).toBe(200)
  })

  test('by HEAD has the headers of the whole, and no body', async () => {
    const { request } = await stage
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

describe('a change', () => {
  test('compresses its tournament alone, and a download under way is not affected', async () => {
    const { request, swap, rows, folder } = await stageOf(versioned('one', spring, autumn('a')))
    const before = await request('/bulk/fights.ndjson.gz')
    await request('/bulk/clips.ndjson.gz')
    const clips = (await dataFiles(folder)).filter((name) => name.startsWith('clips'))
    const same = archiveOf(spring, autumn('b'))
    swap({ ...same, version: 'two', dataVersion: 'two' })
    expect((await rows('fights.ndjson.gz')).map(({ notice }) => notice)).toContain('b')
    const after = await request('/bulk/fights.ndjson.gz')
    expect(after.headers.get('x-data-version')).toBe('two')
    const [old, now] = [Buffer.from(await before.bytes()), Buffer.from(await after.bytes())]
    expect(gunzipSync(old).toString()).not.toBe(gunzipSync(now).toString())
    // The member of the other tournament is the same.
    const member = await memberOf(folder, 'fights.ndjson.gz', 'spring')
    expect(old.includes(member)).toBe(true)
    expect(now.includes(member)).toBe(true)
    // No clip changed.
    await request('/bulk/clips.ndjson.gz')
    expect((await dataFiles(folder)).filter((name) => name.startsWith('clips'))).toEqual(clips)
  })

  test('that hides a tournament takes it from answers and from the disk', async () => {
    const { swap, rows, request, folder } = await stageOf(versioned('one', spring, autumn('')))
    for (const name of bulkNames) await request(`/bulk/${name}`)
    swap(versioned('two', spring))
    expect((await rows('fights.ndjson.gz')).map(({ tournamentID }) => tournamentID)).toEqual([
      'spring',
    ])
    await until(async () => {
      for (const name of await dataFiles(folder)) {
        const text = await readFile(join(folder, name)).then(
          (bytes) => Buffer.from(gunzipSync(bytes)).toString(),
          () => '',
        )
        if (/autumn|Bolt/.test(text)) return false
      }
      return true
    }, 10_000)
  })

  test('that changes no row keeps the file', async () => {
    const { request, swap, folder, bulk } = await stageOf(versioned('one', spring))
    await request('/bulk/fights.ndjson.gz')
    const before = await dataFiles(folder)
    swap(versioned('two', spring))
    const { headers } = await request('/bulk/fights.ndjson.gz')
    expect(headers.get('x-data-version')).toBe('two')
    await bulk.stop()
    expect(await dataFiles(folder)).toEqual(before)
  })

  test('that is made while it is requested is one file for all', async () => {
    const { request, folder } = await stageOf(versioned('one', spring, autumn('')))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => request('/bulk/fights.ndjson.gz')),
    )
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1)
    expect(await dataFiles(folder)).toHaveLength(1)
  })
})

test.each<[string, (path: string) => Promise<void>]>([
  ['shortened', (path) => truncate(path, 10)],
  ['removed', (path) => rm(path)],
])('a file that is %s while the service runs is made anew', async (_, damage) => {
  const { text, folder } = await stageOf(versioned('one', spring))
  const before = await text('fights.ndjson.gz')
  const [file = ''] = await dataFiles(folder)
  await damage(join(folder, file))
  expect(await text('fights.ndjson.gz')).toBe(before)
})

/** The bytes of one part of a file. */
const memberOf = async (folder: string, name: string, key: string): Promise<Buffer> => {
  const manifest = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))
  const bytes = await readFile(join(folder, manifest.file))
  let start = manifest.openingBytes
  for (const [own, , , length] of manifest.parts) {
    if (own === key) return bytes.subarray(start, start + length)
    start += length
  }
  throw new Error(`no part ${key}`)
}

describe('a start', () => {
  const name = 'fights.ndjson.gz'
  /** A folder with a file of a process before. */
  const left = async () => {
    const stage = await stageOf(versioned('one', spring, autumn('')))
    await stage.request(`/bulk/${name}`)
    const [file = ''] = await dataFiles(stage.folder)
    return { ...stage, file, path: join(stage.folder, file) }
  }
  const again = async (folder: string, archive = versioned('one', spring, autumn(''))) => {
    const stage = await stageOf(archive, folder)
    return { ...stage, rows: await stage.rows(name) }
  }

  test('reuses the file that fits, and copies what fits of another', async () => {
    const { folder, file } = await left()
    await again(folder)
    expect(await dataFiles(folder)).toEqual([file])
    const member = await memberOf(folder, name, 'spring')
    const { rows } = await again(folder, versioned('two', spring, autumn('new')))
    expect(rows.map(({ notice }) => notice)).toContain('new')
    expect((await memberOf(folder, name, 'spring')).equals(member)).toBe(true)
  })

  test.each<[string, (path: string, folder: string) => Promise<void>]>([
    [
      'a damaged file',
      async (path) => {
        const bytes = await readFile(path)
        bytes[20] = (bytes[20] ?? 0) ^ 1
        await writeFile(path, bytes)
      },
    ],
    ['a file that is too short', (path) => writeFile(path, 'x')],
    ['no file', (path) => rm(path)],
    [
      'a symbolic link',
      async (path, folder) => {
        await rename(path, join(folder, 'elsewhere'))
        await symlink(join(folder, 'elsewhere'), path)
      },
    ],
    ['a damaged manifest', (_, folder) => writeFile(join(folder, `${name}.json`), '{"file":')],
    [
      'a manifest that names another file',
      (_, folder) => writeFile(join(folder, `${name}.json`), '{"file":"../../etc/passwd"}'),
    ],
  ])('with %s makes it anew', async (_, damage) => {
    const { folder, path } = await left()
    const before = (await again(folder)).rows
    await damage(path, folder)
    expect((await again(folder)).rows).toEqual(before)
  })

  test('without a tournament that the files hold removes them', async () => {
    const { folder } = await left()
    const { bulk } = await stageOf(undefined, folder)
    bulk.begun(versioned('one', spring, autumn('')))
    await Bun.sleep(50)
    expect(await dataFiles(folder)).toHaveLength(1)
    bulk.begun(versioned('two', spring))
    await until(async () => (await readdir(folder)).length === 0)
  })

  test('replaces a file that was made by another version of a view', async () => {
    const { folder } = await left()
    const manifestPath = join(folder, `${name}.json`)
    const manifest = JSON.parse(await readFile(manifestPath, 'utf8'))
    manifest.parts[0][1] = 'other'
    await writeFile(manifestPath, JSON.stringify(manifest))
    const { rows } = await again(folder)
    expect(rows).toHaveLength(2)
    expect(JSON.parse(await readFile(manifestPath, 'utf8')).parts[0][1]).not.toBe('other')
  })
})

describe('a disk that cannot be written', () => {
  test('is 503 and a problem in /health until it can', async () => {
    const parent = await temporaryFolder()
    const folder = join(parent, 'bulk')
    await writeFile(folder, 'in the way')
    const { app, request, bulk } = await stageOf(versioned('one', spring), folder)
    const refused = await request('/bulk/bots.csv.gz')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect((await get(app, '/health')).body.problems).toContainEqual(
      expect.stringMatching(/^the bulk files cannot be written: E/),
    )
    await rm(folder)
    await until(async () => (await request('/bulk/bots.csv.gz')).status === 200, 20_000)
    expect(bulk.problems()).toEqual([])
  })

  test('leaves no half file', async () => {
    const { folder, request, swap } = await stageOf(versioned('one', spring))
    await request('/bulk/bots.csv.gz')
    const before = await dataFiles(folder)
    await rm(join(folder, 'bots.csv.gz.json'))
    await mkdir(join(folder, 'bots.csv.gz.json'))
    swap(versioned('two', spring, autumn('')))
    expect((await request('/bulk/bots.csv.gz')).status).toBe(503)
    expect((await stat(join(folder, before[0] ?? ''))).isFile()).toBe(true)
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
