import type { GameRow, SlotRow, TournamentRows } from '../source/rows.ts'

/**
 * Times at which a game reaches each of its states, in Unix seconds: -Infinity is from the start of the tournament,
 * Infinity is never within the snapshot.
 */
export interface GameTimes {
  /** Time at which it is listed in its bracket. */
  readonly appearsAt: number
  /** Times at which the player of each corner is known, red first. */
  readonly filledAt: readonly [number, number]
  readonly availableAt: number
  readonly calledAt: number
  readonly beginsAt: number
  readonly finishesAt: number
  /** Time at which it reaches the state that the snapshot holds. */
  readonly settledAt: number
}

export const never = Number.POSITIVE_INFINITY
export const always = Number.NEGATIVE_INFINITY

/** States by progress. */
export const progress = {
  unavailable: 0,
  available: 1,
  hold: 1,
  called: 2,
  active: 3,
  done: 4,
} as const satisfies Record<GameRow['state'], number>

const knownTimes = ({ availableSince, calledSince, startTime, stopTime, endTime }: GameRow) =>
  [availableSince, calledSince, startTime, stopTime, endTime].flatMap((time) => time ?? [])

/** Earliest moment at which anything happened in a game; undefined if none is known. */
const readyAt = (row: GameRow): number | undefined => {
  const known = knownTimes(row)
  return known.length > 0 ? Math.min(...known) : undefined
}

/** A game, and the values that its times are derived from. */
interface Node {
  readonly row: GameRow
  readonly slots: readonly [SlotRow | undefined, SlotRow | undefined]
  readonly ready: number | undefined
  readonly isExhibition: boolean
}

/** Start of a fight, in whole seconds: from then on it is under way. */
const startOf = ({ startTime }: GameRow): number | null =>
  startTime === null ? null : Math.ceil(startTime)

const lastKnown = ({ row }: Node): number => Math.max(always, ...knownTimes(row))

const playersOf = ({ slots }: Node): readonly string[] =>
  slots.flatMap((slot) => slot?.playerId ?? [])

/**
 * The times of every game of a tournament, by id. No result is known before the game's own finish and before the
 * finishes of the games that feed it, whatever the rows say. A time after `capturedAt` (a wrong clock) counts as
 * `capturedAt`, so that by then everything is as in the rows.
 */
export const gameTimes = (
  rows: TournamentRows,
  capturedAt: number,
): ReadonlyMap<string, GameTimes> => {
  const clamp = (time: number): number => Math.min(time, capturedAt)
  const exhibitions = new Set(rows.brackets.filter((b) => b.isExhibition).map(({ id }) => id))
  const byes = new Set(rows.players.filter(({ isBye }) => isBye).map(({ id }) => id))
  const reds = new Map<string, SlotRow>()
  const blues = new Map<string, SlotRow>()
  for (const slot of rows.slots) (slot.idx === 0 ? reds : blues).set(slot.gameId, slot)
  const nodes = new Map(
    rows.games.map((row): [string, Node] => [
      row.id,
      {
        row,
        slots: [reds.get(row.id), blues.get(row.id)],
        ready: readyAt(row),
        isExhibition: exhibitions.has(row.bracketId),
      },
    ]),
  )
  /** The games that each player takes part in. */
  const byPlayer = Map.groupBy(
    nodes.values().flatMap((node) => playersOf(node).map((player) => ({ player, node }))),
    ({ player }) => player,
  )
  const othersOf = (player: string, own: Node): readonly Node[] =>
    byPlayer.get(player)?.flatMap(({ node }) => (node === own ? [] : [node])) ?? []
  const pausedSeconds = new Map<string, number>()
  for (const { gameId, startTime, stopTime } of rows.pauses) {
    const seconds = Math.max(0, (stopTime ?? startTime) - startTime)
    pausedSeconds.set(gameId, (pausedSeconds.get(gameId) ?? 0) + seconds)
  }

  const feederOf = (slot: SlotRow | undefined): Node | undefined =>
    slot?.prevGameId == null ? undefined : nodes.get(slot.prevGameId)

  /** True if a player's place in a game that no game feeds may follow from another game of the player. */
  const isEarlier = (other: Node, node: Node): boolean => {
    if (node.ready !== undefined && other.ready !== undefined) return other.ready < node.ready
    if (node.row.state !== 'done') return other.ready !== undefined
    return other.isExhibition && !node.isExhibition
  }
  const drawn = new Set(
    rows.brackets.flatMap(({ id, formatType }) =>
      (formatType ?? rows.tournament.formatType) === 'round_robin' ? id : [],
    ),
  )
  /** The games that decided who is in the unfed corners of a game; none in a round robin, where the draw decides. */
  const qualifiersOf = (node: Node): readonly Node[] =>
    drawn.has(node.row.bracketId)
      ? []
      : node.slots.flatMap((slot) =>
          slot?.playerId == null || feederOf(slot) || byes.has(slot.playerId)
            ? []
            : othersOf(slot.playerId, node).filter((other) => isEarlier(other, node)),
        )
  const qualifiers = new Map([...nodes.values()].map((node) => [node, qualifiersOf(node)]))
  const roundOf = ({ row }: Node): string => JSON.stringify([row.bracketId, row.roundIdx])
  /** Time at which the first game of a round was seeded, if the round follows from other games. */
  const seededAt = new Map<string, number>()
  for (const [node, decisive] of qualifiers) {
    if (decisive.length === 0 || node.ready === undefined) continue
    seededAt.set(roundOf(node), Math.min(node.ready, seededAt.get(roundOf(node)) ?? never))
  }

  /** The last moment of any fight that has times. */
  const lastFinish = rows.games.reduce(
    (last, { stopTime, endTime }) => Math.max(last, stopTime ?? endTime ?? always),
    always,
  )
  const fedBy = Map.groupBy(
    nodes.values().flatMap((node) =>
      node.slots.flatMap((slot) => {
        const feeder = feederOf(slot)
        return feeder ? [{ feeder, node }] : []
      }),
    ),
    ({ feeder }) => feeder,
  )
  /** A done fight without times was over when something else shows it, or with the last fight. */
  const shownAt = (node: Node): number => {
    const before = [
      ...node.slots.flatMap((slot) => feederOf(slot) ?? []),
      ...(qualifiers.get(node) ?? []),
    ]
    const from =
      node.ready ?? before.reduce((last, each) => Math.max(last, lastKnown(each)), always)
    const later = [
      ...(fedBy.get(node)?.map((each) => each.node) ?? []),
      ...playersOf(node).flatMap((player) => othersOf(player, node)),
    ].map(({ ready = always }) => ready)
    // The seeding waits for every qualifying game.
    const seedings = node.isExhibition ? seededAt.values() : []
    const after = [...later, ...seedings].filter((time) => time > from)
    return after.length > 0 ? after.reduce((a, b) => Math.min(a, b)) : Math.max(from, lastFinish)
  }
  /** Finish of a done game by its own row; -Infinity for a bye, which its feeders decide. */
  const ownFinish = (node: Node): number => {
    const { row } = node
    const start = startOf(row)
    const stop = row.stopTime ?? row.endTime
    if (stop !== null) return Math.max(stop, start ?? always)
    if (start !== null) return start + (row.timerDuration ?? 0) + (pausedSeconds.get(row.id) ?? 0)
    const players = playersOf(node)
    const isFight = players.length === 2 && !players.some((player) => byes.has(player))
    return isFight ? shownAt(node) : always
  }
  /** Time at which an unfed corner is filled, as far as the row and its round say. */
  const unfedFill = (node: Node): number =>
    (qualifiers.get(node)?.length ?? 0) === 0
      ? always
      : clamp(node.ready ?? seededAt.get(roundOf(node)) ?? always)

  /** Time at which a corner is filled, as far as its own game says. */
  const ownFill = (node: Node, slot: SlotRow | undefined): number => {
    const feeder = feederOf(slot)
    if (!feeder) return unfedFill(node)
    // The player came although the feeding game is open: the game itself shows since when.
    return feeder.row.state === 'done' ? always : clamp(node.ready ?? capturedAt)
  }

  const finishes = new Map<Node, number>()
  for (const node of nodes.values()) {
    if (node.row.state !== 'done') continue
    const fills = node.slots.flatMap((slot) => (slot?.playerId == null ? [] : ownFill(node, slot)))
    finishes.set(node, clamp(Math.max(ownFinish(node), ...fills)))
  }
  /** The games that must not finish before this game does. */
  const followers = Map.groupBy(
    [
      ...[...fedBy].flatMap(([feeder, each]) => each.map(({ node }) => ({ feeder, node }))),
      ...[...qualifiers].flatMap(([node, each]) => each.map((feeder) => ({ feeder, node }))),
    ],
    ({ feeder }) => feeder,
  )
  // Latest first, so that each game gets the latest finish before it at its first visit, even in cycles.
  const visited = new Set<Node>()
  for (const [node] of [...finishes].sort(([, a], [, b]) => b - a)) {
    const latest = finishes.get(node) ?? always
    const waiting = visited.has(node) ? [] : [node]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (visited.has(next)) continue
      visited.add(next)
      finishes.set(next, latest)
      for (const { node: follower } of followers.get(next) ?? []) {
        if (finishes.has(follower) && !visited.has(follower)) waiting.push(follower)
      }
    }
  }

  const filledAt = (node: Node, slot: SlotRow | undefined): number => {
    if (slot?.playerId == null) return always
    const feeder = feederOf(slot)
    const decisive = feeder ? [feeder] : (qualifiers.get(node) ?? [])
    return decisive.reduce(
      (filled, each) => Math.max(filled, finishes.get(each) ?? always),
      ownFill(node, slot),
    )
  }
  const timesOf = (node: Node): GameTimes => {
    const { row, slots } = node
    const rank = progress[row.state]
    const fills = [filledAt(node, slots[0]), filledAt(node, slots[1])] as const
    const known = Math.max(...fills)
    const from = (time: number): number => clamp(Math.max(time, known))
    const finishesAt = rank === 4 ? (finishes.get(node) ?? capturedAt) : never
    const start = startOf(row)
    const startsAt = start ?? (rank === 3 ? (row.calledSince ?? capturedAt) : never)
    const beginsAt = rank < 3 ? never : Math.min(from(startsAt), finishesAt)
    const calledAt = rank < 2 || row.calledSince === null ? never : from(row.calledSince)
    const availableAt = rank < 1 ? never : from(row.availableSince ?? always)
    const settled = {
      unavailable: always,
      available: availableAt,
      hold: availableAt,
      called: calledAt === never ? capturedAt : calledAt,
      active: beginsAt,
      done: finishesAt,
    }
    const [red, blue] = [feederOf(slots[0]), feederOf(slots[1])]
    // A second final exists only since the first one made it necessary.
    const isReset = red !== undefined && red === blue
    return {
      appearsAt: isReset ? (finishes.get(red) ?? always) : always,
      filledAt: fills,
      availableAt,
      calledAt,
      beginsAt,
      finishesAt,
      settledAt: settled[row.state],
    }
  }
  return new Map([...nodes].map(([id, node]) => [id, timesOf(node)]))
}
