import { expect, test } from 'bun:test'
import { findBots, findBotWithPicture } from '../../../src/api/bots/lookup.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { trackReads } from '../../../src/http/trackedArchive.ts'
import { archiveOf } from '../../fixtures.ts'
import { playersNamed, stillRow, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const readable = (...tournaments: readonly TournamentRows[]) =>
  trackReads(archiveOf(...tournaments), start).tracked

test('the picture of a bot is its newest hero still of any event', () => {
  const taken = (id: number, day: number, over = {}) =>
    stillRow({ id, playerId: 'p0', isHero: true, takenTime: start + day, ...over })
  const event = (id: string, startTime: number, ...stills: readonly ReturnType<typeof taken>[]) =>
    tournamentOf({ id, startTime }, playersNamed('Axe', 'Bolt'), [], { stills })
  const archive = readable(
    event(
      'new',
      start,
      taken(1, 5),
      taken(2, 9, { isHero: false }),
      taken(3, 8, { playerId: 'p1' }),
    ),
    event('old', start - 1000, taken(4, 7), taken(5, 2)),
  )
  const pictureOf = (name: string) => findBotWithPicture(archive, name)?.picture
  expect(pictureOf('axe')).toBe('https://media.example/still-4.jpg')
  expect(pictureOf('bolt')).toBe('https://media.example/still-3.jpg')
  expect(pictureOf('nobody')).toBeUndefined()
})

test('the first 24 names of a list are read, each once', () => {
  const names = Array.from({ length: 30 }, (_, index) => `Bot ${index}`)
  const archive = readable(tournamentOf({}, playersNamed(...names), []))
  const found = (list: string) => findBots(archive, list).map(({ name }) => name)
  expect(found(names.join(','))).toEqual(names.slice(0, 24))
  expect(found('bot 3,BOT3, ,nobody,Bot 1')).toEqual(['Bot 3', 'Bot 1'])
})
