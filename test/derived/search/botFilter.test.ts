import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildTournament } from '../../../src/data/league/build.ts'
import { buildBots } from '../../../src/derived/careers/bots.ts'
import { filterBots } from '../../../src/derived/search/botFilter.ts'
import { playersNamed, tournamentOf } from '../../rows.ts'

test('a bot filter equals a check of each name', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 20 }),
      fc.oneof(name, fc.constant('')),
      (names, text) => {
        const bots = buildBots([buildTournament(tournamentOf({}, playersNamed(...names), []))])
        const clean = bots.map(({ cleanName }) => cleanName)
        expect(filterBots(bots, text).map(({ cleanName }) => cleanName)).toEqual([
          ...clean.filter((each) => text !== '' && each.startsWith(text)),
          ...clean.filter((each) => each.indexOf(text) > 0),
        ])
      },
    ),
  )
})
