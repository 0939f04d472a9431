import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildTournament } from '../../../src/data/league/build.ts'
import { buildBots } from '../../../src/derived/careers/bots.ts'
import { buildLeaderboard, metrics } from '../../../src/derived/careers/leaderboard.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const players = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, name: id }))
const fight = fc.record({
  red: fc.nat(5),
  blue: fc.nat(5),
  winner: fc.constantFrom(0, 1, null),
  seconds: fc.constantFrom(60, 90, 180),
})

test('a limited leaderboard is the start of the whole one', () => {
  fc.assert(
    fc.property(
      fc.array(fight, { minLength: 10, maxLength: 60 }),
      fc.constantFrom(...metrics),
      fc.integer({ min: 1, max: 6 }),
      (fights, metric, limit) => {
        const rows = fights.map(({ red, blue, winner, seconds }, index) => {
          const times = { startTime: index * 1000 + 1, stopTime: index * 1000 + 1 + seconds }
          const [one, other] = [players[red]?.id ?? 'a', players[blue]?.id ?? 'b']
          return fightRows({ id: `W-${index}`, ...times }, one, other, winner)
        })
        const bots = buildBots([buildTournament(tournamentOf({}, players, rows))])
        const all = buildLeaderboard(bots, metric, undefined, players.length)
        const direction = metric === 'avgMatchDuration' ? 1 : -1
        const sorted = all.toSorted(
          (a, b) =>
            direction * (a.value - b.value) ||
            b.totals.fights - a.totals.fights ||
            (a.bot.cleanName < b.bot.cleanName ? -1 : 1),
        )
        expect(all).toEqual(sorted)
        expect(buildLeaderboard(bots, metric, undefined, limit)).toEqual(all.slice(0, limit))
      },
    ),
  )
})
