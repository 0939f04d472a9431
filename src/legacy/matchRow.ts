import { type Static, type TSchema, Type, TypeGuard } from '@sinclair/typebox'
import { flag, named, textual, timestamp, toText, toTimestamp } from '../api/fields.ts'
import { FightSummary } from '../api/fights/schema.ts'
import { fightSummary } from '../api/fights/view.ts'
import type { Fight } from '../dataset/types.ts'

const fields: Readonly<Record<string, TSchema>> = {
  ...FightSummary.properties,
  calledSince: timestamp('when the players were called'),
  availableSince: timestamp('when both robots were known and free'),
  privacy: Type.String({ description: 'always public' }),
  isTest: flag('always 0'),
  isFreestyle: flag('1 in a freestyle tournament'),
}

/** A fight of the current API with every value spelt as text, and a little more about it. */
export const MatchRow = Type.Object(
  Object.fromEntries(
    Object.entries(fields).map(([name, { description = name }]) => [name, textual(description)]),
  ),
  named('LegacyMatchRow'),
)
export type MatchRow = Static<typeof MatchRow>

/** The fields of a row whose text is a decimal number. */
export const numericFields: ReadonlySet<string> = new Set(
  Object.keys(fields).filter((name) => TypeGuard.IsInteger(fields[name])),
)

export const matchRow = (fight: Fight): MatchRow => {
  const { privacy, isTest, isFreestyle } = fight.tournament
  const values = {
    ...fightSummary(fight),
    calledSince: toTimestamp(fight.calledUnix),
    availableSince: toTimestamp(fight.availableUnix),
    privacy,
    isTest,
    isFreestyle,
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toText(value)]))
}
