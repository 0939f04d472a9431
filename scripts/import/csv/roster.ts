import type { ImportedTournament } from '../target/imported.ts'
import { nameKey } from '../values.ts'
import { isOneLetterApart } from './names.ts'

export type Player = NonNullable<ImportedTournament['players']>[number]

/** Players of one tournament, found by name as written or by clean name. */
interface Roster {
  readonly players: Player[]
  readonly find: (name: string) => Player | undefined
  /** The player whose name is one letter from this one. */
  readonly findSimilar: (name: string) => Player | undefined
  readonly add: (name: string, rest: Omit<Player, 'id' | 'name'>) => Player
  /** The player that stands for all byes. */
  readonly bye: () => Player
}

/** Key of no name, as that would have no hyphen. */
export const byeID = 'bye-1'

export const createRoster = (): Roster => {
  const players: Player[] = []
  const byName = new Map<string, Player>()
  const bye: Player = { id: byeID, name: '(Bye)', isBye: true, seed: null }
  return {
    players,
    find: (name) => byName.get(nameKey(name)),
    findSimilar: (name) =>
      byName.values().find((each) => isOneLetterApart(nameKey(name), nameKey(each.name ?? ''))),
    add: (name, rest) => {
      const key = nameKey(name)
      const id = key.slice(0, 128)
      const player: Player = { id, name, team: null, driver: null, ...rest }
      players.push(player)
      byName.set(key, player)
      return player
    },
    bye: () => {
      if (!players.includes(bye)) players.push(bye)
      return bye
    },
  }
}
