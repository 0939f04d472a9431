import type { TournamentRow, TournamentRows } from '../src/data/source/rows.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from './rows.ts'

/** A game: id such as `W-3` with its bracket before the dash, round, corners, and more of its row. */
export type GameSpec = readonly [
  id: string,
  round: number,
  /** A player such as `p3`, the game that feeds it such as `W-0`, both as `W-0 p3`, or nothing. */
  red: string,
  blue: string,
  over?: {
    /** The corner that won; null for a finished game without a winner. */
    readonly won?: 0 | 1 | null
    readonly loserPlacement?: number
  },
]

const corner = (text: string) => ({
  player: /\bp\d+$/.exec(text)?.[0] ?? null,
  prevGameId: /^[A-Z]+-\d+/.exec(text)?.[0] ?? null,
})

/** A tournament under way with these games; players are `p0`, `p1` and so on, named `Bot 0`, `Bot 1`. */
export const bracketOf = (
  bots: number,
  specs: readonly GameSpec[],
  tournament: Partial<TournamentRow> = {},
  over: Partial<TournamentRows> = {},
): TournamentRows => {
  const bracketOf = (id: string): string => id.slice(0, id.indexOf('-'))
  const fights = specs.map(([id, roundIdx, redText, blueText, { won, ...placed } = {}]) => {
    const [red, blue] = [corner(redText), corner(blueText)]
    const game = { id, name: id, bracketId: bracketOf(id), roundIdx, ...placed }
    const { games, slots } =
      won === undefined
        ? openFight(game, red.player, blue.player)
        : fightRows(game, red.player, blue.player, won)
    const [first, second] = slots
    return {
      games,
      slots: [
        { ...first, prevGameId: red.prevGameId },
        { ...second, prevGameId: blue.prevGameId },
      ] satisfies typeof slots,
    }
  })
  const names = Array.from({ length: bots }, (_, index) => `Bot ${index}`)
  const rounds = specs.map(([id, idx]) => ({
    bracketId: bracketOf(id),
    idx,
    name: `Round ${idx + 1}`,
    scoreToWin: 1,
  }))
  return tournamentOf({ active: true, ...tournament }, playersNamed(...names), fights, {
    brackets: [...new Set(specs.map(([id]) => bracketOf(id)))].map((id, position) => ({
      id,
      position,
      name: id,
      isExhibition: id === 'EX',
      formatType: null,
    })),
    rounds: [...new Map(rounds.map((round) => [JSON.stringify(round), round])).values()],
    ...over,
  })
}

export const fourBots: readonly GameSpec[] = [
  ['W-0', 0, 'p0', 'p3'],
  ['W-1', 0, 'p1', 'p2'],
  ['W-2', 1, 'W-0', 'W-1', { loserPlacement: 2 }],
  ['T-0', 0, 'W-0', 'W-1', { loserPlacement: 4 }],
]

/** Double elimination of four; the second grand final is not listed before it is needed. */
export const doubleOfFour: readonly GameSpec[] = [
  ['W-0', 0, 'p0', 'p3'],
  ['W-1', 0, 'p1', 'p2'],
  ['W-2', 1, 'W-0', 'W-1'],
  ['W-3', 2, 'W-2', 'L-1', { loserPlacement: 2 }],
  ['L-0', 0, 'W-0', 'W-1', { loserPlacement: 4 }],
  ['L-1', 1, 'L-0', 'W-2', { loserPlacement: 3 }],
]

/** A single-elimination bracket of a power of two, with the usual seeding. */
export const knockout = (size: number): readonly GameSpec[] =>
  Array.from({ length: size - 1 }, (_, index): GameSpec => {
    const round = Math.floor(Math.log2(size)) - Math.floor(Math.log2(size - 1 - index)) - 1
    const before = 2 * index - size
    return index < size / 2
      ? [`W-${index}`, 0, `p${index}`, `p${size - 1 - index}`]
      : [`W-${index}`, round, `W-${before}`, `W-${before + 1}`]
  })

/** Everybody against everybody. */
export const everyPair = (size: number): readonly GameSpec[] =>
  Array.from({ length: size }, (_, red) =>
    Array.from(
      { length: red },
      (_, blue): GameSpec => [`W-${red}-${blue}`, 0, `p${red}`, `p${blue}`],
    ),
  ).flat()
