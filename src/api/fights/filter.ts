import { newestFirst } from '../../data/league/order.ts'
import type { Fight } from '../../data/league/types.ts'
import { botParameter, idParameter } from '../../http/parameters.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { findNamedBot } from '../bots/lookup.ts'
import { findTournament } from '../tournaments/lookup.ts'

/** Query parameters of lists of fights, and of lists that belong to fights. */
export const fightFilters = {
  bot: botParameter('clean or display name of a bot, for its fights alone'),
  tournament: idParameter('id of a tournament, for its fights alone'),
}

interface FightFilter {
  /** A clean name. */
  readonly bot?: string | undefined
  readonly tournament?: string | undefined
}

export const isFiltered = ({ bot, tournament }: FightFilter): boolean =>
  bot !== undefined || tournament !== undefined

export const passes =
  ({ bot, tournament }: FightFilter) =>
  ({ red, blue, tournament: { id } }: Fight): boolean =>
    (bot === undefined || red.player.cleanName === bot || blue.player.cleanName === bot) &&
    (tournament === undefined || id === tournament)

/** The fights that pass all filters, newest first. */
export const filterFights = (
  archive: Pick<TrackedArchive, 'lookup' | 'dataset'>,
  filter: FightFilter,
): readonly Fight[] => {
  const { bot, tournament } = filter
  if (tournament !== undefined) {
    return findTournament(archive, tournament)?.fights.filter(passes(filter)) ?? []
  }
  if (bot === undefined) return archive.dataset.fights
  const entries = findNamedBot(archive, bot)?.entries ?? []
  return entries
    .flatMap((entry) => entry.tournament.fights.filter(passes(filter)))
    .sort(newestFirst)
}
