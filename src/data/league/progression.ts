import type { Game } from './types.ts'

/** Link from a game to the one that its winner or loser goes to. */
export interface Feed {
  readonly source: Game
  readonly target: Game
  readonly corner: 0 | 1
  readonly takes: 'winner' | 'loser'
}

/** The corners of a game by index, with the game that feeds each. */
const cornersOf = ({ red, blue }: Game) => [
  { corner: 0 as const, prevGameID: red.prevGameID },
  { corner: 1 as const, prevGameID: blue.prevGameID },
]

/** True if the name says that the game is for third place, in some languages. */
const isThirdPlace = ({ name, roundName }: Game): boolean =>
  /\b(third|3rd|bronze|platz 3|trois|tercer|terz)/i.test(`${name} ${roundName}`)

/** Distance from the final: the lower, the closer. */
const importance = (game: Game): number => game.loserPlacement ?? Number.MAX_SAFE_INTEGER

/**
 * Targets of winner and loser of each game. They follow only from the structure, so that no outcome shows: if a game
 * has two ways out, the winner takes the one that stays in the bracket, else leads closer to the final, else does not
 * lead to a game for third place, else is listed first. A single way out is the loser's only if it leads into another
 * bracket and the loser is not out.
 */
const takesOf = (
  source: Game,
  target: Game,
  corner: 0 | 1,
  others: readonly Game[],
): Feed['takes'] => {
  const [other] = others.filter((each) => each !== target)
  const isWithin = source.bracketID === target.bracketID
  if (others.length > 1 && !other) return corner === 0 ? 'winner' : 'loser'
  if (other) {
    const isOtherWithin = source.bracketID === other.bracketID
    if (isWithin !== isOtherWithin) return isWithin ? 'winner' : 'loser'
    const by = importance(target) - importance(other)
    if (by !== 0) return by < 0 ? 'winner' : 'loser'
    const isForThird = [target, other].map(isThirdPlace)
    if (isForThird[0] !== isForThird[1]) return isForThird[0] ? 'loser' : 'winner'
    return target === others[0] ? 'winner' : 'loser'
  }
  return isWithin || source.loserPlacement !== null ? 'winner' : 'loser'
}

/** Every link between the games; a way out that leads nowhere else is left out. */
export const feedsOf = (games: readonly Game[]): readonly Feed[] => {
  const byID = new Map(games.map((game) => [game.id, game]))
  const targets = new Map<string, Game[]>()
  const pairs = games.flatMap((target) =>
    cornersOf(target).flatMap(({ corner, prevGameID }) => {
      const source = prevGameID === null ? undefined : byID.get(prevGameID)
      if (!source || source === target) return []
      targets.set(source.id, [...(targets.get(source.id) ?? []), target])
      return [{ source, target, corner }]
    }),
  )
  const feeds = pairs.map(
    (pair): Feed => ({
      ...pair,
      takes: takesOf(pair.source, pair.target, pair.corner, targets.get(pair.source.id) ?? []),
    }),
  )
  const unbeaten = new Set<Game>()
  for (const { source, target, takes } of feeds) {
    const isSecondChance = source.round < 0 && (targets.get(source.id)?.length ?? 0) > 1
    if (isSecondChance && takes === 'winner') unbeaten.add(target)
  }
  // A second win in qualifying by two losses qualifies; a single way on is the loser's.
  return feeds.map((feed) =>
    unbeaten.has(feed.source) && targets.get(feed.source.id)?.length === 1
      ? { ...feed, takes: 'loser' }
      : feed,
  )
}

/**
 * `roots` and the games that lead to them, each after the games that feed it, in the order of the corners. It does not
 * recurse, because chains can be long; in a circle, which bad data can have, it begins anywhere.
 */
export const inOrder = (
  roots: readonly Game[],
  feedersOf: (game: Game) => readonly Game[],
): readonly Game[] => {
  const seen = new Set<Game>()
  const ordered: Game[] = []
  for (const root of roots) {
    if (seen.has(root)) continue
    seen.add(root)
    const stack = [{ game: root, rest: [...feedersOf(root)] }]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const feeder = top.rest.shift()
      if (feeder === undefined) {
        ordered.push(top.game)
        stack.pop()
      } else if (!seen.has(feeder)) {
        seen.add(feeder)
        stack.push({ game: feeder, rest: [...feedersOf(feeder)] })
      }
    }
  }
  return ordered
}
