import { type BracketRow, type RoundRow, stageFormats } from '../../../src/data/source/rows.ts'
import { bracketName } from '../brackets.ts'
import { isExhibitionId } from '../target/references.ts'
import { count, integer, type Loose, oneOf, record, records, text } from '../values.ts'
import type { TournamentResponses } from './responses.ts'

/** A game of a bracket with its place in it. */
export interface PlacedGame {
  readonly id: string
  readonly bracketId: string
  readonly roundIdx: number
  readonly position: number
  /** Element of `games` of the bracket; empty if only the list of fights has the game. */
  readonly game: Loose
}

export interface PlacedGames {
  readonly brackets: readonly BracketRow[]
  readonly rounds: readonly RoundRow[]
  readonly games: readonly PlacedGame[]
}

/** Bracket of a game that no bracket lists: the letters of its id. */
const bracketOf = (gameId: string): string => /^[A-Z]{1,3}(?=-)/.exec(gameId)?.[0] ?? 'W'

/** Brackets of a response, with the games that only the list of fights has. */
const bracketsOf = ({ brackets, fights }: TournamentResponses) => {
  const listed = records(brackets.brackets).map((bracket) => ({
    id: text(bracket.bracketID),
    name: text(bracket.bracketName),
    games: records(bracket.games),
  }))
  const known = new Set(listed.flatMap(({ games }) => games.map((game) => text(game.id))))
  const others = [...fights].flatMap(([id, { summary }]) =>
    summary && !known.has(id) ? [{ ...summary, id }] : [],
  )
  for (const [id, rows] of Map.groupBy(others, (game) => bracketOf(game.id))) {
    const own = listed.find((bracket) => bracket.id === id)
    if (own) own.games = [...own.games, ...rows]
    else listed.push({ id, name: bracketName(id), games: rows })
  }
  return listed.filter(({ id }) => id !== '')
}

/**
 * Round of each game of an exhibition bracket. Its games are in the order of rounds, which the API does not give: a
 * game has the first round with the right name and score, from the previous game's on.
 */
const exhibitionRounds = (
  games: readonly Loose[],
  rounds: RoundRow[],
  bracketId: string,
  roundName: (gameId: string) => string | undefined,
): readonly number[] => {
  let at = 0
  return games.map((game) => {
    const name = roundName(text(game.id))
    const scoreToWin = count(game.scoreToWin)
    const isNamed = (round: RoundRow): boolean => name === undefined || round.name === name
    const find = (fits: (round: RoundRow) => boolean): number =>
      rounds.findIndex((round, index) => index >= at && fits(round))
    const exact = find((round) => isNamed(round) && round.scoreToWin === scoreToWin)
    const found = exact >= 0 ? exact : find(isNamed)
    if (found >= 0) at = found
    if (rounds.length === 0) {
      rounds.push({ bracketId, idx: 0, name: name ?? '', scoreToWin: scoreToWin ?? 1 })
    }
    return rounds[at]?.idx ?? 0
  })
}

/** Brackets, rounds and the places of all games. */
export const placeGames = (responses: TournamentResponses): PlacedGames => {
  const formats = new Map(
    records(record(responses.brackets.format).brackets).map((each) => [text(each.id), each]),
  )
  const roundName = (gameId: string): string | undefined => {
    const { details, stats } = responses.fights.get(gameId) ?? {}
    const found = record(details?.player1).roundName ?? stats?.roundName
    return found === undefined ? undefined : text(found)
  }
  const brackets: BracketRow[] = []
  const rounds: RoundRow[] = []
  const games: PlacedGame[] = []
  for (const { id, name, games: listed } of bracketsOf(responses)) {
    const numbers = listed.flatMap((game) => integer(game.round) ?? [])
    const isExhibition = numbers.length > 0 ? numbers.some((n) => n < 0) : isExhibitionId(id)
    const type = oneOf(formats.get(id)?.type, stageFormats)
    const isOwn = type && type !== record(responses.brackets.format).type
    const formatType = isOwn ? type : null
    brackets.push({ id, position: brackets.length, name, isExhibition, formatType })
    const own = records(formats.get(id)?.rounds)
      .map(
        (round): RoundRow => ({
          bracketId: id,
          idx: count(round.idx) ?? 0,
          name: text(round.name),
          scoreToWin: count(round.scoreToWin) ?? 1,
        }),
      )
      .sort((a, b) => a.idx - b.idx)
    const places = isExhibition
      ? exhibitionRounds(listed, own, id, roundName)
      : listed.map((game) => Math.max(0, count(game.round) ?? 0))
    for (const [position, game] of listed.entries()) {
      const roundIdx = places[position] ?? 0
      if (!own.some(({ idx }) => idx === roundIdx)) {
        own.push({
          bracketId: id,
          idx: roundIdx,
          name: roundName(text(game.id)) ?? '',
          scoreToWin: count(game.scoreToWin) ?? 1,
        })
      }
      games.push({ id: text(game.id), bracketId: id, roundIdx, position, game })
    }
    rounds.push(...own)
  }
  return { brackets, rounds, games }
}
