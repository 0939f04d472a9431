import { afterAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { openPostgresTarget } from '../../scripts/import/target/postgresTarget.ts'
import type { Target } from '../../scripts/import/target/target.ts'
import { fileNumber } from '../../scripts/import/values.ts'
import { createLocalMedia } from '../../src/companions/sample/localMedia.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, get, readText } from '../fixtures.ts'
import { freshDatabase } from '../postgres.ts'
import { projectFolder, runImport, runToEnd, temporaryFolder } from '../process.ts'
import { recordingRow } from '../rows.ts'
import { newFile, ofNoSource, reading, importHere as run } from './imports.ts'

const log = createLog('silent')

type Files = Readonly<Record<string, string>>
const writeFiles = async (folder: string, files: Files): Promise<void> => {
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text)
}
/** A folder with these files. */
const folderOf = async (files: Files): Promise<string> => {
  const folder = await temporaryFolder()
  await writeFiles(folder, files)
  return folder
}

const tournaments = `tournament,name,weight,start,end
spring,"Spring, ""the"" Bash",3 lb,2026-03-14 10:00,2026-03-14
`
const players = `tournament,name,seed
spring,"Sir Spins-a-Lot, the 3rd",1
spring,"The ""Wedge""",2
spring,💥 Kaboom 💥,3
spring,Żółw,
`
const fights = `tournament,red,blue,winner,method,round,cage,start,length,judges
spring,"Sir Spins-a-Lot, the 3rd","The ""Wedge""",red,ko,Semi-final,1,2026-03-14 10:05,1:35,
spring,💥 Kaboom 💥,zolw,Żółw,JD,Semi-final,2,2026-03-14 10:05,180,"Ann: Damage 2-5
Ben: Damage 3-4"
spring,"Sir Spins-a-Lot, the 3rd",Żółw,draw,,Final,1,2026-03-14 11:00,180,
spring,Żółw,"Sir Spins-a-Lot, the 3rd",,,Final,1,,,
`
const recordings = `camera,cage,start,address
Cage-1-Overhead,1,2026-03-14 10:04:07.250,https://media.example/a.mp4
Cage-1-Overhead,1,2026-03-14 10:59:00,https://media.example/b.mp4
Cage-2-Overhead,2,2026-03-14 10:06:00,https://media.example/c.mp4
`

describe('import csv', () => {
  test('import csv serves a league from the files of a spreadsheet, and a second run changes nothing', async () => {
    const folder = await folderOf({
      'tournaments.csv': tournaments,
      'players.csv': players,
      'fights.csv': fights,
      'recordings.csv': recordings,
    })
    const out = join(folder, 'league.cageside')
    const command = ['csv', folder, '--out', out, '--time-zone', 'America/New_York']
    const first = await runImport(command)
    expect(first).toMatchObject({ err: '', status: 0 })
    await reading(out, async (read) => {
      const { tournament } = await read('/tournaments/spring')
      expect(tournament).toMatchObject({
        tournamentName: 'Spring, "the" Bash',
        WeightClass: 3,
        // The time is 10:05 in New York, during daylight saving time.
        startTime: '2026-03-14T14:05:00Z',
        numPlayers: 4,
      })
      const { fights: listed } = await read('/tournaments/spring/fights')
      expect(listed).toHaveLength(4)
      const { fight } = await read('/tournaments/spring/fights/W-1')
      expect(fight.player1).toMatchObject({
        name: 'Sir Spins-a-Lot, the 3rd',
        isWinner: '1',
        winAnnotation: 'KO',
        duration: '95',
        roundName: 'Semi-final',
      })
      // Cameras start before the fight.
      expect(fight.recordings).toMatchObject([
        { camera: 'Cage-1-Overhead', fightStartOffset: '52.75' },
      ])
      const { fightStats } = await read('/stats/fight/spring/W-2')
      expect(fightStats.judgesScorecard).toHaveLength(4)
      expect(fightStats.players).toMatchObject([{ isWinner: 0 }, { isWinner: 1 }])
      expect((await read('/video-feeds/fight/spring/W-2')).recordings).toMatchObject([
        { s3path: 'https://media.example/c.mp4' },
      ])
      expect((await read('/bots/zolw')).bot).toMatchObject({
        botName: 'Żółw',
        totalFights: 2,
        totalWins: 1,
      })
    })
    const { mtimeMs } = await Bun.file(out).stat()
    const again = await runImport(command)
    expect(again.out).toContain('0 tournaments changed, 1 unchanged')
    expect((await Bun.file(out).stat()).mtimeMs).toBe(mtimeMs)
  })

  test('a players.csv line whose name reads as a bye is rejected, and nothing is written', async () => {
    const folder = await folderOf({
      'tournaments.csv': 'tournament,weight\nspring,3\n',
      'players.csv': 'name\nAxe\nBye\n(bye)\nBracket Seed 4\n',
      'fights.csv': 'red,blue,winner\nAxe,Bye,Bye\n',
    })
    const out = join(folder, 'league.cageside')
    const { status, out: listed, err } = await runImport(['csv', folder, '--out', out])
    expect(status).toBe(1)
    const text = listed + err
    for (const line of [
      `players.csv:3  'Bye' stands for a bye`,
      `'(bye)' stands`,
      `'Bracket Seed 4' stands`,
    ])
      expect(text).toContain(line)
    expect(text).toContain('name the bot otherwise, in fights.csv too, or remove the line')
    expect(await Bun.file(out).exists()).toBe(false)
  })

  test('an event without dates is as old as its first import', async () => {
    const folder = await folderOf({
      'tournaments.csv': 'tournament,weight\nspring,3\n',
      'fights.csv': 'red,blue,winner\nAxe,Bolt,red\n',
    })
    const out = join(folder, 'league.cageside')
    const before = new Date(Date.now() - 1000).toISOString()
    await runImport(['csv', folder, '--out', out])
    const again = await runImport(['csv', folder, '--out', out])
    expect(again.out).toContain('0 tournaments changed, 1 unchanged')
    await reading(out, async (read, app) => {
      const { tournaments: listed } = await read('/tournaments')
      const [{ createTime, updateTime }] = listed
      expect(createTime > before).toBe(true)
      expect(updateTime).toBe(createTime)
      expect((await read(`/tournaments?year=${createTime.slice(0, 4)}`)).tournaments).toEqual(
        listed,
      )
      expect((await read('/tournaments?year=1970')).tournaments).toEqual([])
      const { text } = await readText(app, '/results.atom')
      expect(text).toContain(`<published>${createTime.slice(0, -1)}`)
    })
  })

  test('films of a folder are found by file name, and sent by the service', async () => {
    const media = await folderOf({ 'notes.txt': 'x' })
    for (const [name, from] of [
      ['axe v bolt.mp4', 'top_360p.mp4'],
      ['axe v bolt_72p.mp4', 'top_72p.mp4'],
    ] as const) {
      await Bun.write(join(media, name), Bun.file(join(projectFolder, 'snapshot/media', from)))
    }
    const files = {
      'tournaments.csv': 'tournament,weight,start\na,3,2026-03-14 10:00\n',
      'fights.csv': [
        'tournament,red,blue,winner,video',
        'a,Axe,Bolt,red,axe v bolt.mp4 | https://youtu.be/dQw4w9WgXcQ?t=95',
        '',
      ].join('\n'),
    }
    const folder = await folderOf(files)
    const out = join(folder, 'league.cageside')
    const first = await run('csv', folder, '--out', out, '--media', media)
    expect(first).toMatchObject({ err: '', status: 0 })
    const localMedia = createLocalMedia(out, media)
    localMedia?.listening('http://localhost')
    const service = openSnapshot(out, log, undefined, localMedia?.prepare)
    await service.firstLoad
    const app = appOf(service.archive(), { localMedia })
    const { recordings: found } = (await get(app, '/video-feeds/fight/a/W-1')).body
    expect(found).toMatchObject([
      {
        kind: 'file',
        s3path: 'http://localhost/media/axe%20v%20bolt.mp4',
        proxy720: '',
        proxy72: 'http://localhost/media/axe%20v%20bolt_72p.mp4',
      },
      { kind: 'youtube', fightStartOffset: '95' },
    ])
    for (const address of [found[0].s3path, found[0].proxy72])
      expect((await app(new Request(address))).status).toBe(200)
    await service.stop()
    const missing = await run('csv', folder, '--out', out, '--media', folder)
    expect(missing.out).toContain(`${folder} has no film 'axe v bolt.mp4'`)
  })

  test('import csv with bad lines writes nothing, or the good ones', async () => {
    const folder = await folderOf({
      'tournaments.csv': 'tournament,weight,start\nspring,big,\nok,3,3/4/2026\nfine,12,\n',
      'fights.csv':
        'tournament,red,blue,winner,fight\nfine,Axe,Blade,red,F1\nfine,Axe,Blade,Hammer,F2\n',
      'recordings.csv': 'camera,cage,start,address\nC,9,2026-03-14 10:00,https://v.example/a.mp4\n',
    })
    const out = join(folder, 'league.cageside')
    const refused = await run('csv', folder, '--out', out)
    expect(refused.status).toBe(1)
    expect(await Bun.file(out).exists()).toBe(false)
    expect(refused.out.split('\n').map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      'Lines that cannot be used (3):',
      ...['tournaments.csv:2', 'tournaments.csv:3', 'fights.csv:3', ''],
    ])
    const skipped = await run('csv', folder, '--out', out, '--skip-bad', '--dates', 'mdy')
    expect(skipped.status).toBe(2)
    await reading(out, async (read) => {
      expect((await read('/fights')).fights).toMatchObject([{ gameID: 'F1' }])
      expect((await read('/tournaments/ok')).tournament.scheduledStartTime).toBe(
        '2026-03-04T00:00:00Z',
      )
    })
  })

  test('import csv does not wait for a pipe or read a device', async () => {
    const folder = await folderOf({ 'tournaments.csv': tournaments, 'fights.csv': fights })
    const pipe = join(folder, 'pipe')
    Bun.spawnSync(['mkfifo', pipe])
    for (const path of [pipe, '/dev/zero']) {
      for (const args of [
        [folder, '--recordings', path, '--out', join(folder, 'a.cageside')],
        [folder, '--out', path],
      ]) {
        const { err, status } = await runImport(['csv', ...args])
        expect(err).toMatch(/cannot be read:? \(?not a regular file/)
        expect(err).toContain(path)
        expect(status).toBe(1)
      }
    }
    expect(await Bun.file(join(folder, 'a.cageside')).exists()).toBe(false)
  })

  test('import csv names a template that cannot be written, and leaves no part of it', async () => {
    const folder = await temporaryFolder()
    const limited = `ulimit -f 0; exec "$0" scripts/import.ts csv "$1" --template`
    const { code, output, errors } = await runToEnd(
      ['sh', '-c', limited, process.execPath, folder],
      { cwd: projectFolder },
    )
    const path = join(folder, 'tournaments.csv')
    expect([code, output, errors]).toEqual([1, '', `${path} cannot be written (EFBIG)\n`])
    expect(await readdir(folder)).toEqual(['example'])
    expect(await readdir(join(folder, 'example'))).toEqual([])
  })

  test('import csv names unknown columns, and writes templates that can be imported', async () => {
    const folder = await temporaryFolder()
    expect((await run('csv', folder, '--template')).status).toBe(0)
    const out = join(folder, 'league.cageside')
    expect(await run('csv', folder, '--out', out)).toMatchObject({ err: '', status: 0 })
    const example = join(folder, 'example')
    // A line with a missing comma would have later cells under other headings.
    for (const name of (await readdir(folder, { recursive: true })).filter((each) =>
      each.endsWith('.csv'),
    )) {
      const lines = parse(await Bun.file(join(folder, name)).text(), {
        bom: true,
        relaxColumnCount: true,
      })
      const [headings = []] = lines
      expect([name, ...lines.map((cells) => cells.length)]).toEqual([
        name,
        ...lines.map(() => headings.length),
      ])
    }
    const tried = await run('csv', example, '--out', join(folder, 'example.cageside'))
    expect(tried).toMatchObject({ err: '', status: 0 })
    expect(tried.out).toStartWith('Added: 1 event, 4 fights, 4 bots, 1 video\n')
    // Optional files have no sample lines that must be replaced.
    await Bun.write(join(folder, 'tournaments.csv'), tournaments)
    await Bun.write(
      join(folder, 'fights.csv'),
      `${fights.replaceAll(/$/gm, ',')}`.replace(',length,judges,', ',length,judges,Referee'),
    )
    const other = await run('csv', folder, '--out', out, '--yes')
    expect(other.err).toContain(
      'would be removed. Give the league of this folder a name by --source',
    )
    const replaced = await run('csv', folder, '--out', out, '--yes', '--source', basename(folder))
    expect(replaced).toMatchObject({ err: '', status: 0 })
    expect(replaced.out).toContain(
      "Ignored columns (1):\n  fights.csv:1  'Referee'; there are: tou",
    )
    await Bun.write(join(folder, 'fights.csv'), 'tournament,red,blu\n')
    const { out: printed, status } = await run('csv', folder, '--out', out)
    expect(status).toBe(1)
    expect(printed).toContain("fights.csv:1  unknown column 'blu': write 'blue', or another name")
    expect(printed).toContain("fights.csv:1  the column 'blue' is missing")
  })
})

/** Lines of a file: `head`, and cells separated by spaces. */
const table = (head: string, ...lines: readonly string[]) =>
  [head, ...lines.map((line) => line.replaceAll(' ', ',')), ''].join('\n')
const events = (...ids: readonly string[]) =>
  table('tournament,weight,start', ...ids.map((id) => `${id} 3 2026-03-14`))
const fightsHead = 'tournament,red,blue,winner,method,cage,start'
const video = (address: string) =>
  table('tournament,fight,camera,address', `spring W-1 Top https://v.example/${address}.mp4`)

const league = {
  'tournaments.csv': events('spring', 'winter'),
  'fights.csv': table(
    fightsHead,
    'spring Axe Blade red KO 1 10:00',
    'spring Club Dart blue JD 1 10:10',
    'spring Axe Daart red KO 1 10:20',
    'spring Blade Club red KO 2 10:00',
    'spring Edge Fang red KO 2 10:10',
    'winter Axe Blade red KO 1 10:00',
  ),
  'recordings.csv': video('a'),
}
/** A corrected name and winner, a removed line, another URL, and an event less. */
const corrected = {
  'tournaments.csv': events('spring'),
  'fights.csv': table(
    fightsHead,
    'spring Axe Blade blue KO 1 10:00',
    'spring Club Dart blue JD 1 10:10',
    'spring Axe Dart red KO 1 10:20',
    'spring Blade Club red KO 2 10:00',
  ),
  'recordings.csv': video('b'),
}
const others = {
  'tournaments.csv': events('autumn'),
  'fights.csv': table(fightsHead, 'autumn Axe Blade red KO 1 10:00'),
}

const file = {
  open: async () => {
    const { path, toFile } = await newFile()
    return { args: ['--out', path], target: toFile }
  },
}
const databases: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const drop of databases) await drop()
})
const postgres = {
  open: async () => {
    const { adminUrl, drop } = await freshDatabase()
    databases.push(drop)
    return { args: ['--database-url', adminUrl], target: () => openPostgresTarget(adminUrl) }
  },
}

test('an event and its videos are written in one transaction', async () => {
  const { adminUrl, drop } = await freshDatabase()
  databases.push(drop)
  const pool = openPool(adminUrl, { max: 1, connectSeconds: 10 })
  const folder = await folderOf(league)
  for (const files of [league, corrected]) {
    await writeFiles(folder, files)
    await run('csv', folder, '--database-url', adminUrl, '--yes')
    const last = await pool`
      SELECT (SELECT max(row_xid) FROM cageside.slots WHERE tournament_id = 'spring')::text AS corners,
        (SELECT max(row_xid) FROM cageside.recordings WHERE tournament_id = 'spring')::text AS videos`
    expect(last[0]?.corners).toMatch(/^\d+$/)
    expect(last[0]?.videos).toBe(last[0]?.corners)
  }
  await pool.end({ timeout: 1 })
})

describe.each([
  ['a file', file],
  ['Postgres', postgres],
])('a folder imported into %s', (_, { open }) => {
  const rowsOf = async (openTarget: () => Promise<Target>) => {
    const target = await openTarget()
    const rows: Record<string, unknown> = {}
    for (const id of (await target.sources()).keys()) {
      rows[id] = JSON.parse(JSON.stringify(await target.read(id)))
    }
    await target.close()
    return rows
  }

  test('a folder removes its own missing rows, and nothing of others', async () => {
    const { args, target } = await open()
    const [folder, other] = [await folderOf(league), await folderOf(others)]
    const importOf = (from: string, name: string, ...more: readonly string[]) =>
      run('csv', from, ...args, '--source', name, ...more)
    expect((await importOf(folder, 'mine')).out).toContain(
      'Added: 2 events, 6 fights, 9 bots, 1 video\n',
    )
    await importOf(other, 'theirs')
    // An event of no folder, with a video of a file.
    const byHand = await target()
    const [autumn, spring] = [await byHand.read('autumn'), await byHand.read('spring')]
    const rows = checkTournament({ ...autumn }, () => undefined)
    const film = recordingRow({ id: fileNumber('film'), gameId: 'W-1' })
    if (!rows) throw new Error('no event')
    const hand = { ...rows.tournament, id: 'hand', source: null }
    await byHand.update('hand', () => ({ ...rows, tournament: hand }), ofNoSource)
    await byHand.update('spring', () => ({ ...spring, recordings: [film] }), ofNoSource)
    await byHand.close()
    await importOf(folder, 'mine')
    const before = await rowsOf(target)

    await writeFiles(folder, corrected)
    const asked = await importOf(folder, 'mine')
    expect(asked.status).toBe(2)
    expect(asked.err).toBe(
      'nothing is written, as a whole event is removed: add --yes if that is meant, or --keep\n',
    )
    const dry = await importOf(folder, 'mine', '--dry-run')
    expect([dry.status, dry.err]).toEqual([0, ''])
    expect(asked.out).toBe(dry.out)
    const summary = dry.out.slice(dry.out.indexOf('Removed')).trim().split('\n')
    expect(summary).toEqual([
      'Removed: 1 event: winter (winter, 1 fight)',
      'Removed: 1 fight: spring, Edge - Fang (W-5)',
      'Removed: 3 bots: spring, Daart; spring, Edge; spring, Fang',
      'Changed: spring, fight Axe - Blade (W-1): winner Axe → Blade',
      'Changed: spring, fight Axe - Daart (W-3): blue Daart → Dart',
      'Changed: spring, video Top https://v.example/a.mp4: address https://v.example/a.mp4 → https://v.example/b.mp4',
    ])
    expect(await rowsOf(target)).toEqual(before)

    expect(await importOf(folder, 'mine', '--yes')).toMatchObject({
      status: 0,
      out: expect.stringContaining('1 tournaments changed, 0 unchanged, 1 removed'),
    })
    const fresh = await open()
    await run('csv', folder, ...fresh.args, '--source', 'mine')
    const { spring: expected } = await rowsOf(fresh.target)
    const { spring: now, ...rest } = await rowsOf(target)
    const { winter: _winter, spring: _spring, ...untouched } = before
    expect(rest).toEqual(untouched)
    const withoutFilm = Object(now).recordings.filter(({ id }: { id: number }) => id !== film.id)
    expect(withoutFilm).toHaveLength(Object(now).recordings.length - 1)
    expect({ ...Object(now), recordings: withoutFilm }).toEqual(expected)
    expect((await importOf(folder, 'mine')).out).toContain('0 tournaments changed, 1 unchanged')
  }, 60_000)

  test('a corrected name moves no fight and no clock, and a removed line none of its bots', async () => {
    const { args, target } = await open()
    const lines = [
      'spring Axe Blade red KO 1 10:00',
      'spring Club Dart blue JD 1 10:10',
      'spring Axe Daart',
      'spring Edge Fang',
      'spring Club Edge',
      'spring Blade Club',
    ]
    const folder = await folderOf({
      'tournaments.csv': 'tournament,weight,start,active\nspring,3,2026-03-14 10:00,yes\n',
      'fights.csv': table(fightsHead, ...lines),
      'cages.csv': 'cage,status,fight\n1,active,Axe v Daart\n2,active,Edge v Fang\n',
    })
    const importOf = async (...more: readonly string[]) => {
      const { err, out, status } = await run('csv', folder, ...args, '--source', 'mine', ...more)
      expect([err, status]).toEqual(['', 0])
      return out
    }
    const springOf = async (openTarget: typeof target) =>
      JSON.parse(JSON.stringify((await rowsOf(openTarget)).spring))
    const startOf = (rows: { games: { id: string; startTime: number }[] }, id: string) =>
      rows.games.find((game) => game.id === id)?.startTime
    await importOf()
    const byHand = await target()
    const film = recordingRow({ id: fileNumber('film'), gameId: 'W-4' })
    const present = await byHand.read('spring')
    await byHand.update('spring', () => ({ ...present, recordings: [film] }), ofNoSource)
    await byHand.close()
    const first = await springOf(target)

    const corrected = lines.map((line) => line.replace('Daart', 'Dart'))
    await Bun.write(join(folder, 'fights.csv'), table(fightsHead, ...corrected))
    await Bun.write(
      join(folder, 'cages.csv'),
      'cage,status,fight\n1,active,Axe v Dart\n2,active,Edge v Fang\n',
    )
    expect(await importOf()).toContain('(W-3): blue Daart → Dart\n1 tournaments')
    const second = await springOf(target)
    expect(second.games).toEqual(first.games)
    expect(second.players.map(({ id }: { id: string }) => id)).not.toContain('daart')

    await Bun.write(
      join(folder, 'fights.csv'),
      table(fightsHead, ...corrected.filter((_, index) => index !== 1)),
    )
    expect(await importOf()).toContain(
      [
        'Removed: 1 fight: spring, Club - Dart (W-2)',
        "Changed: spring: 4 fights with another id and address, such as W-3 → W-2: fill in 'fight' to keep them",
      ].join('\n'),
    )
    const third = await springOf(target)
    for (const [before, after] of [
      ['W-3', 'W-2'],
      ['W-4', 'W-3'],
    ] as const) {
      expect(startOf(third, after)).toBe(startOf(first, before) ?? 0)
    }
    expect(third.recordings).toEqual([{ ...first.recordings[0], gameId: 'W-3' }])
    // A fresh import has the same rows, except rows that no file has.
    const fresh = await open()
    await run('csv', folder, ...fresh.args, '--source', 'mine')
    const expected = await springOf(fresh.target)
    for (const [table, rows] of Object.entries(third)) {
      if (table === 'recordings') continue
      const ofFresh = table === 'games' ? expected.games : expected[table]
      const withStarts =
        table === 'games'
          ? ofFresh.map((game: { id: string; state: string }) =>
              game.state === 'active' ? { ...game, startTime: startOf(third, game.id) } : game,
            )
          : ofFresh
      expect([table, rows]).toEqual([table, withStarts])
    }
    // No fight gets the id of another one with --keep.
    await Bun.write(
      join(folder, 'fights.csv'),
      table(fightsHead, ...corrected.slice(2), 'spring Club Dart blue JD 1 10:10'),
    )
    expect(await importOf('--keep')).toContain('Added: 1 fight\n')
    const kept = await springOf(target)
    expect(kept.games).toHaveLength(6)
    expect(kept.games.filter(({ id }: { id: string }) => /^W-[1-5]$/.test(id))).toEqual(
      third.games.map((game: object) => ({
        ...game,
        name: expect.anything(),
        position: expect.anything(),
        loserPlacement: null,
      })),
    )
  }, 60_000)

  test.each([
    ['--keep', '', 0],
    ['--skip-bad', 'spring,Axe,Axe\n', 2],
  ])(
    'a folder does not write events of others, and with %s removes nothing',
    async (option, bad, status) => {
      const { args, target } = await open()
      const folder = await folderOf(league)
      await run('csv', folder, ...args, '--source', 'mine')
      const before = await rowsOf(target)
      const refused = await run('csv', folder, ...args, '--source', 'theirs')
      expect(refused.out).toContain(
        "spring  the event belongs to 'mine'; give it another id, or use --source",
      )
      expect(refused.status).toBe(1)
      await writeFiles(folder, { ...corrected, 'fights.csv': corrected['fights.csv'] + bad })
      expect((await run('csv', folder, ...args, '--source', 'mine', option)).status).toBe(status)
      const kept = await rowsOf(target)
      expect(Object.keys(kept)).toEqual(['spring', 'winter'])
      const gamesOf = (rows: unknown) => Object(rows).games.map(({ id }: { id: string }) => id)
      expect(gamesOf(kept.spring)).toEqual(gamesOf(before.spring))
    },
    60_000,
  )
})

/** An import of `league` into a file as the folder `mine`, and functions that change its files and rows. */
const importedLeague = async () => {
  const { path, toFile } = await newFile()
  const folder = await folderOf(league)
  const importOf = (source: string, ...more: readonly string[]) =>
    run('csv', folder, '--out', path, '--source', source, ...more)
  await importOf('mine')
  const springOf = async () => {
    const target = await toFile()
    const rows = checkTournament({ ...(await target.read('spring')) }, () => undefined)
    await target.close()
    return rows
  }
  return {
    importOf,
    springOf,
    path,
    toFile,
    write: (files: Files) => writeFiles(folder, files),
    /** Makes `spring` an event of no folder. */
    disown: async () => {
      const rows = await springOf()
      if (!rows) throw new Error('no event')
      const target = await toFile()
      const tournament = { ...rows.tournament, source: null }
      await target.update('spring', () => ({ ...rows, tournament }), ofNoSource)
      await target.close()
    },
  }
}

test('an event of another folder, or of none, gets rows with --keep and stays its own', async () => {
  const { importOf, springOf, write, disown, path } = await importedLeague()
  const more = (...lines: readonly string[]) =>
    write({ 'fights.csv': [league['fights.csv'].trim(), ...lines, ''].join('\n') })
  const inCage = (...fights: readonly string[]) =>
    write({
      'cages.csv': `cage,status,fight,tournament\n${fights.map((fight) => `1,active,${fight},spring\n`).join('')}`,
    })
  const cagesNow = async () => (await readSnapshot(path)).cages
  await inCage('W-1')
  await importOf('mine')
  const cages = await cagesNow()
  await more('spring,Gear,Hex,,,,')
  await inCage('W-2')
  // --skip-bad does not take over the event or its cage.
  const skipping = await importOf('theirs', '--skip-bad')
  expect(await cagesNow()).toEqual(cages)
  await inCage()
  expect(skipping.out).toContain(
    "spring  the event belongs to 'mine'; give it another id, or use --source",
  )
  expect([skipping.status, (await springOf())?.games.length]).toEqual([2, 5])
  expect(await importOf('theirs', '--keep')).toMatchObject({ err: '', status: 0 })
  const first = await springOf()
  expect([first?.tournament.source, first?.games.length]).toEqual(['mine', 6])
  await disown()
  await more('spring,Gear,Hex,,,,', 'spring,Ion,Jab,,,,')
  expect(await importOf('theirs', '--keep')).toMatchObject({ err: '', status: 0 })
  const second = await springOf()
  expect([second?.tournament.source, second?.games.length]).toEqual([null, 7])
})

test('an event of no folder loses rows only after a confirmation', async () => {
  const { importOf, write, disown } = await importedLeague()
  await disown()
  await write({ 'fights.csv': league['fights.csv'].replace(/^spring,Edge.*\n/m, '') })
  expect(await importOf('mine')).toMatchObject({
    status: 2,
    err: 'nothing is written, as events that are not from this folder are changed: spring: add --yes if that is meant, or --keep\n',
  })
})

test('videos of a folder may belong to fights of other events', async () => {
  const { path, springOf } = await importedLeague()
  const folder = await folderOf({ ...others, 'recordings.csv': video('z') })
  expect(await run('csv', folder, '--out', path, '--source', 'theirs')).toMatchObject({
    err: '',
    status: 0,
  })
  const addresses = (await springOf())?.recordings.map(({ videoUrl }) => videoUrl)
  expect(addresses?.sort()).toEqual(['https://v.example/a.mp4', 'https://v.example/z.mp4'])
})

test('videos belong to the fights in the files, not to the former ones', async () => {
  const { importOf, springOf, write } = await importedLeague()
  await write({
    'fights.csv': league['fights.csv'].replace(
      'Edge,Fang,red,KO,2,10:10',
      'Edge,Fang,red,KO,2,15:00',
    ),
    'recordings.csv': 'camera,cage,start,address\nTop,2,2026-03-14 15:00,https://v.example/a.mp4\n',
  })
  expect(await importOf('mine')).toMatchObject({ err: '', status: 0 })
  expect((await springOf())?.recordings.map(({ gameId }) => gameId)).toEqual(['W-5'])
})

test('a folder empties only cages of its own events', async () => {
  const { importOf, path, toFile, write } = await importedLeague()
  await write({
    'cages.csv': 'cage,status,fight,tournament\n1,active,W-1,spring\n3,active,W-2,spring\n',
  })
  await importOf('mine')
  const folder = await folderOf({
    ...others,
    'cages.csv': 'cage,status,fight\n2,active,W-1\n',
  })
  await run('csv', folder, '--out', path, '--source', 'theirs')
  await write({ 'cages.csv': 'cage,status,fight,tournament\n1,active,W-1,spring\n' })
  await importOf('mine')
  const target = await toFile()
  let cages: unknown
  await target.updateCages((existing) => {
    cages = existing.cages.map(({ number, tournamentId }) => [number, tournamentId])
    return existing
  })
  await target.close()
  expect(cages).toEqual([
    [1, 'spring'],
    [2, 'autumn'],
  ])
})

test('cages have the fights that the files move, even with --keep', async () => {
  const { importOf, path, write } = await importedLeague()
  await write({
    'tournaments.csv': 'tournament,weight,start,active\nspring,3,2026-03-14,yes\n',
    'fights.csv': table(fightsHead, 'spring Blade Club', 'spring Edge Fang'),
    'recordings.csv': video('a'),
    'cages.csv': 'cage,fight,next\n1,Blade v Club,Edge v Fang\n',
  })
  expect(await importOf('mine', '--keep')).toMatchObject({ err: '', status: 0 })
  const { cage1 } = (await reading(path, (read) => read('/cages'))).cages
  expect([cage1.match.gameID, cage1.queue[0].gameID]).toEqual(['W-4', 'W-5'])
})

test('a removal of more than a fifth of the fights needs a confirmation', async () => {
  const line = (index: number) => `spring Bot${index}a Bot${index}b red KO 1 10:00`
  const lines = Array.from({ length: 10 }, (_, index) => line(index))
  const fightsOf = (count: number) => table(fightsHead, ...lines.slice(0, count))
  const folder = await folderOf({
    'tournaments.csv': events('spring', 'summer', 'autumn'),
    'fights.csv': fightsOf(10),
  })
  const out = ['--out', join(folder, 'league.cageside')]
  const importOf = async (count: number) => {
    await Bun.write(join(folder, 'fights.csv'), fightsOf(count))
    return await run('csv', folder, ...out)
  }
  expect((await importOf(10)).status).toBe(0)
  expect(await importOf(7)).toMatchObject({
    status: 2,
    err: 'nothing is written, as 3 of 10 fights are removed: add --yes if that is meant, or --keep\n',
  })
  expect((await importOf(8)).status).toBe(0)
  await Bun.write(join(folder, 'tournaments.csv'), events('spring'))
  expect((await run('csv', folder, ...out, '--yes')).out).toContain(' 2 removed; ')
})

describe('import recordings', () => {
  test('import recordings adds videos from NDJSON to existing fights, once', async () => {
    const folder = await folderOf({
      'tournaments.csv': tournaments,
      'fights.csv': fights,
      'more.ndjson': [
        '{"camera":"Sky","tournament":"spring","fight":"W-2","address":"https://v.example/1.mp4","extra":1}',
        '{"camera":"Sky","cage":1,"start":"2026-03-14T10:59:30Z","address":"https://v.example/2.mp4"}',
        '',
      ].join('\n'),
    })
    const out = join(folder, 'league.cageside')
    await run('csv', folder, '--out', out)
    const file = join(folder, 'more.ndjson')
    expect(await run('recordings', file, '--out', out)).toMatchObject({ err: '', status: 0 })
    expect((await run('recordings', file, '--out', out)).out).toContain('1 unchanged')
    // Another import of the fights keeps the videos.
    expect((await run('csv', folder, '--out', out)).out).toContain('1 unchanged')
    await reading(out, async (read) => {
      const { fights: listed } = await read('/tournaments/spring/fights')
      expect(listed.filter(({ cams }: { cams: number }) => cams === 1)).toHaveLength(2)
    })
    await Bun.write(file, 'not json\n')
    expect((await run('recordings', file, '--out', out)).status).toBe(1)
    await Bun.write(file, '{"camera":"Sky","address":"https://v.example/1.mp4"}\nnot json\n')
    const bad = await run('recordings', file, '--out', out)
    expect(bad.status).toBe(1)
    expect(bad.out).toContain('more.ndjson:1  either tournament and fight are needed')
    expect(bad.out).toContain('more.ndjson:2  not a JSON object')
    const skipped = await run('recordings', file, '--out', out, '--skip-bad')
    expect([skipped.status, skipped.out]).toEqual([2, expect.stringContaining('Not imported (2)')])
  })
})

describe('cages.csv', () => {
  const day = {
    'tournaments.csv':
      'tournament,weight,start,active\nday,3,2026-03-14 10:00,yes\nold,3,2025-03-14,\n',
    'fights.csv': table(
      'tournament,red,blue,winner,start',
      'day Axe Blade red 10:00',
      'day Club Dart  10:10',
      'day Edge Fang  ',
      'day Axe Club',
      'old Club Dart red',
    ),
  }
  const cages = (...lines: readonly string[]) => ['cage,status,fight,next', ...lines, ''].join('\n')

  test('cages.csv sets the fight and the queue of each cage, and a second import follows both', async () => {
    const folder = await folderOf({
      ...day,
      'cages.csv': cages('1,fighting,dart v Club,W-3 | Axe vs. Club', 'Cage 2,,Axe - Blade,'),
    })
    const out = join(folder, 'league.cageside')
    expect(await run('csv', folder, '--out', out)).toMatchObject({ err: '', status: 0 })
    const states = () =>
      reading(out, async (read) => {
        const { cages: found } = await read('/cages')
        return [found.cage1, found.cage2].map(({ status, match, startTime, queue }) => ({
          status,
          fight: match?.gameID ?? null,
          startTime,
          queue: queue.map(({ gameID }: { gameID: string }) => gameID),
        }))
      })
    const startTime = Date.UTC(2026, 2, 14, 10, 10) / 1000
    const { fights: old } = await reading(out, (read) => read('/tournaments/old/fights'))
    // The fight was decided without a time, and never seen in progress.
    expect(old).toMatchObject([{ startTime: 0, stopTime: 0 }])
    const [first] = await states()
    expect(first).toEqual({
      status: 'active',
      fight: 'W-2',
      startTime,
      queue: ['W-3', 'W-4'],
    })
    expect((await states())[1]).toMatchObject({ status: 'completed', fight: 'W-1' })
    const { cages: found } = await reading(out, (read) => read('/cages'))
    expect(found.cage2.match.cage).toBe('Cage 2')
    const { mtimeMs } = await Bun.file(out).stat()
    expect((await run('csv', folder, '--out', out)).status).toBe(0)
    expect((await Bun.file(out).stat()).mtimeMs).toBe(mtimeMs)
    // A fight without a start begins when it is first found in progress, and keeps that start.
    await Bun.write(join(folder, 'cages.csv'), cages('1,active,Edge v Fang,'))
    const startOf = () =>
      reading(out, async (read) => {
        const { fights: listed } = await read('/tournaments/day/fights')
        return listed.find(({ id }: { id: string }) => id === 'W-3').startTime
      })
    expect((await run('csv', folder, '--out', out)).status).toBe(0)
    const began = await startOf()
    expect(Math.abs(Number(began) - Date.now() / 1000)).toBeLessThan(60)
    const won = day['fights.csv'].replace('day,Edge,Fang,,', 'day,Edge,Fang,red,')
    for (const text of [day['fights.csv'], won, won]) {
      await Bun.write(join(folder, 'fights.csv'), text)
      expect((await run('csv', folder, '--out', out)).status).toBe(0)
      expect(await startOf()).toBe(began)
    }
    await Bun.write(join(folder, 'fights.csv'), day['fights.csv'])
    await Bun.write(join(folder, 'cages.csv'), cages('2,,Edge v Fang,'))
    expect(await run('csv', folder, '--out', out)).toMatchObject({ err: '', status: 0 })
    expect(await states()).toMatchObject([
      { status: 'idle', fight: null, queue: [] },
      { status: 'assigned', fight: 'W-3', queue: [] },
    ])
  })

  test('cages.csv is refused with the mistake in each line', async () => {
    const lines = [
      'Main,,Club v Dart,',
      '1,busy,Club v Dart,',
      '3,,Club v Fang,',
      '4,,,W-2 | nothing',
    ]
    const folder = await folderOf({ ...day, 'cages.csv': cages('2,,,', '2,,,', ...lines) })
    const { out, status } = await run('csv', folder, '--out', join(folder, 'league.cageside'))
    expect(status).toBe(1)
    for (const [index, reason] of [
      'cage 2 has two lines',
      "'Main' is not a cage",
      "'busy' is not a status",
      "there is no fight 'Club v Fang'",
      "there is no fight 'nothing'",
    ].entries()) {
      expect(out).toContain(`cages.csv:${index + 3}  ${reason}`)
    }
  })
})

describe('the command line', () => {
  test.each([
    [['csv'], 'one folder is expected (see --help)'],
    [['nowhere'], 'SOURCE must be one of'],
    [['csv', 'x', '--colour'], "Unknown option '--colour' (see --help)"],
    [['csv', 'x', '--prune'], "Unknown option '--prune' (see --help)"],
    [['csv', '/nonexistent', '--out', 'x.cageside'], 'there is no such file or folder (ENOENT)'],
    [['csv', 'x', '--time-zone', 'Mars'], '--time-zone must be a name'],
    [['api', 'ftp://league.example'], 'BASE must be an http(s) address'],
    [['api', 'http://league.example', '--rate', '0'], '--rate must be a number from'],
    [['recordings'], 'one file is expected'],
  ])('the command line refuses %p in one line', async (args, message) => {
    const { err, status } = await run(...args)
    expect([status, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(message)
  })

  test.each([[], ['api'], ['csv'], ['recordings']])(
    'the command line has help for %p',
    async (...source) => {
      const { out, status } = await run(...source, '--help')
      expect(status).toBe(0)
      expect(out).toStartWith('Usage: bun run import')
    },
  )
})
