import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildBots } from '../../../src/careers/bots.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { filterBots } from '../../../src/search/botFilter.ts'
import { playersNamed, tournamentOf } from '../../rows.ts'

test('filters like a look at each name', () => {
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
