import TinyQueue from 'tinyqueue'
import { compareNaturally } from '../../runtime/compareTexts.ts'
import { qualifyingBrackets } from './stages.ts'

/** A game as read from its source. */
export interface PlayedGame {
  readonly id: string
  /** False if a corner has a bye, a placeholder or nobody. */
  readonly isFight: boolean
  readonly bracketID: string
  readonly round: number
  /** Index in the source's order. */
  readonly position: number
  /** Unix seconds at which the game was over, or at which it began if it is under way; null without times. */
  readonly moment: number | null
  readonly corners: readonly {
    readonly playerID: string | null
    readonly prevGameID: string | null
  }[]
}

/** A stage of the tournament. */
export interface PlayedBracket {
  readonly id: string
  readonly position: number
  readonly isExhibition: boolean
  /** True for groups, a round robin or a Swiss system. */
  readonly isTable: boolean
}

/** Place of a game in the order of play. */
export interface Played {
  /** Moment of the game in Unix seconds. */
  readonly momentUnix: number
  /** Rank among the fights of the tournament, from 0. */
  readonly playIndex: number
}

/** A sequence of levels that are played one after the other: the rounds of a bracket, or the stages of a bot. */
type Chain = symbol

/** A fight with its predecessors. */
interface Node extends PlayedGame {
  /** Fights that feed this one, and the previous fight of its round. */
  readonly follows: Node[]
  readonly feeds: Node[]
  /** Levels of the fight; with `waits` it follows all fights of lower levels. */
  readonly steps: { readonly chain: Chain; readonly level: number; readonly waits: boolean }[]
}

/** Ranks of brackets: qualifying and groups, then others by position, then exhibitions. */
const bracketRanks = (
  brackets: readonly PlayedBracket[],
  games: readonly PlayedGame[],
): ReadonlyMap<string, number> => {
  const linked = new Set(
    games.flatMap(({ bracketID, corners }) =>
      corners.some(({ prevGameID }) => prevGameID !== null) ? [bracketID] : [],
    ),
  )
  const qualifying = qualifyingBrackets(brackets, linked)
  const hasKnockout = brackets.some(({ isExhibition, isTable }) => !isExhibition && !isTable)
  const groupOf = ({ id, isExhibition, isTable }: PlayedBracket): number => {
    if (!isExhibition) return isTable && hasKnockout ? 0 : 1
    return qualifying.has(id) ? 0 : 2
  }
  const sorted = brackets.toSorted(
    (a, b) => groupOf(a) - groupOf(b) || a.position - b.position || compareNaturally(a.id, b.id),
  )
  return new Map(sorted.map(({ id }, rank) => [id, rank]))
}

/** The fights that feed a corner, through byes too. */
const feedersOf = (
  prevGameID: string | null,
  gamesByID: ReadonlyMap<string, PlayedGame>,
  nodes: ReadonlyMap<string, Node>,
): readonly Node[] => {
  const found: Node[] = []
  const seen = new Set<string>()
  const waiting = [prevGameID]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === null || seen.has(id)) continue
    seen.add(id)
    const node = nodes.get(id)
    if (node) found.push(node)
    else waiting.push(...(gamesByID.get(id)?.corners.map((corner) => corner.prevGameID) ?? []))
  }
  return found
}

/** The fights with their predecessors, in the source's order. */
const link = (
  games: readonly PlayedGame[],
  brackets: readonly PlayedBracket[],
): readonly Node[] => {
  const positions = new Map(brackets.map(({ id, position }) => [id, position]))
  const positionOf = ({ bracketID }: PlayedGame): number => positions.get(bracketID) ?? 0
  const sorted = games
    .filter(({ isFight }) => isFight)
    .toSorted(
      (a, b) =>
        a.position - b.position || positionOf(a) - positionOf(b) || compareNaturally(a.id, b.id),
    )
  const nodes = sorted.map((game): Node => ({ ...game, follows: [], feeds: [], steps: [] }))
  const nodesByID = new Map(nodes.map((node) => [node.id, node]))
  const gamesByID = new Map(games.map((game) => [game.id, game]))
  const ranks = bracketRanks(brackets, games)
  const [bracketChains, playerChains] = [new Map<string, Chain>(), new Map<string, Chain>()]
  const chainOf = (chains: Map<string, Chain>, id: string): Chain =>
    chains.getOrInsertComputed(id, () => Symbol(id))
  const lastOfRound = new Map<string, Node>()
  for (const node of nodes) {
    const round = `${node.round} ${node.bracketID}`
    const before = lastOfRound.get(round)
    if (before) node.follows.push(before)
    lastOfRound.set(round, node)
    const chain = chainOf(bracketChains, node.bracketID)
    node.steps.push({ chain, level: node.round, waits: true })
    for (const { playerID, prevGameID } of node.corners) {
      const feeders = feedersOf(prevGameID, gamesByID, nodesByID).filter((each) => each !== node)
      node.follows.push(...feeders)
      for (const feeder of feeders) feeder.feeds.push(node)
      if (playerID === null) continue
      const level = ranks.get(node.bracketID) ?? 0
      const waits = feeders.length === 0
      node.steps.push({ chain: chainOf(playerChains, playerID), level, waits })
    }
  }
  return nodes
}

interface Level {
  readonly level: number
  readonly nodes: readonly Node[]
}

/** Ascending levels of each chain with at least two levels. */
const levelsOf = (nodes: readonly Node[]): ReadonlyMap<Chain, readonly Level[]> => {
  const chains = new Map<Chain, Map<number, Node[]>>()
  for (const node of nodes) {
    for (const { chain, level } of node.steps) {
      const levels = chains.getOrInsertComputed(chain, () => new Map())
      levels.getOrInsertComputed(level, () => []).push(node)
    }
  }
  return new Map(
    [...chains].flatMap(([chain, levels]) =>
      levels.size < 2
        ? []
        : [
            [
              chain,
              [...levels]
                .map(([level, own]) => ({ level, nodes: own }))
                .sort((a, b) => a.level - b.level),
            ] as const,
          ],
    ),
  )
}

/**
 * Topological order: each fight after its predecessors, else in the source's order. A cycle is broken at its first
 * fight. Levels are linked by barrier nodes, numbered after the fights, as links between all pairs of fights would be
 * too many.
 */
const inOrderOfLinks = (nodes: readonly Node[]): readonly Node[] => {
  if (nodes.length < 2) return nodes
  const indexes = new Map(nodes.map((node, index) => [node, index]))
  const before = nodes.map(({ follows }) => [
    ...new Set(follows.flatMap((each) => indexes.get(each) ?? [])),
  ])
  for (const [chain, levels] of levelsOf(nodes)) {
    let barrier: number | undefined
    for (const { nodes: own } of levels) {
      const members = own.flatMap((node) => indexes.get(node) ?? [])
      for (const index of barrier === undefined ? [] : members) {
        const waits = nodes[index]?.steps.some((step) => step.chain === chain && step.waits)
        if (waits && barrier !== undefined) before[index]?.push(barrier)
      }
      before.push(barrier === undefined ? members : [...members, barrier])
      barrier = before.length - 1
    }
  }
  const after: number[][] = before.map(() => [])
  for (const [index, own] of before.entries()) for (const each of own) after[each]?.push(index)
  const unmet = before.map(({ length }) => length)
  const isTaken = before.map(() => false)
  const ready = new TinyQueue<number>()
  const ordered: Node[] = []
  const takeNext = (first: number): void => {
    const stack = [first]
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (isTaken[index]) continue
      isTaken[index] = true
      const node = nodes[index]
      if (node) ordered.push(node)
      for (const next of after[index] ?? []) {
        const left = (unmet[next] ?? 0) - 1
        unmet[next] = left
        if (left > 0 || isTaken[next]) continue
        if (next < nodes.length) ready.push(next)
        else stack.push(next)
      }
    }
  }
  for (const index of nodes.keys()) if (unmet[index] === 0) ready.push(index)
  let firstLeft = 0
  /** The first fight of a cycle that contains the first remaining fight or precedes it. */
  const firstOfCircle = (): number => {
    while (isTaken[firstLeft]) firstLeft += 1
    const places = new Map<number, number>()
    const path: number[] = []
    for (let index = firstLeft; ; ) {
      const place = places.get(index)
      if (place !== undefined) return Math.min(...path.slice(place))
      places.set(index, path.length)
      path.push(index)
      const own = before[index] ?? []
      index = own.find((each) => !isTaken[each]) ?? firstLeft
    }
  }
  while (ordered.length < nodes.length) takeNext(ready.pop() ?? firstOfCircle())
  return ordered
}

/** Moments of all fights: one without a time gets the latest moment of its predecessors, or `startUnix`. */
const momentsOf = (nodes: readonly Node[], startUnix: number): ReadonlyMap<Node, number> => {
  const moments = new Map<Node, number>()
  for (const node of nodes) if (node.moment !== null) moments.set(node, node.moment)
  if (moments.size === nodes.length) return moments
  const undated = inOrderOfLinks(nodes.filter(({ moment }) => moment === null))
  /** A fight's bound is the moment of the first dated fight that it leads to. */
  const bounds = new Map<Node, number>()
  for (const node of undated.toReversed()) {
    const fed = node.feeds.map((each) => each.moment ?? bounds.get(each) ?? Infinity)
    bounds.set(
      node,
      fed.reduce((a, b) => Math.min(a, b), Infinity),
    )
  }
  /** Each chain has its levels, the index of the next one, and the latest moment of the levels before it. */
  const passed = new Map(
    [...levelsOf(nodes)].map(([chain, levels]) => [chain, { levels, next: 0, latest: -Infinity }]),
  )
  /** Latest moment of the lower levels, which are complete. */
  const latestBelow = ({ chain, level, waits }: Node['steps'][number]): number => {
    const own = passed.get(chain)
    if (!own || !waits) return -Infinity
    for (let next = own.levels[own.next]; next && next.level < level; ) {
      for (const node of next.nodes) {
        own.latest = Math.max(own.latest, moments.get(node) ?? -Infinity)
      }
      own.next += 1
      next = own.levels[own.next]
    }
    return own.latest
  }
  for (const node of undated) {
    const latest = Math.max(
      -Infinity,
      ...node.follows.map((each) => moments.get(each) ?? -Infinity),
      ...node.steps.map(latestBelow),
    )
    const moment = Math.min(latest === -Infinity ? startUnix : latest, bounds.get(node) ?? Infinity)
    moments.set(node, moment)
  }
  return moments
}

/**
 * The order of the fights of a tournament, past and coming, keyed by id: by moment, then predecessors first, then in
 * the source's order. Predecessors of a fight are the fights that feed it, the fights of earlier rounds of its bracket,
 * the previous fight of its round, and, for a corner that no fight feeds, the bot's fights in earlier stages. A fight
 * without a time gets the latest moment of its predecessors, but none later than a dated fight that it leads to;
 * without predecessors it gets `startUnix`.
 */
export const orderOfPlay = (
  games: readonly PlayedGame[],
  brackets: readonly PlayedBracket[],
  startUnix: number,
): ReadonlyMap<string, Played> => {
  const nodes = link(games, brackets)
  const moments = momentsOf(nodes, startUnix)
  const byMoment = Map.groupBy(nodes, (node) => moments.get(node) ?? startUnix)
  const order = [...byMoment]
    .sort(([a], [b]) => a - b)
    .flatMap(([momentUnix, own]) => inOrderOfLinks(own).map(({ id }) => ({ id, momentUnix })))
  return new Map(order.map(({ id, momentUnix }, playIndex) => [id, { momentUnix, playIndex }]))
}
