import type { Unchecked } from '../../../src/data/source/check.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { presentRows, propertyOf } from '../target/difference.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { isOneLetterApart } from './names.ts'

type Existing = Unchecked<TournamentRows> | undefined

interface Fight {
  readonly id: string
  readonly round: string
  readonly red: string
  readonly blue: string
}

/** Bots of the fights, red and blue, by id; empty if unknown. */
const botsOf = (slots: readonly object[]) => {
  const bots = new Map<string, [red: string, blue: string]>()
  for (const slot of slots) {
    const [id, idx, player] = ['gameId', 'idx', 'playerId'].map((each) => propertyOf(slot, each))
    if (typeof id !== 'string') continue
    const own = bots.getOrInsertComputed(id, () => ['', ''])
    own[idx === 0 ? 0 : 1] = typeof player === 'string' ? player : ''
  }
  return bots
}
type Bots = ReturnType<typeof botsOf>

/** The fights of some games by id, in the order of their rounds. */
const fightsOf = (games: readonly object[], bots: Bots, isWanted: (id: string) => boolean) => {
  const fights = games.flatMap((game) => {
    const id = String(propertyOf(game, 'id'))
    const [red = '', blue = ''] = bots.get(id) ?? []
    if (!isWanted(id)) return []
    const [bracket, round] = [propertyOf(game, 'bracketId'), Number(propertyOf(game, 'roundIdx'))]
    const order = round * 1e6 + Number(propertyOf(game, 'position'))
    return [{ id, round: `${round} ${bracket}`, red, blue, order }]
  })
  return new Map<string, Fight>(
    fights.sort((a, b) => a.order - b.order).map((each) => [each.id, each]),
  )
}

/** True if one may be the other with a corrected name. */
const isAlike = (a: Fight, b: Fight): boolean =>
  [a.red, a.blue].some((name) => name !== '' && (name === b.red || name === b.blue)) ||
  (isOneLetterApart(a.red, b.red) && isOneLetterApart(a.blue, b.blue))

/**
 * Other ids that present fights have in the files, null for missing ones. A fight is matched to the one with the same
 * bots, else to the one at its place or in its round if one name was corrected.
 */
export const movedFights = (
  existing: Existing,
  { games = [], slots = [] }: Pick<ImportedTournament, 'games' | 'slots'>,
): ReadonlyMap<string, string | null> => {
  const moved = new Map<string, string | null>()
  if (!existing) return moved
  const [before, after] = [botsOf(presentRows(existing, 'slots')), botsOf(slots)]
  const isMoved = (id: string): boolean => {
    const [one, other] = [before.get(id), after.get(id)]
    return !one || !other || one[0] !== other[0] || one[1] !== other[1]
  }
  const present = fightsOf(presentRows(existing, 'games'), before, isMoved)
  const listed = fightsOf(games, after, isMoved)
  /** Pairs the remaining fights of both sides by a key, each once. */
  const pairUp = (
    keysOf: (fight: Fight) => readonly string[],
    isSame: (a: Fight, b: Fight) => boolean,
  ): void => {
    const byKey = new Map<string, Fight[]>()
    for (const fight of present.values()) {
      for (const key of keysOf(fight)) byKey.getOrInsertComputed(key, () => []).push(fight)
    }
    for (const fight of listed.values()) {
      for (const key of keysOf(fight)) {
        const own = byKey.get(key) ?? []
        while (own[0] && !present.has(own[0].id)) own.shift()
        const [first] = own
        if (!first || !isSame(first, fight)) continue
        if (first.id !== fight.id) moved.set(first.id, fight.id)
        present.delete(first.id)
        listed.delete(fight.id)
        break
      }
    }
  }
  const areBots = (a: Fight, b: Fight): boolean => a.red === b.red && a.blue === b.blue
  pairUp(({ red, blue }) => [JSON.stringify([red, blue])], areBots)
  pairUp(({ id }) => [id], isAlike)
  pairUp(({ round, red, blue }) => [`${round} ${red}`, `${round} ${blue}`], isAlike)
  // Both bots of a line can be others in one save.
  pairUp(
    ({ id, round }) => [`${round} ${id}`],
    () => true,
  )
  for (const id of present.keys()) moved.set(id, null)
  return moved
}

/** Properties of the rows of each table that name a fight. */
const fightProperties = {
  games: ['id'],
  slots: ['gameId', 'prevGameId'],
  pauses: ['gameId'],
  judgeLines: ['gameId'],
  recordings: ['gameId'],
  clips: ['gameId'],
} as const

/** Tables with other ids of their fights; a row whose new id is null is left out. */
const withIds = <Tables extends object>(
  tables: Tables,
  idOf: (id: string) => string | null,
): Tables => {
  const renamed = (row: object, [own, ...others]: readonly string[]): readonly object[] => {
    const ids = [own ?? '', ...others].map((property) => {
      const id = propertyOf(row, property)
      return [property, typeof id === 'string' ? idOf(id) : id] as const
    })
    if (ids[0]?.[1] === null) return []
    const isSame = ids.every(([property, id]) => propertyOf(row, property) === id)
    return [
      isSame ? row : { ...row, ...Object.fromEntries(ids.filter(([, id]) => id !== undefined)) },
    ]
  }
  const changed = Object.entries(fightProperties).flatMap(([table, properties]) => {
    const rows = propertyOf(tables, table)
    return Array.isArray(rows)
      ? [[table, rows.flatMap((row) => renamed(row, properties))] as const]
      : []
  })
  return { ...tables, ...Object.fromEntries(changed) }
}

/** The present rows with the ids that their fights have in the files: everything kept of a fight follows it. */
export const followFights = (
  existing: Existing,
  imported: Pick<ImportedTournament, 'games' | 'slots'>,
  moved = movedFights(existing, imported),
): Existing => {
  if (!existing || moved.values().every((id) => id === null)) return existing
  const listed = new Set(imported.games?.map(({ id }) => id))
  // The id of a removed fight can belong to another one.
  return withIds(existing, (id) => {
    const other = moved.get(id)
    return other === null && !listed.has(id) ? id : other === undefined ? id : other
  })
}

/** Other ids of imported fights if nothing is removed: ids of the present fights, and free ids. */
export const keptIds = (
  existing: Existing,
  { games = [] }: Pick<ImportedTournament, 'games'>,
  moved: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string> => {
  const present = new Map([...moved].flatMap(([id, listed]) => (listed ? [[listed, id]] : [])))
  const before = new Set(presentRows(existing, 'games').map((row) => propertyOf(row, 'id')))
  const taken = new Set(before)
  const ids = new Map<string, string>()
  for (const { id } of games) {
    const isPresent = present.has(id) || (before.has(id) && !moved.has(id))
    let own = present.get(id) ?? id
    for (let copy = 2; !isPresent && taken.has(own); copy += 1) own = `${id}-${copy}`
    taken.add(own)
    if (own !== id) ids.set(id, own)
  }
  return ids
}

export const renameFights = <Tables extends object>(
  tables: Tables,
  ids: ReadonlyMap<string, string>,
): Tables => (ids.size === 0 ? tables : withIds(tables, (id) => ids.get(id) ?? id))
