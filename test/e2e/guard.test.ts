import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { nothingHidden } from '../../src/data/archive/hidden.ts'
import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { openLastGood } from '../../src/data/following/lastGood.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { connect, type Source } from '../../src/data/source/connection.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase, insertRows, openDatabase } from '../leagueDatabase.ts'
import { keepRows } from '../postgres.ts'
import { present } from '../present.ts'
import { startService, stopService, temporaryFolder } from '../process.ts'
import { sampleLeague as sample } from '../smallLeague.ts'
import { until } from '../until.ts'

const tournaments = [...sample.tournaments]
  .filter(({ tournament, games }) => isPublic(tournament) && games.length > 0)
  .sort((a, b) => a.games.length - b.games.length)
  .slice(0, 6)
const ids = tournaments.map(({ tournament }) => tournament.id)

const { database, admin } = await openDatabase({ tournaments })
await admin`ALTER TABLE cageside.recordings DROP CONSTRAINT recordings_http_status_check`
await admin`ALTER TABLE cageside.games DROP CONSTRAINT games_state_check`
const reset = await keepRows(admin)
const opened: OpenedService[] = []
/** The data folder of the services of a test. */
let dataDir: string
const stopAll = () => Promise.all(opened.splice(0).map((service) => service.stop()))
afterAll(stopAll)
beforeEach(async () => {
  await stopAll()
  dataDir = await temporaryFolder()
  await reset()
})

const nowhere = 'postgres://nobody@127.0.0.1:1/nowhere'
const open = async (url = database.readerUrl): Promise<OpenedService> => {
  const service = await followDatabase(url, { compareAllMs: 20, deadlineMs: 2000, dataDir })
  opened.push(service)
  return service
}
const settled = (service: OpenedService) => until(() => service.status().lastRefresh.error === null)
const refused = (service: OpenedService) =>
  until(() => service.status().lastRefresh.error?.startsWith('refused') === true)
/** A service once it has read the database. */
const openSettled = async (): Promise<OpenedService> => {
  const service = await open()
  await settled(service)
  return service
}
const healthOf = async (service: OpenedService) => (await get(appOf(service), '/health')).body
const servedIDs = (service: OpenedService) =>
  present(service.archive())
    .dataset.tournaments.map(({ info }) => info.id)
    .toSorted()
const fightsOf = (service: OpenedService) => present(service.archive()).dataset.fights.length
const restart = async (service: OpenedService): Promise<OpenedService> => {
  await service.stop()
  opened.splice(opened.indexOf(service), 1)
  return open()
}
const openFile = () => openLastGood(dataDir, createLog('silent'))
/** A restore that goes wrong: the rows are gone, and no trigger ran. */
const vanish = async (...gone: readonly string[]): Promise<void> => {
  await admin`DELETE FROM cageside.tournaments WHERE id IN ${admin([...gone])}`
  await admin`TRUNCATE cageside.tombstones`
}

describe('unexplained losses', () => {
  test('unexplained losses hold back only the tournaments concerned', async () => {
    const service = await openSettled()
    const before = fightsOf(service)
    const gone = ids.slice(1)
    await vanish(...gone)
    await refused(service)
    await admin`UPDATE cageside.tournaments SET name = 'Goes on' WHERE id = ${ids[0] ?? ''}`
    await until(
      () =>
        present(service.archive()).dataset.tournamentsByID.get(ids[0] ?? '')?.info.name ===
        'Goes on',
    )
    expect(fightsOf(service)).toBe(before)
    const health = await healthOf(service)
    expect(health.status).toBe('degraded')
    expect(health.lastRefresh.error).toMatch(/^refused: \d+ of \d+ fights would be lost$/)
    expect(
      health.heldBack.map((each: { tournamentID: string }) => each.tournamentID).toSorted(),
    ).toEqual(gone.toSorted())
    expect(health.heldBack[0]).toMatchObject({
      fights: expect.any(Number),
      reason: 'the tournament is missing without having been deleted',
    })
    // A tournament that returns is followed again.
    await admin`DELETE FROM cageside.tournaments`
    await admin`TRUNCATE cageside.tombstones`
    await insertRows(database.adminUrl, { tournaments })
    await settled(service)
    expect(await healthOf(service)).toMatchObject({ status: 'ok', heldBack: [] })
  })

  test('unexplained losses stay refused when a larger league replaces them, and leave no trace', async () => {
    const service = await openSettled()
    const before = present(service.archive()).dataVersion
    const others = [...sample.tournaments].filter(
      ({ tournament }) => isPublic(tournament) && !ids.includes(tournament.id),
    )
    await vanish(...ids)
    await insertRows(database.adminUrl, { tournaments: others })
    await until(() => servedIDs(service).length === ids.length + others.length)
    for (let refreshes = 0; refreshes < 3; refreshes += 1) {
      await refused(service)
      const { lastRefresh } = service.status()
      await until(() => service.status().lastRefresh !== lastRefresh)
    }
    await vanish(...others.map(({ tournament }) => tournament.id))
    await insertRows(database.adminUrl, { tournaments })
    await settled(service)
    expect(present(service.archive()).dataVersion).toBe(before)
  })

  test('a tournament with bad rows is held back until they are repaired', async () => {
    const service = await openSettled()
    const before = fightsOf(service)
    await admin`UPDATE cageside.games SET state = 'bogus-' || state`
    await refused(service)
    expect(fightsOf(service)).toBe(before)
    const { heldBack } = await healthOf(service)
    expect(heldBack[0].reason).toMatch(/^\d+ of its rows break their schema$/)
    await admin`UPDATE cageside.games SET state = substr(state, 7)`
    await settled(service)
    expect(fightsOf(service)).toBe(before)
    expect((await healthOf(service)).counts.badRows).toBe(0)
  })

  test('a tournament that is no longer held back is served as in the database', async () => {
    const service = await openSettled()
    const [released = '', ...others] = ids
    const own = () => present(service.archive()).dataset.tournamentsByID.get(released)
    const [lost] = own()?.fights ?? []
    await admin`UPDATE cageside.games SET state = 'bogus-' || state
      WHERE tournament_id <> ${released} OR id = ${lost?.id ?? ''}`
    await admin`UPDATE cageside.tournaments SET name = 'Meanwhile' WHERE id = ${released}`
    await until(() =>
      ids.every((id) => service.status().heldBack?.some(({ tournamentID }) => tournamentID === id)),
    )
    expect(own()?.info.name).not.toBe('Meanwhile')
    expect(own()?.fights.some(({ id }) => id === lost?.id)).toBe(true)
    // Only few rows are lost now. The tournament itself no longer changes.
    await admin`UPDATE cageside.games SET state = substr(state, 7)
      WHERE tournament_id IN ${admin(others)}`
    await until(() => own()?.info.name === 'Meanwhile')
    expect(own()?.fights.some(({ id }) => id === lost?.id)).toBe(false)
    await settled(service)
    expect(await healthOf(service)).toMatchObject({ heldBack: [], counts: { badRows: 1 } })
  })

  test('a held-back tournament still loses hidden rows: itself, its clips and stills', async () => {
    const service = await openSettled()
    const withMedia = present(service.archive()).dataset.tournaments.find(
      ({ clips, stills }) => clips.length > 1 && stills.length > 1,
    )
    const [clip, deleted] = withMedia?.clips ?? []
    const [still] = withMedia?.stills ?? []
    const [hidden = '', ...others] = ids.filter((id) => id !== withMedia?.info.id)
    if (!withMedia || !clip || !deleted || !still) throw new Error('the sample has no media')
    await admin`UPDATE cageside.games SET state = 'bogus'`
    await refused(service)
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${hidden}`
    await until(() => !servedIDs(service).includes(hidden))
    await admin`UPDATE cageside.clips SET is_public = false WHERE token = ${clip.token}`
    await admin`DELETE FROM cageside.clips WHERE token = ${deleted.token}`
    await admin`DELETE FROM cageside.stills WHERE id = ${still.id}`
    const now = () => present(service.archive()).dataset.tournamentsByID.get(withMedia.info.id)
    await until(() => now()?.clips.some(({ token }) => token === clip.token) === false)
    await until(() => now()?.clips.some(({ token }) => token === deleted.token) === false)
    await until(() => now()?.stills.some(({ id }) => id === still.id) === false)
    expect(now()?.fights).toHaveLength(withMedia.fights.length)
    expect(servedIDs(service)).toEqual([withMedia.info.id, ...others].toSorted())
  })

  test('tournaments that were hidden and then deleted before the next refresh are not held back', async () => {
    const service = await openSettled()
    await service.stop()
    const [kept = '', hidden = '', ...others] = ids
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id <> ${kept}`
    await admin`DELETE FROM cageside.tournaments WHERE id IN ${admin(others)}`
    await vanish()
    await admin`UPDATE cageside.tournaments SET is_test = true WHERE id = ${hidden}`
    const again = await open()
    await until(() => again.status().lastRefresh.error !== 'the database has not been read yet')
    // The deleted ones are held back without tombstones, but not the hidden one.
    expect(servedIDs(again)).toEqual([kept, ...others].toSorted())
    await again.stop()
  })

  test('tournaments that were hidden and deleted, with tombstones without an id, are not held back', async () => {
    const service = await openSettled()
    await service.stop()
    const [kept = '', ...others] = ids
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id <> ${kept}`
    await admin`DELETE FROM cageside.tournaments WHERE id IN ${admin(others)}`
    const again = await openSettled()
    expect(servedIDs(again)).toEqual([kept])
  })

  test('tournaments that were hidden with the triggers off are not held back', async () => {
    const service = await openSettled()
    const [kept = ''] = ids
    await admin.begin(async (sql) => {
      await sql`ALTER TABLE cageside.tournaments DISABLE TRIGGER ALL`
      await sql`UPDATE cageside.tournaments SET privacy = 'unlisted' WHERE id <> ${kept}`
      await sql`ALTER TABLE cageside.tournaments ENABLE TRIGGER ALL`
    })
    await until(() => servedIDs(service).length === 1)
    await settled(service)
    expect(servedIDs(service)).toEqual([kept])
  })

  test('unexplained losses are also held back after a restart, and the file stays', async () => {
    const service = await openSettled()
    const before = fightsOf(service)
    await vanish(...ids)
    await refused(service)
    const again = await restart(service)
    await refused(again)
    expect(fightsOf(again)).toBe(before)
    expect((await healthOf(again)).heldBack).toHaveLength(ids.length)
    await again.stop()
    const { tournamentCount } = await readSnapshot(join(dataDir, 'last-good.cageside'))
    expect(tournamentCount).toBe(ids.length)
    // The log names this remedy.
    for (const name of await readdir(dataDir)) {
      if (name.startsWith('last-good.')) await rm(join(dataDir, name))
    }
    const accepted = await open()
    expect(fightsOf(accepted)).toBe(0)
  })

  test('deletions while the service was away are accepted', async () => {
    const service = await openSettled()
    await service.stop()
    await admin`DELETE FROM cageside.tournaments WHERE id IN ${admin(ids.slice(1))}`
    const again = await openSettled()
    expect(servedIDs(again)).toEqual(ids.slice(0, 1))
  })
})

describe('hidden rows without the database', () => {
  test('rows hidden while the service was away are never served by the next start', async () => {
    const service = await open()
    const clip = present(service.archive()).clips.newestFirst[0]
    await service.stop()
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${ids[0] ?? ''}`
    await admin`UPDATE cageside.clips SET is_public = false WHERE token = ${clip?.token ?? ''}`
    const again = await open()
    // The first answer is already without them, not only the first refresh.
    expect(servedIDs(again)).toEqual(ids.slice(1).toSorted())
    expect(present(again.archive()).clips.byToken.has(clip?.token ?? '')).toBe(false)
  })

  /** Files at the time of a kill: nothing is saved after this. */
  const leagueNow = async () => {
    const source = connect(database.readerUrl)
    const { league } = await refreshLeague(source, emptyLeague)
    await source.close()
    return { league, archive: present(league.archive) }
  }
  const hideFirst = async () => {
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${ids[0] ?? ''}`
    return leagueNow()
  }

  test('hidden rows stay hidden if the archive could not be saved after them', async () => {
    const lastGood = openFile()
    const before = await leagueNow()
    expect(await lastGood.save(before.league, 1_770_000_000)).toBe(true)
    const after = await hideFirst()
    expect(await lastGood.recordHidden(before.archive, after.archive)).toBe(true)
    const killed = await open(nowhere)
    expect(servedIDs(killed)).toEqual(ids.slice(1).toSorted())
    // A save without the tournament makes its entry superfluous, and it may return later.
    expect(await lastGood.save(after.league, 1_770_000_001)).toBe(true)
    await admin`UPDATE cageside.tournaments SET privacy = 'public' WHERE id = ${ids[0] ?? ''}`
    expect(await lastGood.save((await leagueNow()).league, 1_770_000_002)).toBe(true)
    await killed.stop()
    expect(servedIDs(await open(nowhere))).toEqual(ids.toSorted())
  })

  test('a journal of hidden rows damaged in any byte hides everything until the next save', async () => {
    const journal = join(dataDir, 'last-good.hidden')
    const killed = openFile()
    const before = await leagueNow()
    expect(await killed.save(before.league, 1_770_000_000)).toBe(true)
    const after = await hideFirst()
    await killed.recordHidden(before.archive, after.archive)
    const noted = Buffer.from(await Bun.file(journal).bytes())
    const read = () => openFile().read(Promise.resolve(nothingHidden))
    const served = async () => (await read())?.league.archive?.dataset.tournaments.length
    expect(await served()).toBe(ids.length - 1)
    for (let at = 0; at < 16; at += 1) {
      await Bun.write(
        journal,
        noted.map((byte, index) => (index === at ? byte ^ 1 : byte)),
      )
      expect(await read()).toBeUndefined()
    }
    const next = openFile()
    expect(await next.read(Promise.resolve(nothingHidden))).toBeUndefined()
    expect(await next.save(after.league, 1_770_000_001)).toBe(true)
    expect(await served()).toBe(ids.length - 1)
  })

  test('a hidden row is on disk before the first archive without it is served', async () => {
    const service = await openSettled()
    const journal = join(dataDir, 'last-good.hidden')
    const isEmpty = () => readFileSync(journal).every((byte) => byte === 0)
    expect(isEmpty()).toBe(true)
    const hidden = ids[0] ?? ''
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${hidden}`
    while (present(service.archive()).dataset.tournamentsByID.has(hidden)) await setImmediate()
    expect(isEmpty()).toBe(false)
  })

  test('hidden rows stay hidden if the process is killed at the first answer without them', async () => {
    const [hidden = '', kept = ''] = ids
    const start = (url: string) =>
      startService({ DATABASE_URL: url, DATA_DIR: dataDir, REFRESH_MS: '100', PAGES: '0' })
    const service = await start(database.readerUrl)
    const statusOf = async ({ url }: typeof service, id: string) =>
      (await fetch(`${url}/tournaments/${id}`)).status
    await until(() => Bun.file(join(dataDir, 'last-good.cageside')).exists())
    expect(await statusOf(service, hidden)).toBe(200)
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${hidden}`
    while ((await statusOf(service, hidden)) === 200);
    service.process.kill('SIGKILL')
    await service.process.exited
    const again = await start(nowhere)
    expect([await statusOf(again, hidden), await statusOf(again, kept)]).toEqual([404, 200])
    await stopService(again)
  })

  test('rows hidden while the league was first loaded are never served', async () => {
    const source = connect(database.readerUrl)
    let transactions = 0
    // There are more tournaments than one transaction reads; the third one reads a part.
    const hiding: Source = {
      ...source,
      transaction: async (read) => {
        const result = await source.transaction(read)
        transactions += 1
        if (transactions === 3) {
          await admin`UPDATE cageside.tournaments SET privacy = 'private'
            WHERE id IN ${admin(ids)}`
        }
        return result
      },
    }
    await admin`INSERT INTO cageside.tournaments
      SELECT 'z' || n, 'Z', now(), NULL, NULL, NULL, now(), 30, true, false, false, 'public',
        'single_elimination', 'points', '{KO}', 1, '1' FROM generate_series(1, 30) AS n`
    const { league } = await refreshLeague(hiding, emptyLeague)
    expect(transactions).toBeGreaterThan(3)
    expect([...league.entries.keys()].filter((id) => ids.includes(id))).toEqual([])
    expect(league.archive?.dataset.tournaments).toHaveLength(30)
    await source.close()
  })

  test('the file is removed if hidden rows cannot be recorded', async () => {
    const lastGood = openFile()
    const before = await leagueNow()
    expect(await lastGood.save(before.league, 1_770_000_000)).toBe(true)
    expect(await lastGood.save(before.league, 1_770_000_001)).toBe(true)
    const after = await hideFirst()
    await rm(join(dataDir, 'last-good.hidden'))
    await Bun.write(join(dataDir, 'last-good.hidden', 'a folder in its place'), '')
    await lastGood.recordHidden(before.archive, after.archive)
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.cageside'))).toEqual([])
  })

  test('a damaged last good file is not read, and does not replace the one before', async () => {
    const lastGood = openFile()
    const { league } = await leagueNow()
    const files = ['last-good.cageside', 'last-good.previous.cageside'].map((name) =>
      join(dataDir, name),
    )
    expect(await lastGood.save(league, 1_770_000_000)).toBe(true)
    expect(await lastGood.save(league, 1_770_000_001)).toBe(true)
    const [current = '', previous = ''] = files
    expect((await readSnapshot(previous)).capturedAt).toBe(1_770_000_000)
    await Bun.write(current, 'damaged')
    const degraded = await open(nowhere)
    expect(servedIDs(degraded)).toEqual(ids.toSorted())
    await degraded.stop()
    expect((await readSnapshot(previous)).capturedAt).toBe(1_770_000_000)
  })
})

describe('a start', () => {
  test('a start answers from the file at once, even if the database is silent', async () => {
    await (await open()).stop()
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    const url = `postgres://nobody:x@127.0.0.1:${silent.port}/nowhere`
    await using service = await followDatabase(url, { deadlineMs: 60_000, dataDir })
    expect(service.status().lastRefresh.error).toBe('the database has not been read yet')
    expect(servedIDs(service)).toEqual(ids.toSorted())
    expect(await healthOf(service)).toMatchObject({ status: 'degraded' })
    silent.stop(true)
  })

  test('a start continues from the mark of the file, and reads only changes', async () => {
    await (await open()).stop()
    await admin`UPDATE cageside.tournaments SET name = 'Meanwhile' WHERE id = ${ids[0] ?? ''}`
    const source = connect(database.readerUrl)
    const lastGood = openFile()
    const saved = present(await lastGood.read(Promise.resolve(nothingHidden)))
    expect(saved.league.seen.size).toBe(ids.length)
    const { changedRows, league } = await refreshLeague(source, saved.league)
    expect(changedRows).toBe(1)
    const [, ...others] = ids
    expect(league.entries.get(ids[0] ?? '')?.tournament.info.name).toBe('Meanwhile')
    for (const id of others) expect(league.entries.get(id)).toBe(saved.league.entries.get(id))
    await source.close()
  })

  test('setting the clock does not change the age of the data', async () => {
    const service = await openSettled()
    const realNow = Date.now
    try {
      Date.now = () => realNow() - 3_600_000
      expect((await healthOf(service)).ageSeconds).toBeLessThan(1800)
      Date.now = () => realNow() + 3_600_000
      expect((await healthOf(service)).ageSeconds).toBeLessThan(1800)
    } finally {
      Date.now = realNow
    }
  })
})
