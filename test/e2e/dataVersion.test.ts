import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { load } from '../../scripts/load.ts'
import { takeSnapshot } from '../../scripts/snapshot.ts'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { checkCages, checkTournament } from '../../src/data/source/check.ts'
import { readSnapshot, writeSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic, isShownClip } from '../../src/data/source/visibility.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, get } from '../fixtures.ts'
import { openDatabase, openFollower } from '../leagueDatabase.ts'
import { administer } from '../postgres.ts'
import { present } from '../present.ts'
import { projectFolder, temporaryFolder } from '../process.ts'
import { capturedAt, smallLeague } from '../smallLeague.ts'

const log = createLog('silent')
const opened: OpenedService[] = []
const ready = async (service: OpenedService): Promise<OpenedService> => {
  opened.push(service)
  await service.firstLoad
  return service
}
const versionsOf = (service: OpenedService) => {
  const { version, dataVersion } = present(service.archive())
  return { version, dataVersion }
}

const { database } = await openDatabase()

describe('the version of the data', () => {
  let [folder, sample] = ['', '']
  let snapshot: OpenedService
  let postgres: OpenedService
  const follow = async () => ready(await openFollower(database.readerUrl))
  /** Applies a statement between two refreshes, and waits for the ones that read it. */
  const apply = async (service: OpenedService, statement: string): Promise<void> => {
    while (service.status().lastRefresh.changedRows > 0) await Bun.sleep(1)
    await administer(database.adminUrl, statement)
    while (service.status().lastRefresh.changedRows === 0) await Bun.sleep(1)
    while (service.status().lastRefresh.changedRows > 0) await Bun.sleep(1)
  }
  beforeAll(async () => {
    folder = await temporaryFolder()
    sample = join(folder, 'league.cageside')
    await writeSnapshot(sample, { capturedAt, ...smallLeague })
    await load(database.adminUrl, sample)
    snapshot = await ready(openSnapshot(sample, log))
    postgres = await follow()
  })
  afterAll(() => Promise.all(opened.map((service) => service.stop())))

  test('the version of a snapshot equals the version of the Postgres it was loaded into', async () => {
    expect(versionsOf(postgres)).toEqual(versionsOf(snapshot))
    const now = snapshot.now()
    const header = async (service: OpenedService) =>
      (await get(appOf({ ...service, now: () => now }), '/tournaments')).headers.get(
        'x-data-version',
      )
    expect(await header(postgres)).toBe(await header(snapshot))
  })

  test('the version does not depend on format, compression, time or hidden rows of a file', async () => {
    const taken = join(folder, 'taken.cageside')
    await takeSnapshot(database.readerUrl, taken)
    const bare = join(folder, 'bare.cageside')
    const given = await readSnapshot(sample)
    await writeSnapshot(bare, {
      capturedAt: 1,
      ...checkCages(given.cages, () => {}),
      tournaments: [...given.tournaments()].flatMap((unchecked) => {
        const rows = checkTournament(unchecked, () => {})
        if (!rows || !isPublic(rows.tournament)) return []
        return [{ ...rows, clips: rows.clips.filter(isShownClip) }]
      }),
    })
    for (const path of [taken, bare]) {
      const service = await ready(openSnapshot(path, log))
      expect(versionsOf(service)).toEqual(versionsOf(snapshot))
    }
  })

  test('the version of a file of format 4 equals the version of the same league in the current format', async () => {
    const old = join(projectFolder, 'test/snapshots/version4.cageside')
    const given = await readSnapshot(old)
    const copy = join(folder, 'copy.cageside')
    await writeSnapshot(copy, {
      capturedAt: given.capturedAt,
      ...checkCages(given.cages, () => {}),
      tournaments: [...given.tournaments()].flatMap(
        (rows) => checkTournament(rows, () => {}) ?? [],
      ),
    })
    const [before, after] = [
      await ready(openSnapshot(old, log)),
      await ready(openSnapshot(copy, log)),
    ]
    expect(versionsOf(before)).toEqual(versionsOf(after))
    expect(versionsOf(before)).not.toEqual(versionsOf(snapshot))
  })

  test('the version returns with the data, and ignores hidden or empty writes', async () => {
    const service = await follow()
    const before = versionsOf(service)
    const name = (text: string) =>
      `UPDATE cageside.players SET name = '${text}' || substr(name, 2) WHERE name LIKE '_%'`
    const [{ name: original } = { name: '' }] = present(service.archive()).bots
    await apply(
      service,
      `CREATE TABLE public.names AS SELECT * FROM cageside.players; ${name('Q')}`,
    )
    expect(versionsOf(service)).not.toEqual(before)
    expect(original).not.toBe('')
    await apply(
      service,
      `UPDATE cageside.players p SET name = n.name FROM public.names n
       WHERE (p.tournament_id, p.id) = (n.tournament_id, n.id); DROP TABLE public.names`,
    )
    expect(versionsOf(service)).toEqual(before)
    await apply(service, `UPDATE cageside.games SET notice = notice`)
    await apply(service, `UPDATE cageside.clips SET views = views + 1 WHERE NOT is_public`)
    expect(versionsOf(service)).toEqual(before)
    expect(versionsOf(await follow())).toEqual(before)
  })

  test('the version changes with the cages, but the data version does not', async () => {
    const service = await follow()
    const before = versionsOf(service)
    await administer(
      database.adminUrl,
      `UPDATE cageside.cages SET update_time = update_time + '1 s'`,
    )
    while (service.archive()?.version === before.version) await Bun.sleep(1)
    expect(versionsOf(service).dataVersion).toBe(before.dataVersion)
    await administer(
      database.adminUrl,
      `UPDATE cageside.cages SET update_time = update_time - '1 s'::interval`,
    )
    while (service.archive()?.version !== before.version) await Bun.sleep(1)
  })
})
