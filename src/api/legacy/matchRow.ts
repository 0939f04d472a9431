import { KindGuard, type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Fight } from '../../data/league/types.ts'
import { flag, named, textual, toText, toTimestamp } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { fightSummary } from '../fights/view.ts'

const time = (description: string) =>
  Type.Integer({ description: `${description}; Unix seconds UTC, empty when not yet` })

/** Times that are empty while unset; the current API has 0. */
const times: Readonly<Record<string, TSchema>> = {
  startTime: time('start of the fight'),
  stopTime: time('end of the fighting'),
  endTime: time('when the fight was closed'),
  calledSince: time('when the players were called'),
  availableSince: time('when both robots were known and free'),
}

/** Rows of a table have a `winner` of their own. */
const { winner: _winner, ...summaryFields } = FightSummary.properties

const fields: Readonly<Record<string, TSchema>> = {
  ...summaryFields,
  ...times,
  privacy: Type.String({ description: 'always public' }),
  isTest: flag('always 0'),
  isFreestyle: flag('1 in a freestyle tournament'),
}

/** A fight of the current API with further fields; every value is text. */
export const MatchRow = named(
  'LegacyMatchRow',
  Object.fromEntries(
    Object.entries(fields).map(([name, { description = name }]) => [name, textual(description)]),
  ),
)
export type MatchRow = Static<typeof MatchRow>

/** Fields whose text is a decimal number. */
export const numericFields: ReadonlySet<string> = new Set(
  Object.keys(fields).filter((name) => KindGuard.IsInteger(fields[name])),
)

export const matchRow = (fight: Fight): MatchRow => {
  const { privacy, isTest, isFreestyle } = fight.tournament
  const { winner: _, ...summary } = fightSummary(fight)
  const values = {
    ...summary,
    calledSince: toTimestamp(fight.calledUnix),
    availableSince: toTimestamp(fight.availableUnix),
    privacy,
    isTest,
    isFreestyle,
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === 0 && name in times ? '' : toText(value),
    ]),
  )
}
