import { describe, expect, test } from 'bun:test'
import { type Archive, updateArchive } from '../../../src/data/archive/archive.ts'
import { loadTournament } from '../../../src/data/archive/load.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { makeBody } from '../../../src/http/encoding.ts'
import { createMoments, type Moment } from '../../../src/http/moment.ts'
import { createResponseCache, isValid, versionFor } from '../../../src/http/responseCache.ts'
import { createSharedHeaders } from '../../../src/http/responses.ts'
import { type TrackedArchive, trackReads } from '../../../src/http/trackedArchive.ts'
import { archiveOf, serviceOf } from '../../fixtures.ts'
import { clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../../rows.ts'

const now = 1_770_003_600

const rowsOf = (id: string, over: Partial<TournamentRows> = {}): TournamentRows =>
  tournamentOf(
    { id },
    ['Axe', 'Blade', 'Club'].map((name) => ({ id: name, name })),
    [fightRows({ id: 'W-0', winAnnotation: 'KO' }, 'Axe', 'Blade', 0)],
    {
      recordings: [recordingRow({ id: id.length })],
      clips: [clipRow({ token: `${id}-clip` })],
      stills: [stillRow({ id: id.length, token: `${id}-still`, playerId: 'Axe' })],
      ...over,
    },
  )

const tournamentWith =
  (id: string) =>
  ({ lookup }: TrackedArchive): unknown =>
    lookup(id === 'first' ? first : second)
const first = ({ dataset }: Pick<Archive, 'dataset'>) => dataset.tournamentsByID.get('first')
const second = ({ dataset }: Pick<Archive, 'dataset'>) => dataset.tournamentsByID.get('second')

/** A cache behind a service, and what a request stores in it. */
const opened = () => {
  let archive = archiveOf(rowsOf('first'), rowsOf('second'))
  const cache = createResponseCache()
  const present = createMoments(
    { ...serviceOf(undefined), archive: () => archive, now: () => now },
    cache.dropOutdated,
  )
  const store = async (key: string, moment: Moment, read: (archive: TrackedArchive) => unknown) => {
    const { tracked, reads } = trackReads(moment.archive ?? archive, now)
    read(tracked)
    const response = {
      ...reads(),
      key,
      route: key,
      headers: createSharedHeaders()({}),
      link: undefined,
      modified: undefined,
      body: await makeBody(new TextEncoder().encode(key)),
      madeUnix: now,
      checkedVersion: versionFor(reads(), moment),
    }
    cache.store(response, present())
  }
  const replace = async (id: string, rows: TournamentRows | undefined): Promise<void> => {
    const tournament = rows && loadTournament(rows, () => undefined)?.tournament
    const version = `after ${archive.version}`
    archive = await updateArchive(archive, version, new Map([[id, tournament]]), {
      cages: [],
      cageQueue: [],
    })
  }
  const storeAll = async (moment: Moment): Promise<void> => {
    await store('first', moment, tournamentWith('first'))
    await store('second', moment, tournamentWith('second'))
    await store('list', moment, ({ dataset }) => dataset)
  }
  const held = () => ['first', 'second', 'list'].filter((key) => cache.find(key) !== undefined)
  return { cache, present, replace, storeAll, held }
}

test('a response is valid up to two seconds before it was made, but not earlier', async () => {
  const { cache, present, storeAll } = opened()
  await storeAll(present())
  const response = cache.find('first')
  if (!response) throw new Error('nothing is stored')
  const at = (time: number) => isValid(response, { ...present(), now: time })
  expect([at(now), at(now - 2), at(now - 3)]).toEqual([true, true, false])
})

test('a requested URL stays known while another has many values of a header', async () => {
  const { cache, present, storeAll } = opened()
  await storeAll(present())
  const requested = (path: string, accept: string) =>
    new Request(`http://localhost/${path}`, { headers: { accept } })
  const [plain, varied] = [requested('plain', '*/*'), requested('', '*/*')]
  cache.learnAddress(plain, 'first', { variesBy: [], ignored: undefined })
  const learn = (request: Request) =>
    cache.learnAddress(request, 'second', { variesBy: ['accept'], ignored: undefined })
  learn(varied)
  for (let index = 0; index < 10_000; index += 1) {
    learn(requested('', `text/x-${index}`))
    if (index % 1000 > 0) continue
    expect([plain, varied].map((each) => cache.findByAddress(each)?.response.key)).toEqual([
      'first',
      'second',
    ])
  }
})

test('a response of more than half of the memory is not kept, and displaces no other one', async () => {
  const { cache, present, storeAll, held } = opened()
  await storeAll(present())
  const first = cache.find('first')
  if (!first) throw new Error('nothing is stored')
  const storeOf = (key: string, megabytes: number) => {
    const identity = new Blob([new Uint8Array(megabytes * 2 ** 20)])
    cache.store({ ...first, key, body: { etag: key, size: 0, blobs: { identity } } }, present())
    return cache.find(key) !== undefined
  }
  expect([storeOf('large', 9), storeOf('largest', 11)]).toEqual([true, false])
  expect(held()).toEqual(['first', 'second', 'list'])
})

describe('dropOutdated', () => {
  const removals: Readonly<Record<string, TournamentRows | undefined>> = {
    tournament: undefined,
    clip: rowsOf('second', { clips: [] }),
    still: rowsOf('second', { stills: [] }),
    recording: rowsOf('second', { recordings: [] }),
    player: rowsOf('second', { players: rowsOf('second').players.slice(0, 2) }),
  }
  for (const [what, rows] of Object.entries(removals)) {
    test(`a removed ${what} leaves no response that read it`, async () => {
      const { present, replace, storeAll, held } = opened()
      const before = present()
      await storeAll(before)
      expect(held()).toEqual(['first', 'second', 'list'])
      await replace('second', rows)
      expect(present()).not.toBe(before)
      expect(held()).toEqual(['first'])
      // A request that began before the removal.
      await storeAll(before)
      expect(held()).toEqual(['first'])
      await storeAll(present())
      expect(held()).toEqual(['first', 'second', 'list'])
    })
  }

  test('old responses are kept after a change that removes nothing', async () => {
    const { present, replace, storeAll, held } = opened()
    await storeAll(present())
    await replace(
      'second',
      rowsOf('second', { clips: [clipRow({ token: 'second-clip', likes: 9 })] }),
    )
    present()
    expect(held()).toEqual(['first', 'second', 'list'])
  })
})
