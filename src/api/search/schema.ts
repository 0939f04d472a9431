import { type Static, Type } from '@sinclair/typebox'
import { BotSummary, weightClasses } from '../bots/schema.ts'
import { closed, count, named } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { Tournament } from '../tournaments/schema.ts'

const score = Type.Number({ minimum: 0, maximum: 1, description: '1 for the exact name' })

export const SearchResults = named('SearchResults', {
  query: Type.String({ description: 'the text as read' }),
  bots: Type.Array(closed({ ...BotSummary.properties, score }), { maxItems: 10 }),
  tournaments: Type.Array(closed({ ...Tournament.properties, score }), {
    maxItems: 5,
  }),
  fights: Type.Array(FightSummary, {
    maxItems: 20,
    description: 'between two bots named by the text, newest first',
  }),
})

const range = Type.Array(count, {
  minItems: 2,
  maxItems: 2,
  description: 'start and exclusive end',
})

const Suggestion = closed({
  cleanName: Type.String(),
  name: Type.String(),
  score,
  totalFights: count,
  weightClasses,
  match: Type.Array(range, {
    description: 'ranges of `name` to highlight, in UTF-16 code units; ascending',
  }),
})
export type Suggestion = Static<typeof Suggestion>

const TournamentSuggestion = closed({
  tournamentID: Type.String(),
  tournamentName: Type.String(),
  weightClass: Type.Integer({ description: 'pounds' }),
  score,
})
export type TournamentSuggestion = Static<typeof TournamentSuggestion>

const botName = closed({ name: Type.String(), cleanName: Type.String() })

const PairSuggestion = closed({ bot1: botName, bot2: botName, totalFights: count })
export type PairSuggestion = Static<typeof PairSuggestion>

export const Suggestions = named('Suggestions', {
  query: Type.String({ description: 'the text as read: its words in lower case' }),
  suggestions: Type.Array(Suggestion, { description: 'bots' }),
  tournaments: Type.Optional(
    Type.Array(TournamentSuggestion, { description: 'with `kind=tournament`' }),
  ),
  pairs: Type.Optional(
    Type.Array(PairSuggestion, {
      description:
        'with `kind=pair`: two bots, for `/stats/head-to-head`; one may be partially typed',
    }),
  ),
})
