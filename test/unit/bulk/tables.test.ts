import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { bulkTables } from '../../../src/bulk/tables.ts'
import { archiveOfLeague, loadPageLeague } from '../../pageLeague.ts'

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
