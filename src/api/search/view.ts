import { rangesIn } from '../../search/highlight.ts'
import type { Pair } from '../../search/pairs.ts'
import type { Found } from '../../search/search.ts'
import type { FoundTournament } from '../../search/tournamentSearch.ts'
import type { PairSuggestion, Suggestion, TournamentSuggestion } from './schema.ts'

export const suggestion = ({ bot, score, spans }: Found): Suggestion => ({
  cleanName: bot.cleanName,
  name: bot.name,
  score,
  totalFights: bot.totals.fights,
  weightClasses: [...bot.totalsByClass.keys()],
  match: rangesIn(bot.name, bot.cleanName, spans()),
})

export const tournamentSuggestion = ({
  tournament: { info },
  score,
}: FoundTournament): TournamentSuggestion => ({
  tournamentID: info.id,
  tournamentName: info.name,
  weightClass: info.weightClassPounds,
  score,
})

export const pairSuggestion = ({ one, other, meetings }: Pair): PairSuggestion => ({
  bot1: { name: one.name, cleanName: one.cleanName },
  bot2: { name: other.name, cleanName: other.cleanName },
  totalFights: meetings,
})
