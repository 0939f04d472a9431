import type { ImportedTournament } from '../target/imported.ts'
import { isOneLetterApart, nameKey } from './names.ts'

export type Player = NonNullable<ImportedTournament['players']>[number]

/** Players of one tournament, found by name as written or by clean name. */
interface Roster {
  readonly players: Player[]
  readonly find: (name: string) => Player | undefined
  /** The player whose name is one letter from this one. */
  readonly findSimilar: (name: string) => Player | undefined
  readonly add: (name: string, rest: Omit<Player, 'id' | 'name'>) => Player
}

export const createRoster = (): Roster => {
  const players: Player[] = []
  const byName = new Map<string, Player>()
  return {
    players,
    find: (name) => byName.get(nameKey(name)),
    findSimilar: (name) =>
      players.find((each) => isOneLetterApart(nameKey(name), nameKey(each.name ?? ''))),
    add: (name, rest) => {
      const key = nameKey(name)
      const id = key.slice(0, 128)
      const player: Player = { id, name, team: null, driver: null, ...rest }
      players.push(player)
      byName.set(key, player)
      return player
    },
  }
}
