import type { OnBadRow } from '../../../src/data/source/check.ts'
import type { GameRow, RoundRow, SlotRow, TournamentRows } from '../../../src/data/source/rows.ts'
import { slotDefaults } from './imported.ts'

const roundKey = ({ bracketId, idx }: Pick<RoundRow, 'bracketId' | 'idx'>): string =>
  `${idx} ${bracketId}`

/** True for a bracket of exhibitions: `EX`, `EX-2` and `Exhibition`, not `EXPERT`. */
export const isExhibitionId = (bracketId: string): boolean =>
  /^EX(?:HIBITIONS?)?(?!\p{L})/iu.test(bracketId)

/** Rounds and brackets for games whose own are missing. */
const withRounds = (rows: TournamentRows): Pick<TournamentRows, 'brackets' | 'rounds'> => {
  const brackets = new Map(rows.brackets.map((row) => [row.id, row]))
  const rounds = new Map<string, RoundRow>()
  const addBracket = (id: string): void => {
    if (brackets.has(id)) return
    const isExhibition = isExhibitionId(id)
    brackets.set(id, { id, position: brackets.size, name: id, isExhibition, formatType: null })
  }
  for (const round of rows.rounds) {
    addBracket(round.bracketId)
    rounds.set(roundKey(round), round)
  }
  for (const { bracketId, roundIdx: idx } of rows.games) {
    addBracket(bracketId)
    const key = roundKey({ bracketId, idx })
    const { scoreToWin } = rows.tournament
    if (!rounds.has(key)) rounds.set(key, { bracketId, idx, name: '', scoreToWin })
  }
  return {
    brackets: [...brackets.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    rounds: [...rounds.values()].sort((a, b) =>
      a.bracketId === b.bracketId ? a.idx - b.idx : a.bracketId < b.bracketId ? -1 : 1,
    ),
  }
}

/** Both slots of each game, in the order of the games. */
const pairs = (games: readonly GameRow[], slots: readonly SlotRow[]): readonly SlotRow[] => {
  const isWhole =
    slots.length === 2 * games.length &&
    slots.every(({ gameId, idx }, at) => idx === (at & 1) && gameId === games[at >> 1]?.id)
  if (isWhole) return slots
  const present = [0, 1].map(
    (idx) => new Map(slots.filter((slot) => slot.idx === idx).map((slot) => [slot.gameId, slot])),
  )
  return games.flatMap(({ id }) =>
    ([0, 1] as const).map(
      (idx): SlotRow => present[idx]?.get(id) ?? { gameId: id, idx, ...slotDefaults },
    ),
  )
}

/**
 * The rows with all references intact, as the foreign keys of the database require: a missing player,
 * feeding game or round is replaced, a row of a missing game or still is left out; both are reported.
 */
export const withReferences = (rows: TournamentRows, onBadRow: OnBadRow): TournamentRows => {
  const games = new Set(rows.games.map(({ id }) => id))
  const players = new Set(rows.players.map(({ id }) => id))
  const stills = new Set(rows.stills.map(({ id }) => id))
  const ofGame =
    (table: string) =>
    ({ gameId }: { readonly gameId: string }): boolean => {
      const exists = games.has(gameId)
      if (!exists) onBadRow({ table, problem: `there is no game ${gameId}` })
      return exists
    }
  const playerOf = (table: string, id: string | null): string | null => {
    if (id === null || players.has(id)) return id
    onBadRow({ table, problem: `there is no player ${id}` })
    return null
  }
  const feederOf = (id: string | null): string | null => {
    if (id === null || games.has(id)) return id
    onBadRow({ table: 'slots', problem: `there is no game ${id} to feed a slot` })
    return null
  }
  const slots = rows.slots.filter(ofGame('slots')).map((slot) => {
    const playerId = playerOf('slots', slot.playerId)
    const prevGameId = feederOf(slot.prevGameId)
    const isWhole = playerId === slot.playerId && prevGameId === slot.prevGameId
    return isWhole ? slot : { ...slot, playerId, prevGameId }
  })
  return {
    ...rows,
    ...withRounds(rows),
    slots: pairs(rows.games, slots),
    pauses: rows.pauses.filter(ofGame('pauses')),
    judgeLines: rows.judgeLines.filter(ofGame('judgeLines')),
    recordings: rows.recordings.filter(ofGame('recordings')),
    clips: rows.clips.filter(ofGame('clips')),
    stills: rows.stills.map((still) => ({
      ...still,
      playerId: playerOf('stills', still.playerId),
    })),
    stillTags: rows.stillTags.filter(({ stillId }) => {
      const exists = stills.has(stillId)
      if (!exists) onBadRow({ table: 'stillTags', problem: `there is no still ${stillId}` })
      return exists
    }),
  }
}
