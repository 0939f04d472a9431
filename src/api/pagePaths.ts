/** Paths of the pages below the base path, for the feeds, the changes and the pages themselves. */
import { cleanName } from '../data/league/cleanName.ts'

export const botPath = (cleanName: string): string => `/b/${encodeURIComponent(cleanName)}`

export const eventPath = (tournamentID: string): string => `/e/${encodeURIComponent(tournamentID)}`

/** The bots of a team and their fights. */
export const teamPath = (team: string): string => `/team/${encodeURIComponent(cleanName(team))}`

/** A bot by its names. */
export interface Named {
  readonly name: string
  readonly cleanName: string
}

/** Two bots beside each other. */
export const versusPath = (one: Named, other: Named): string =>
  `/vs/${encodeURIComponent(one.cleanName)}/${encodeURIComponent(other.cleanName)}`

interface FightKey {
  readonly tournament: { readonly id: string }
  readonly id: string
}

/** The page of one fight with its recordings. */
export const fightPath = ({ tournament, id }: FightKey): string =>
  `/w/${encodeURIComponent(tournament.id)}/${encodeURIComponent(id)}`
