import type { TObject, TSchema } from '@sinclair/typebox'
import { createRandom, type Random } from '../../scripts/league/random.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { TournamentRow, type TournamentRows, tournamentTables } from '../../src/data/source/rows.ts'
import type { PageLeague } from '../pageLeague.ts'

type Row = Readonly<Record<string, unknown>>

const isNullable = ({ anyOf = [] }: TSchema): boolean =>
  anyOf.some(({ type }: TSchema) => type === 'null')

/** Rows of a table where a share of the values is those of other rows, or missing where the schema allows it. */
const shakeTable = (
  rows: readonly Row[],
  schema: TObject,
  random: Random,
  share: number,
): Row[] => {
  const { key }: Record<string, unknown> = schema
  const columns = Object.entries(schema.properties).filter(
    ([name]) => !(Array.isArray(key) && key.includes(name)),
  )
  return rows.map((row) => {
    const changed = { ...row }
    for (const [name, column] of columns) {
      if (!random.chance(share)) continue
      changed[name] = isNullable(column) && random.chance(0.3) ? null : random.pick(rows)[name]
    }
    return changed
  })
}

/** A league of odd rows, legal one by one: fights without an end, results without a fight, clips of nobody. */
export const shaken = (league: PageLeague, seed: number, share: number): PageLeague => {
  const random = createRandom(seed)
  const own = shakeTable(
    league.tournaments.map(({ tournament }) => tournament),
    TournamentRow,
    random,
    share,
  )
  const tournaments = league.tournaments.flatMap((rows, index) => {
    const tables = Object.entries(tournamentTables).map(([name, schema]) => {
      const given: readonly Row[] = Array.from(Object(rows)[name])
      return [name, shakeTable(given, schema, random, share)]
    })
    const tournament = { ...own[index], privacy: 'public', isTest: false }
    return checkTournament({ ...Object.fromEntries(tables), tournament }, () => {}) ?? []
  })
  return { ...league, tournaments: tournaments satisfies TournamentRows[] }
}
