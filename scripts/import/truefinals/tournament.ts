import {
  type BracketRow,
  formatTypes,
  gameStates,
  privacies,
  type RoundRow,
  slotStates,
} from '../../../src/data/source/rows.ts'
import { bracketName } from '../brackets.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { isExhibitionId } from '../target/references.ts'
import {
  count,
  flag,
  type Loose,
  oneOf,
  record,
  records,
  text,
  textOrNull,
  unixSeconds,
  unixTime,
  wholePounds,
} from '../values.ts'

type Game = NonNullable<ImportedTournament['games']>[number]
type Slot = NonNullable<ImportedTournament['slots']>[number]

/** Cage of a location: `Cage 2` for every spelling of it, else the location's name. */
export const cageOf = (location: Loose): string | null => {
  const name = text(location.name).trim()
  const number = cageNumber(location)
  return number === undefined ? name || null : `Cage ${number}`
}

/** Number of a location named `2`, `Cage 2` or `Arena 2`. */
export const cageNumber = ({ name }: Loose): number | undefined => {
  const digits = /^(?:\p{L}+\s*)?#?(\d{1,4})$/u.exec(text(name).trim())?.[1]
  return digits && Number(digits) > 0 ? Number(digits) : undefined
}

const titlePattern = /(?<!\d)(?<!\d[.,])((?<!\S)\.\d+|\d{1,4}(?:[.,]\d+)?)\s*-?(?:lbs?|pounds?)\b/i

/** Pounds in a title such as `Spring 30lb`. */
const poundsOf = (title: string): number | undefined => {
  const digits = titlePattern.exec(title)?.[1]
  return digits ? wholePounds(Number(digits.replace(',', '.'))) : undefined
}

/** The bracket software has no weight class: an option gives it, or the title. */
const tournamentRow = (
  source: Loose,
  weight: number | undefined,
): ImportedTournament['tournament'] => {
  const format = record(source.format)
  const scoring = record(format.scoring)
  const [startTime, endTime] = [unixSeconds(source.startTime), unixSeconds(source.endTime)]
  const name = text(source.title)
  const createTime = unixSeconds(source.createTime) ?? undefined
  return {
    id: text(source.id),
    name,
    createTime,
    scheduledStartTime: unixSeconds(source.scheduledStartTime),
    startTime,
    endTime,
    updateTime: unixSeconds(source.updateTime) ?? createTime,
    weightClass: weight ?? poundsOf(name),
    active: startTime !== null && endTime === null,
    privacy: oneOf(source.privacy, privacies) ?? 'private',
    formatType: oneOf(format.type, formatTypes),
    scoringType: text(scoring.type),
    allowedWinAnnotations: Array.isArray(scoring.allowedWinAnnotations)
      ? scoring.allowedWinAnnotations.map(text)
      : [],
    scoreToWin: count(format.scoreToWin) ?? undefined,
  }
}

/** Brackets of the format, then brackets that only games name: exhibitions and round robins. */
const planOf = (
  source: Loose,
  games: readonly Loose[],
): { readonly brackets: readonly BracketRow[]; readonly rounds: readonly RoundRow[] } => {
  const brackets: BracketRow[] = []
  const rounds: RoundRow[] = []
  const addBracket = (id: string, name: string): void => {
    if (id === '' || brackets.some((each) => each.id === id)) return
    brackets.push({
      id,
      position: brackets.length,
      name,
      isExhibition: isExhibitionId(id),
      formatType: null,
    })
  }
  const addRound = (row: RoundRow): void => {
    if (rounds.some((each) => each.bracketId === row.bracketId && each.idx === row.idx)) return
    rounds.push(row)
  }
  for (const bracket of records(record(source.format).brackets)) {
    const id = text(bracket.id)
    addBracket(id, text(bracket.name))
    for (const round of records(bracket.rounds)) {
      addRound({
        bracketId: id,
        idx: count(round.idx) ?? 0,
        name: text(round.name),
        scoreToWin: count(round.scoreToWin) ?? 1,
      })
    }
  }
  for (const game of games) {
    const bracketId = text(game.bracketID)
    const idx = count(game.round) ?? 0
    addBracket(bracketId, bracketName(bracketId))
    const name = isExhibitionId(bracketId) ? bracketName(bracketId) : `Round ${idx + 1}`
    addRound({ bracketId, idx, name, scoreToWin: count(game.scoreToWin) ?? 1 })
  }
  return { brackets, rounds }
}

const slotRows = (game: Loose): readonly Slot[] =>
  records(game.slots).flatMap((slot): Slot[] => {
    const idx = count(slot.slotIdx)
    if (idx !== 0 && idx !== 1) return []
    return [
      {
        gameId: text(game.id),
        idx,
        playerId: textOrNull(slot.playerID),
        prevGameId: textOrNull(slot.prevGameID),
        // -1 is a loss by default, which the state tells.
        score: count(slot.score),
        state: oneOf(slot.slotState, slotStates) ?? 'pending',
        isReady: unixSeconds(slot.checkInTime) !== null,
      },
    ]
  })

/** The software records when a game was made active and closed, not when the fight stopped. */
const gameRow = (
  game: Loose,
  position: number,
  cages: ReadonlyMap<string, string | null>,
): Game => {
  const state = oneOf(game.state, gameStates) ?? 'unavailable'
  const hasBegun = state === 'active' || state === 'done'
  const location = textOrNull(game.locationID)
  return {
    id: text(game.id),
    bracketId: text(game.bracketID),
    roundIdx: count(game.round) ?? 0,
    position,
    name: text(game.name),
    state,
    cage: location === null ? null : (cages.get(location) ?? null),
    winAnnotation: textOrNull(game.resultAnnotation),
    loserPlacement: count(game.loserPlacement),
    scheduledTime: unixSeconds(game.scheduledTime),
    availableSince: unixSeconds(game.availableSince),
    calledSince: unixSeconds(game.calledSince),
    startTime: hasBegun ? (unixTime(game.activeSince) ?? undefined) : null,
    // Other software may know it.
    stopTime: hasBegun ? undefined : null,
    endTime: state === 'done' ? unixSeconds(game.endTime) : null,
  }
}

const byeId = /^bye-/

/** Players, and byes that only slots name. */
const playerRows = (
  players: readonly Loose[],
  games: readonly Loose[],
): NonNullable<ImportedTournament['players']> => {
  const listed = new Map(players.map((player) => [text(player.id), player]))
  const byes = games
    .flatMap((game) => records(game.slots))
    .map((slot) => text(slot.playerID))
    .filter((id) => byeId.test(id) && !listed.has(id))
  return [
    ...[...listed].map(([id, player]) => ({
      id,
      name: text(player.name),
      seed: count(player.seed),
      isBye: flag(player.isBye) || byeId.test(id),
      isDisqualified: flag(player.isDisqualified),
    })),
    ...[...new Set(byes)].map((id) => ({ id, name: '(Bye)', isBye: true })),
  ]
}

/** The rows of a tournament, as far as the bracket software determines them. */
export const buildTrueFinals = (
  source: Loose,
  players: readonly Loose[],
  weight: number | undefined,
): ImportedTournament => {
  const games = records(source.games)
  const cages = new Map(
    records(source.locations).map((location) => [text(location.id), cageOf(location)]),
  )
  return {
    tournament: tournamentRow(source, weight),
    ...planOf(source, games),
    players: playerRows(players, games),
    games: games.map((game, position) => gameRow(game, position, cages)),
    slots: games.flatMap(slotRows),
  }
}
