import { Type } from '@sinclair/typebox'
import { BotSummary, count, weightClasses } from '../bots/schema.ts'
import { closed, named } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { Tournament } from '../tournaments/schema.ts'

const score = Type.Number({ minimum: 0, maximum: 1, description: '1 is the very name' })

export const SearchResults = Type.Object(
  {
    query: Type.String({ description: 'the text as it was read' }),
    bots: Type.Array(Type.Object({ ...BotSummary.properties, score }, closed), { maxItems: 10 }),
    tournaments: Type.Array(Type.Object({ ...Tournament.properties, score }, closed), {
      maxItems: 5,
    }),
    fights: Type.Array(FightSummary, {
      maxItems: 20,
      description: 'between two bots that the text names, newest first',
    }),
  },
  named('SearchResults'),
)

export const Suggestions = Type.Object(
  {
    query: Type.String({ description: 'what counts of the text: its first 24 clean characters' }),
    suggestions: Type.Array(
      Type.Object(
        {
          cleanName: Type.String(),
          name: Type.String(),
          score,
          totalFights: count,
          weightClasses,
        },
        closed,
      ),
    ),
  },
  named('Suggestions'),
)
