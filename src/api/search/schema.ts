import { type Static, Type } from '@sinclair/typebox'
import { BotSummary, classFields } from '../bots/schema.ts'
import { closed, count, named, share, weightClassName } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { Tournament } from '../tournaments/schema.ts'

const score = share('1 for the exact name')

const botName = closed({ name: Type.String(), cleanName: Type.String() })

export const SearchResults = named('SearchResults', {
  query: Type.String({ description: 'the text as read' }),
  bots: Type.Array(closed({ ...BotSummary.properties, score }), { maxItems: 10 }),
  tournaments: Type.Array(closed({ ...Tournament.properties, score }), {
    maxItems: 5,
  }),
  teams: Type.Array(
    closed({ name: Type.String(), cleanName: Type.String(), bots: Type.Array(botName) }),
    { maxItems: 5, description: 'whose name contains the text of 3 letters or more' },
  ),
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
  ...classFields,
  match: Type.Array(range, {
    description: 'ranges of `name` to highlight, in UTF-16 code units; ascending',
  }),
})
export type Suggestion = Static<typeof Suggestion>

const TournamentSuggestion = closed({
  tournamentID: Type.String(),
  tournamentName: Type.String(),
  weightClass: Type.Integer({ description: 'pounds' }),
  weightClassName,
  score,
})
export type TournamentSuggestion = Static<typeof TournamentSuggestion>

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
export type Suggestions = Static<typeof Suggestions>
