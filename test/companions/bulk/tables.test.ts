import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { bulkTables } from '../../../src/companions/bulk/tables.ts'
import { archiveOf } from '../../fixtures.ts'
import { archiveOfLeague, loadPageLeague } from '../../pageLeague.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'

const archive = archiveOfLeague(await loadPageLeague())

test.each(Object.entries(bulkTables).filter(([name]) => name.includes('ndjson')))(
  'each row of %s fits the schema that describes it',
  (_, { row, parts }) => {
    const schema = Type.Object(row.properties)
    const wrong: unknown[] = []
    for (const part of parts(archive)) {
      for (const each of part.rows())
        if (!Value.Check(schema, each)) wrong.push([Value.Errors(schema, each).First(), each])
    }
    expect(wrong.slice(0, 1)).toEqual([])
  },
)

test('a fight has the place of each of its corners, and a tournament the dates that are set', () => {
  const game = {
    startTime: 1_770_000_100,
    stopTime: 1_770_000_190,
    endTime: null,
    loserPlacement: 2,
  }
  const rows = tournamentOf({ scheduledStartTime: null }, playersNamed('Axe', 'Bolt'), [
    fightRows(game, 'p0', 'p1', 1),
  ])
  const [over, active] = [false, true].map((active) =>
    archiveOf({ ...rows, tournament: { ...rows.tournament, active } }),
  )
  const firstOf = (name: keyof typeof bulkTables, from = over) =>
    from && bulkTables[name].parts(from).flatMap(({ rows }) => [...rows()])[0]
  expect(firstOf('fights.ndjson.gz')).toMatchObject({ player1placement: 2, player2placement: 1 })
  expect(firstOf('fights.ndjson.gz', active)).toMatchObject({
    player1placement: null,
    player2placement: null,
  })
  expect(firstOf('tournaments.csv.gz')).toMatchObject({
    createTime: '2026-02-02T02:40:00Z',
    scheduledStartTime: null,
    startTime: '2026-02-02T02:41:40Z',
    endTime: '2026-02-02T02:43:10Z',
  })
  expect(firstOf('tournaments.csv.gz', active)).toMatchObject({ endTime: null })
})
