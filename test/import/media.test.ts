import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { clipRows, stillRows } from '../../scripts/import/api/media.ts'
import { readAddress } from '../../scripts/import/csv/cells.ts'
import { mediaFileAddress, openMediaFolder, smallerFile } from '../../scripts/import/csv/media.ts'
import { temporaryFolder } from '../process.ts'

const players = [
  { id: 'p1', name: 'Axe' },
  { id: 'p2', name: 'Blåde' },
  { id: 'p3', name: 'Cog' },
]

test('a still shows the player with its name, else with its clean name, else none', () => {
  const bots = [
    { name: 'Cog', cleanName: 'axe' },
    { name: 'BLADE', cleanName: 'blade' },
    { name: 'Nobody', cleanName: 'nobody' },
    null,
  ]
  const { stills } = stillRows(
    bots.map((bot, index) => ({ stillID: index + 1, bot })),
    players,
    undefined,
  )
  expect(stills.map(({ playerId }) => playerId)).toEqual(['p3', 'p2', null, null])
})

test('a still is curated if the gallery says so for a hero still of a bot', () => {
  const bot = { name: 'Axe' }
  const shown = [
    { stillID: 1, bot, isHero: 1 },
    { stillID: 2, bot, isHero: 1 },
    { stillID: 3, bot, isHero: 0 },
    { stillID: 4, isHero: 1 },
  ]
  const curated = (among: ReadonlySet<number> | undefined) =>
    stillRows(shown, players, among).stills.map(({ isCurated }) => isCurated)
  expect(curated(new Set([1, 3, 4]))).toEqual([true, false, undefined, undefined])
  expect(curated(undefined)).toEqual([undefined, undefined, undefined, undefined])
})

test('tags are kept once, sorted, without empty ones, and stills without a number are dropped', () => {
  const { stills, stillTags } = stillRows(
    [{ stillID: 1, tags: ['b', 'a', '', 'b'] }, { stillID: 0 }, { stillID: 'x' }],
    players,
    undefined,
  )
  expect(stills.map(({ id, token }) => [id, token])).toEqual([[1, 'still-1']])
  expect(stillTags).toEqual([
    { stillId: 1, tag: 'a' },
    { stillId: 1, tag: 'b' },
  ])
})

test('the length of a clip is kept to the millisecond, counts up to their limit', () => {
  const [clip] = clipRows([{ token: 'hit', duration: 7.125, views: 2 ** 40, likes: 2 ** 31 }])
  expect(clip).toMatchObject({
    durationMs: 7125,
    views: 2 ** 31 - 1,
    likes: 2 ** 31 - 1,
    createdTime: 0,
  })
})

test('films of a folder are the files that browsers and their users can play', async () => {
  const folder = await temporaryFolder()
  const films = ['a.mp4', 'b.M4V', 'c.mov', 'd.webm', 'e/f.mkv']
  for (const name of [...films, 'g.txt', 'mp4']) await Bun.write(join(folder, name), '')
  expect([...openMediaFolder(folder, undefined).names].sort()).toEqual(films)
})

test('a film has the name of its file, on any system, and a URL with that name', async () => {
  const folder = await temporaryFolder()
  for (const name of ['day 1/axe #1.mp4', 'day 1/axe #1_360p.mp4'])
    await Bun.write(join(folder, name), '')
  const films = openMediaFolder(folder, 'https://league.example/api/')
  for (const cell of ['day 1/axe #1.mp4', './day 1/axe #1.mp4', 'day 1\\axe #1.mp4'])
    expect(mediaFileAddress(films, cell)).toBe(
      'https://league.example/api/media/day%201/axe%20%231.mp4',
    )
  for (const address of ['http://media.example/a.mp4', 'https://media.example/a.mp4'])
    expect(readAddress(address, { media: films })).toBe(address)
  expect(() => mediaFileAddress(films, 'axe.mp4')).toThrow(`${folder} has no film 'axe.mp4'`)
  expect([360, 720].map((height) => smallerFile(films, 'day 1/axe #1.mp4', height))).toEqual([
    'day 1/axe #1_360p.mp4',
    '',
  ])
})

test.each(['NFC', 'NFD'] as const)(
  'a film named in %s letters is found in either form',
  async (form) => {
    const folder = await temporaryFolder()
    const name = 'Żółw v Édge'
    for (const film of [`${name}.mp4`, `${name}_360p.mp4`])
      await Bun.write(join(folder, film.normalize(form)), '')
    const films = openMediaFolder(folder, 'https://league.example')
    for (const cell of [name.normalize('NFC'), name.normalize('NFD')]) {
      expect(mediaFileAddress(films, `${cell}.mp4`)).toBe(
        `https://league.example/media/${encodeURIComponent(`${name}.mp4`.normalize(form))}`,
      )
      expect(smallerFile(films, `${cell}.mp4`, 360)).toBe(`${name}_360p.mp4`.normalize(form))
    }
  },
)
