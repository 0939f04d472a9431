import { classFields } from '../../derived/careers/bots.ts'
import type { Team } from '../../derived/careers/teams.ts'
import { rangesIn } from '../../derived/search/highlight.ts'
import type { Pair } from '../../derived/search/pairs.ts'
import type { Found } from '../../derived/search/search.ts'
import type { FoundTournament } from '../../derived/search/tournamentSearch.ts'
import type { PairSuggestion, Suggestion, TournamentSuggestion } from './schema.ts'

export const suggestion = ({ bot, score, spans }: Found): Suggestion => ({
  cleanName: bot.cleanName,
  name: bot.name,
  score,
  totalFights: bot.totals.fights,
  ...classFields(bot),
  match: rangesIn(bot.name, bot.cleanName, spans()),
})

export const tournamentSuggestion = ({
  tournament: { info },
  score,
}: FoundTournament): TournamentSuggestion => ({
  tournamentID: info.id,
  tournamentName: info.name,
  weightClass: info.weightClassPounds,
  weightClassName: info.weightClassName,
  score,
})

const nameOf = ({ name, cleanName }: { readonly name: string; readonly cleanName: string }) => ({
  name,
  cleanName,
})

export const foundTeam = (team: Team) => ({ ...nameOf(team), bots: team.bots.map(nameOf) })

export const pairSuggestion = ({ one, other, meetings }: Pair): PairSuggestion => ({
  bot1: nameOf(one),
  bot2: nameOf(other),
  totalFights: meetings,
})
