import { type Static, Type } from '@sinclair/typebox'
import type { Archive } from '../../data/archive/archive.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { chanceIn, openChance } from '../../derived/ratings/chances.ts'
import { csvTable } from '../csv.ts'
import { chanceFields, closed, orNull } from '../fields.ts'
import { type ChanceField, chanceField } from '../ratings/lookup.ts'
import { fightStartOffset } from './recording.ts'
import { FightPlayer, FightSummary, offsetDescription } from './schema.ts'
import { fightPlayer, fightSummary } from './view.ts'

const placement = (corner: string) =>
  orNull(
    Type.Integer({ minimum: 1 }),
    `final place of the ${corner} corner; null until the tournament is over`,
  )

/** A fight with everything about it in one row. */
export const FightRow = closed({
  ...FightSummary.properties,
  state: Type.String({ description: 'pending, active or done' }),
  ...chanceFields,
  bracketID: Type.String({ description: 'W, L, EX' }),
  roundName: Type.String({ description: 'name of the round' }),
  loserPlacement: orNull(Type.Integer(), 'final place of the loser; null if the loser continues'),
  fightStartOffset: orNull(Type.Number(), offsetDescription),
  judgesString: Type.String({ description: 'lines of the judges, joined by <br>' }),
  notice: Type.String({ description: 'remark on the fight; usually empty' }),
  player1ID: Type.String({ description: 'player id of the red corner' }),
  player1placement: placement('red'),
  player2ID: Type.String({ description: 'player id of the blue corner' }),
  player2placement: placement('blue'),
  corners: Type.Tuple([FightPlayer, FightPlayer], { description: 'red, blue' }),
})
export type FightRow = Static<typeof FightRow>

const fightRow = (tournament: Tournament, fight: Fight, chance: ChanceField): FightRow => {
  const corners: FightRow['corners'] = [
    fightPlayer(tournament, fight, fight.red, 0),
    fightPlayer(tournament, fight, fight.blue, 1),
  ]
  const [red, blue] = corners
  const placement = (id: string): number | null => tournament.playersByID.get(id)?.placement ?? null
  return {
    ...fightSummary(fight),
    state: fight.state,
    ...chance,
    bracketID: fight.bracketID,
    roundName: fight.roundName,
    loserPlacement: fight.loserPlacement,
    fightStartOffset: fightStartOffset(fight),
    judgesString: red.judgesString,
    notice: fight.notice,
    player1ID: red.playerID,
    player1placement: placement(red.playerID),
    player2ID: blue.playerID,
    player2placement: placement(blue.playerID),
    corners,
  }
}

/** The fights of a tournament as rows. */
export const fightRows = (
  { ratings, bots }: Pick<Archive, 'bots' | 'ratings'>,
  tournament: Tournament,
): Iterable<FightRow> => {
  const odds = ratings?.odds.get(tournament.info.id)
  const open = (fight: Fight) => (ratings ? openChance({ ratings, bots }, fight) : null)
  return Iterator.from(tournament.fights).map((fight) =>
    fightRow(tournament, fight, ratings ? chanceField(chanceIn(odds, fight, open)) : {}),
  )
}

const { corners: _corners, ...properties } = FightRow.properties
/** Columns in CSV: all but lists of objects. */
export const fightColumns = { properties }

/** The fights of a tournament in CSV. */
export const fightsCsv = (
  archive: Pick<Archive, 'bots' | 'ratings'>,
  tournament: Tournament,
): string => {
  const { opening, line } = csvTable(fightColumns, archive.ratings !== undefined)
  return [opening, ...Iterator.from(fightRows(archive, tournament)).map(line)].join('')
}
