import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { App } from '../../src/app.ts'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { openSnapshot } from '../../src/data/archive/fromSnapshot.ts'
import { cleanName as cleanNameOf } from '../../src/data/league/cleanName.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, deepFreeze, readBody } from '../fixtures.ts'
import { legacyBrackets, legacyRow } from '../legacyRow.ts'
import { present } from '../present.ts'
import { projectFolder } from '../process.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'
import { sizeOf } from '../smallLeague.ts'
import { withoutClocks } from './runningClock.ts'

const sample = join(projectFolder, 'snapshot/sample.cageside')

type Row = Readonly<Record<string, unknown>>
type Rows = readonly Row[]

/** The fields of a row that FightSummary has not. */
const ownFields = ['calledSince', 'availableSince', 'privacy', 'isTest', 'isFreestyle'] as const

/** A legacy row without what the current API does not say of a fight. */
const shared = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => name !== 'winner' && !ownFields.some((own) => own === name),
    ),
  )

const expectTexts = (row: Row, more: readonly string[] = []): void => {
  expect(Object.values(row).every((value) => typeof value === 'string')).toBe(true)
  for (const name of [...ownFields, ...more]) expect(row[name]).toBeString()
  for (const name of ['player1wins', 'player2wins', 'isTest', 'isFreestyle']) {
    expect(['0', '1']).toContain(String(row[name]))
  }
  for (const name of ['round', 'matchLength', 'cams']) expect(row[name]).toMatch(/^-?\d+$/)
  for (const name of ['startTime', 'stopTime', 'endTime', 'calledSince', 'availableSince']) {
    expect(row[name]).toMatch(/^([1-9]\d*)?$/)
  }
}

describe('every script over the sample, beside what supersedes it', () => {
  let service: OpenedService
  let app: App
  const read = (path: string) => readBody(app, path)
  const legacy = (path: string) => read(`/legacy/${path}`)
  const names = async (): Promise<string[]> => {
    const { tournaments } = await read('/tournaments')
    return tournaments.map(({ tournamentID }: { tournamentID: string }) => tournamentID)
  }
  const everyBot = async (): Promise<{ name: string; cleanName: string }[]> => {
    const bots = []
    for (let page = 1; ; page += 1) {
      const body = await read(`/bots?limit=200&page=${page}`)
      bots.push(...body.bots)
      if (page >= body.pagination.pages) return bots
    }
  }
  beforeAll(async () => {
    const { capturedAt } = await readSnapshot(sample)
    service = openSnapshot(sample, createLog('silent'))
    await service.firstLoad
    deepFreeze(service.archive())
    app = appOf({ ...service, now: () => capturedAt })
  })

  test('tournamentSource: every tournament', async () => {
    const list = await legacy('tournamentSource.php?function=getLocalTournaments')
    expect(list).toEqual(await read('/tournaments'))
    for (const id of await names()) {
      const path = `/tournaments/${encodeURIComponent(id)}`
      const whole = await legacy(
        `tournamentSource?function=getSingleTournament&params%5BtournamentId%5D=${encodeURIComponent(id)}`,
      )
      const { games, ...rest } = whole
      expect(rest).toEqual({
        ...(await read(path)),
        ...legacyBrackets(await read(`${path}/brackets`)),
      })
      expect(games).toEqual(
        rest.brackets.flatMap(({ bracketID, games }: { bracketID: string; games: Rows }) =>
          games.map((game) => ({ ...game, bracketID })),
        ),
      )
    }
  })

  test('getTournamentMatchesDataTables: every fight of every tournament', async () => {
    let rows = 0
    let wins = 0
    for (const id of await names()) {
      const query = `tournamentID=${encodeURIComponent(id)}`
      const table: { recordsTotal: number; recordsFiltered: number; data: Rows } = await legacy(
        `getTournamentMatchesDataTables?${query}`,
      )
      const path = `/tournaments/${encodeURIComponent(id)}`
      const { fights }: { fights: (Row & { startTime: number })[] } = await read(`${path}/fights`)
      const { brackets } = await read(`${path}/brackets`)
      const states = new Map<unknown, string>(
        brackets
          .flatMap(({ games }: { games: Rows }) => games)
          .map(({ id, state }: Row) => [id, state]),
      )
      expect(
        (await legacy(`getLatestMatches?${query}`)).map((row: Row) => shared(row)),
      ).toMatchObject(
        fights.map(({ expectedStart, expectedFrom, expectedTo, paused, ...row }) => legacyRow(row)),
      )
      const byStart = fights.toSorted((a, b) => b.startTime - a.startTime)
      const begun = byStart.filter(
        ({ id, startTime, winAnnotation, player1wins, player2wins }) =>
          states.get(id) === 'active' ||
          (states.get(id) === 'done' &&
            (startTime > 0 || winAnnotation !== '' || player1wins === 1 || player2wins === 1)),
      )
      expect(table.data.map(shared)).toEqual(begun.map(legacyRow))
      expect(table).toMatchObject({ recordsTotal: begun.length, recordsFiltered: begun.length })
      for (const row of table.data) {
        expectTexts(row, ['winner'])
        expect(row.winner).toBe(
          row.player1wins === '1' ? 'Red' : row.player2wins === '1' ? 'Blue' : '',
        )
        if (row.player1wins === '1') wins += 1
      }
      rows += table.data.length
    }
    expect(rows).toBeGreaterThan(1000)
    expect(wins).toBeGreaterThan(rows / 4)
  })

  test('fightsByBot: every bot, by clean and by display name', async () => {
    const bots = await everyBot()
    expect(bots.length).toBeGreaterThan(300)
    expect(bots.some(({ name }) => name.includes("'"))).toBe(true)
    expect(bots.some(({ name }) => name.includes('.'))).toBe(true)
    for (const { name, cleanName } of bots) {
      const { fights }: { fights: Rows } = await legacy(`fightsByBot?bot=${cleanName}`)
      const modern: { fights: Rows } = await read(`/bots/${cleanName}/fights`)
      expect(fights.map(shared)).toEqual(modern.fights.map(legacyRow))
      for (const row of fights) expectTexts(row)
      const byName = await legacy(`fightsByBot.php?bot=${encodeURIComponent(name)}`)
      expect(byName.fights).toEqual(fights)
    }
  })

  test('matchJSON: every seventh fight', async () => {
    let asked = 0
    for (const id of await names()) {
      const tournament = encodeURIComponent(id)
      const { fights } = await read(`/tournaments/${tournament}/fights`)
      for (const [index, { gameID }] of fights.entries()) {
        if (index % 7 !== 0) continue
        const game = encodeURIComponent(gameID)
        const details = await legacy(`matchJSON?gameID=${game}&tournamentID=${tournament}`)
        const { fight } = await read(`/tournaments/${tournament}/fights/${game}`)
        expect(details).toEqual(fight)
        for (const player of [details.player1, details.player2, details.tournament]) {
          for (const value of Object.values(player)) expect(value).toBeString()
        }
        for (const recording of details.recordings) {
          for (const value of Object.values(recording)) expect(value).toBeString()
        }
        asked += 1
      }
    }
    expect(asked).toBeGreaterThan(150)
  })

  test('recentFights: real numbers', async () => {
    for (const limit of [1, 20, 100]) {
      const { fights }: { fights: Rows } = await legacy(`recentFights?limit=${limit}`)
      const modern: { fights: Rows } = await read(`/fights/recent?limit=${limit}`)
      expect(fights).toHaveLength(limit)
      expect(fights).toEqual(
        modern.fights.map((fight) => ({ ...fight, fightDuration: fight.matchLength })),
      )
      for (const fight of fights) {
        for (const name of [
          ...['round', 'player1wins', 'player2wins', 'startTime', 'stopTime', 'matchLength'],
          ...['fightDuration', 'WeightClass'],
        ]) {
          expect(fight[name]).toBeInteger()
        }
      }
    }
  })

  test('botAutocomplete: beginnings of every tenth name', async () => {
    const bots = await everyBot()
    for (const { name } of bots.filter((_, index) => index % 10 === 0)) {
      const q = encodeURIComponent(name.slice(0, 6))
      const found: Rows = await legacy(`botAutocomplete?q=${q}`)
      const { bots }: { bots: Rows } = await read(`/search?q=${q}`)
      expect(found).toEqual(
        bots.map(({ name, cleanName }) => ({ label: name, value: name, cleanName })),
      )
    }
  })

  test('cageJSON, scheduledMatches, fightsLast24Hours, recentClips', async () => {
    const { cages } = await read('/cages')
    const { cage1, cage2, cage4, cage5, cage6 } = cages
    expect(withoutClocks(await legacy('cageJSON?all'))).toEqual(
      withoutClocks({ cage1, cage2, cage4, cage5, cage6 }),
    )
    for (const number of [1, 2, 3, 4, 5, 6, 7]) {
      expect(withoutClocks({ cage: await legacy(`cageJSON?cage=${number}`) })).toEqual(
        withoutClocks(await read(`/cages/${number}`)),
      )
    }
    expect(await legacy('scheduledMatches')).toEqual(await read('/schedule'))
    const { fights } = await legacy('fightsLast24Hours')
    expect({ fights, count: fights.length }).toEqual(await read('/fights/last24h'))
    expect(fights.some((fight: object) => 'startTime' in fight)).toBe(false)
    expect((await legacy('recentClips?limit=100')).clips).toEqual(
      (await read('/clips?limit=100')).clips,
    )
  })

  test('randomClips and herosGalleryAPI: what is curated', async () => {
    const archive = service.archive()
    const drawn: { clips: Rows } = await legacy('randomClips')
    expect(drawn.clips).toHaveLength(10)
    for (const clip of drawn.clips) {
      expect({ clip }).toEqual(await read(`/clips/${encodeURIComponent(String(clip.token))}`))
      expect(archive?.clips.curated.some(({ token }) => token === clip.token)).toBe(true)
    }
    const { robots } = await legacy('herosGalleryAPI')
    const shown: number[] = []
    for (const { tag, name, cleanName, images } of robots) {
      expect((await read(`/bots/${cleanName}`)).bot.botName).toBe(name)
      const { stills }: { stills: Rows } = await read(
        `/stills?heroesOnly&limit=100&bot=${cleanName}`,
      )
      for (const image of images) {
        // A tag from before the bot was spelt otherwise has the same clean name.
        expect(image.tags.map(String).map(cleanNameOf)).toContain(cleanNameOf(tag))
        expect(stills).toContainEqual(image)
        shown.push(image.stillID)
      }
    }
    const curated = archive?.stills.newestFirst.filter(
      ({ isHero, isCurated, bot }) => isHero && isCurated && bot,
    )
    expect(shown.toSorted()).toEqual(curated?.map(({ id }) => id).toSorted() ?? [])
    expect(shown.length).toBeGreaterThan(50)
  })
})

describe.each(addressings)('a program that knows two addresses, with %s', (addressing) => {
  let site: RunningSite
  beforeAll(async () => {
    site = await startSite(addressing, await sizeOf(addressing))
  })
  afterAll(() => site.stop())

  test('finds everything, and what supersedes it', async () => {
    const { url: current, legacyUrl: legacy } = site
    const read = async (address: string) => {
      const response = await fetch(address)
      expect({ address, status: response.status }).toEqual({ address, status: 200 })
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      return { response, body: JSON.parse(await response.text()) }
    }
    const source = `${legacy}/tournamentSource.php`
    const { body: list } = await read(`${source}?function=getLocalTournaments`)
    expect(list).toEqual((await read(`${current}/tournaments`)).body)
    for (const { tournamentID } of list.tournaments) {
      const id = encodeURIComponent(tournamentID)
      const { body: whole } = await read(
        `${source}?function=getSingleTournament&params[tournamentId]=${id}`,
      )
      expect(whole.tournament.tournamentID).toBe(tournamentID)
      const { body: table } = await read(
        `${legacy}/getTournamentMatchesDataTables.php?tournamentID=${id}&draw=1&start=0&length=2`,
      )
      for (const { gameID, player1, stopTime } of table.data) {
        const address = `${legacy}/matchJSON.php?gameID=${encodeURIComponent(gameID)}&tournamentID=${id}`
        const { response, body: match } = await read(address)
        const link = response.headers.get('link')?.match(/^<(.*)>; rel="successor-version"$/)
        const successor = new URL(present(link?.[1]), address)
        expect((await read(successor.href)).body).toEqual({ fight: match })
        if (stopTime === '') continue
        const bot = encodeURIComponent(player1)
        const { body: fights } = await read(`${legacy}/fightsByBot.php?bot=${bot}`)
        expect(fights.fights.map(({ id }: { id: string }) => id)).toContain(gameID)
      }
    }
    for (const name of [
      ...['recentFights', 'fightsLast24Hours', 'botAutocomplete', 'cageJSON', 'recentClips'],
      ...['randomClips', 'herosGalleryAPI', 'scheduledMatches'],
    ]) {
      const { body } = await read(`${legacy}/${name}.php`)
      if (name === 'randomClips') continue
      const { body: same } = await read(`${legacy}/${name}`)
      expect(withoutClocks(body)).toEqual(withoutClocks(same))
    }
    const elsewhere = legacy.replace(/\/\w+$/, '/elsewhere')
    for (const address of [`${elsewhere}/recentFights`, `${current}/recentFights.php`]) {
      expect((await fetch(address)).status).toBe(404)
    }
  })
})
