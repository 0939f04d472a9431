import type { ImportedTournament } from '../target/imported.ts'
import { nameKey } from '../values.ts'
import { isOneLetterApart } from './names.ts'

export type Player = NonNullable<ImportedTournament['players']>[number]

/** A key that no name has, because keys of names have no hyphen. */
export const byeID = 'bye-1'

/** Players of one tournament, found by name as written or by clean name. */
export const createRoster = () => {
  const players: Player[] = []
  const byName = new Map<string, Player>()
  const bye: Player = { id: byeID, name: '(Bye)', isBye: true, seed: null }
  return {
    players,
    find: (name: string): Player | undefined => byName.get(nameKey(name)),
    /** The player whose name is one letter from this one. */
    findSimilar: (name: string): Player | undefined =>
      byName.values().find((each) => isOneLetterApart(nameKey(name), nameKey(each.name ?? ''))),
    add: (name: string, rest: Omit<Player, 'id' | 'name'>): Player => {
      const key = nameKey(name)
      const id = key.slice(0, 128)
      const player: Player = { id, name, team: null, driver: null, ...rest }
      players.push(player)
      byName.set(key, player)
      return player
    },
    /** One player for all byes. */
    bye: (): Player => {
      if (!players.includes(bye)) players.push(bye)
      return bye
    },
  }
}
