import { cleanName } from '../../../src/data/league/cleanName.ts'
import { formatTypes, privacies, type TournamentRow } from '../../../src/data/source/rows.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { count, dateTime, flag, oneOf, record, records, text, textOrNull } from '../values.ts'
import { gameRows } from './games.ts'
import { clipRows, stillRows } from './media.ts'
import type { TournamentResponses } from './responses.ts'
import { placeGames } from './rounds.ts'

/** Names every column but the one that the import itself fills, so that the compiler finds one that no import reads. */
type EachColumn<Row> = Readonly<Record<keyof Row, unknown>>

/** A field as read; undefined, which keeps the present value, if the server lacks it. */
const known = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value)

const tournamentRow = ({
  tournament: source,
  brackets,
}: TournamentResponses): ImportedTournament['tournament'] => {
  const format = record(brackets.format)
  const scoring = record(format.scoring)
  const type = text(format.type)
  const scheduledStartTime = dateTime(source.scheduledStartTime)
  const [startTime, endTime] = [dateTime(source.startTime), dateTime(source.endTime)]
  const createTime = dateTime(source.createTime) ?? scheduledStartTime ?? startTime ?? endTime
  return {
    id: text(source.tournamentID),
    name: text(source.tournamentName),
    createTime: createTime ?? undefined,
    scheduledStartTime,
    startTime,
    endTime,
    updateTime: dateTime(source.updateTime) ?? endTime ?? startTime ?? createTime ?? undefined,
    weightClass: count(source.WeightClass ?? source.weightClass) ?? 0,
    weightClassName: known(source.weightClassName, textOrNull),
    weightGrams: known(source.weightGrams, count),
    active: flag(source.active),
    isTest: flag(source.isTest),
    isFreestyle: flag(source.isFreestyle),
    // An unknown setting is hidden.
    privacy: oneOf(text(source.privacy) || 'public', privacies) ?? 'private',
    formatType: oneOf(type, formatTypes),
    scoringType: known(scoring.type, text),
    allowedWinAnnotations: Array.isArray(scoring.allowedWinAnnotations)
      ? scoring.allowedWinAnnotations.map(text)
      : undefined,
    scoreToWin: count(format.scoreToWin) ?? undefined,
  } satisfies EachColumn<Omit<TournamentRow, 'source'>>
}

type Players = NonNullable<ImportedTournament['players']>

/**
 * Players of the bracket. The list shows an unseeded player and one with seed 0 alike; corners of fights do not, and in
 * the list, which is sorted by seed, the unseeded come last.
 */
const listedPlayers = ({ brackets, fights }: TournamentResponses): Players => {
  const seeds = new Map<string, string>()
  for (const { details } of fights.values()) {
    for (const corner of [record(details?.player1), record(details?.player2)]) {
      if (corner.seed !== undefined) seeds.set(text(corner.playerID), text(corner.seed))
    }
  }
  const listed = records(brackets.players)
  const lastSeeded = listed.findLastIndex(({ seed }) => (count(seed) ?? 0) > 0)
  return listed.map((player, index) => {
    const id = text(player.playerID)
    const own = seeds.get(id)
    const seed = count(own ?? player.seed)
    const isUnseeded = own === undefined && seed === 0 && index > lastSeeded
    return {
      id,
      name: text(player.name),
      seed: isUnseeded ? null : seed,
      isBye: flag(player.isBye),
      isDisqualified: flag(player.isDisqualified),
      team: known(player.team, textOrNull),
      driver: known(player.driver, textOrNull),
    }
  })
}

/** Players that only fights or slots name: byes, and all others on a server that does not list them. */
const unlistedPlayers = ({ brackets, fights }: TournamentResponses, listed: Players): Players => {
  const ids = new Set(listed.map(({ id }) => id))
  const names = new Set(listed.map(({ name }) => name))
  const added = new Map<string, Players[number]>()
  const add = (id: string, name: string, isBye = false): void => {
    if (id !== '' && !ids.has(id) && !added.has(id)) added.set(id, { id, name, isBye })
  }
  for (const { summary, details } of fights.values()) {
    for (const number of [1, 2]) {
      const corner = record(details?.[`player${number}`])
      const name = text(corner.name) || text(summary?.[`player${number}`])
      const id = textOrNull(corner.playerID)
      if (id !== null) add(id, name, flag(corner.isBye))
      else if (name !== '' && !names.has(name)) add(cleanName(name), name)
    }
  }
  for (const bracket of records(brackets.brackets)) {
    for (const slot of records(bracket.games).flatMap((game) => records(game.slots))) {
      const id = text(slot.playerID)
      if (id.startsWith('bye-')) add(id, '(Bye)', true)
    }
  }
  return [...added.values()]
}

/** The rows of a tournament, as far as the API determines them. */
export const buildImport = (responses: TournamentResponses, source: string): ImportedTournament => {
  const listed = listedPlayers(responses)
  const players = [...listed, ...unlistedPlayers(responses, listed)]
  const playerIds = new Map(players.map(({ id, name }) => [name ?? '', id]))
  const { brackets, rounds, games: placed } = placeGames(responses)
  const games = placed.map((game) => gameRows(responses, game, playerIds))
  const { clips, stills, curatedStills } = responses
  return {
    tournament: { ...tournamentRow(responses), source },
    brackets,
    rounds,
    players,
    games: games.map(({ row }) => row),
    slots: games.flatMap(({ slots }) => slots),
    pauses: games.flatMap(({ pauses }) => pauses),
    judgeLines: games.flatMap((game) => game.judgeLines),
    recordings: games.flatMap(({ recordings }) => recordings),
    clips: clips && clipRows(clips),
    ...(stills && stillRows(stills, players, curatedStills)),
    unreadGames: new Set(games.filter(({ isUnread }) => isUnread).map(({ row }) => row.id)),
  }
}

/** Id of a tournament, fight or row if it can be part of a URL; undefined otherwise. */
export const usableId = (value: unknown): string | undefined => {
  const id = text(value)
  return id === '' || id.length > 128 || id === '.' || id === '..' ? undefined : id
}

/** True if a row belongs to a tournament; a row without an id belongs to the requested one. */
export const isOf = (row: object, tournamentId: string): boolean =>
  !('tournamentID' in row) || text(row.tournamentID) === tournamentId
