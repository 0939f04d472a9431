/** Paths of pages below the base path, for feeds, changes and the pages themselves. */
import { cleanName } from '../data/league/cleanName.ts'

export const botPath = (cleanName: string): string => `/b/${encodeURIComponent(cleanName)}`

export const eventPath = (tournamentID: string): string => `/e/${encodeURIComponent(tournamentID)}`

/** Page of a team with its bots and their fights. */
export const teamPath = (team: string): string => `/team/${encodeURIComponent(cleanName(team))}`

/** A bot by its names. */
export interface Named {
  readonly name: string
  readonly cleanName: string
}

/** Page of two bots next to each other. */
export const versusPath = (one: Named, other: Named): string =>
  `/vs/${encodeURIComponent(one.cleanName)}/${encodeURIComponent(other.cleanName)}`

interface FightKey {
  readonly tournament: { readonly id: string }
  readonly id: string
}

/** Page of one fight with its recordings. */
export const fightPath = ({ tournament, id }: FightKey): string =>
  `/w/${encodeURIComponent(tournament.id)}/${encodeURIComponent(id)}`
