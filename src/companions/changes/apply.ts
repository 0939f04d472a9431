import { pick } from './differences.ts'
import type { TournamentRows } from './rows.ts'
import type { Change, ChangedFight, ChangedGame } from './schema.ts'

/** A game after a change of the fight in it. */
const gameAfter = (game: ChangedGame, fight: ChangedFight): ChangedGame => ({
  ...game,
  ...pick(fight, Object.keys(game)),
})

const withEntry = <Key, Row>(rows: ReadonlyMap<Key, Row>, key: Key, row: Row): Map<Key, Row> =>
  new Map(rows).set(key, row)

const without = <Key, Row>(
  rows: ReadonlyMap<Key, Row>,
  isRemoved: (row: Row, key: Key) => boolean,
): Map<Key, Row> => new Map([...rows].filter(([key, row]) => !isRemoved(row, key)))

/** The rows of a tournament after a change of it; null if it must be read again. */
export const applyToTournament = (rows: TournamentRows, change: Change): TournamentRows | null => {
  switch (change.type) {
    case 'fight.called':
    case 'fight.started':
    case 'fight.ended':
    case 'fight.corrected':
    case 'schedule.changed': {
      const { gameID, after } = change
      const game = rows.games.get(gameID)
      return {
        ...rows,
        fights: withEntry(rows.fights, gameID, after),
        games: game ? withEntry(rows.games, gameID, gameAfter(game, after)) : rows.games,
      }
    }
    case 'fight.removed': {
      const { gameID } = change
      const isOfFight = (row: { gameID: string }): boolean => row.gameID === gameID
      return {
        ...rows,
        fights: without(rows.fights, isOfFight),
        recordings: without(rows.recordings, isOfFight),
        clips: without(rows.clips, isOfFight),
      }
    }
    case 'bracket.advanced':
      return { ...rows, games: withEntry(rows.games, change.gameID, change.after) }
    case 'recording.added':
    case 'recording.changed': {
      const { after } = change
      return { ...rows, recordings: withEntry(rows.recordings, after.recordingID, after) }
    }
    case 'recording.removed':
      return {
        ...rows,
        recordings: without(rows.recordings, (_, id) => id === change.recordingID),
      }
    case 'clip.added':
    case 'clip.changed':
      return { ...rows, clips: withEntry(rows.clips, change.after.token, change.after) }
    case 'clip.removed':
      return { ...rows, clips: without(rows.clips, (_, token) => token === change.token) }
    case 'still.added':
    case 'still.changed':
      return { ...rows, stills: withEntry(rows.stills, change.after.stillID, change.after) }
    case 'still.removed':
      return { ...rows, stills: without(rows.stills, (_, id) => id === change.stillID) }
    case 'tournament.changed':
      return change.reload ? null : { ...rows, row: change.after }
    case 'tournament.added':
    case 'tournament.removed':
      return null
    case 'bot.renamed':
    case 'cage.changed':
      return rows
  }
}

/** The tournament that the changed row was in before; undefined if it is still in the same one. */
export const movedFrom = (change: Change): string | undefined => {
  switch (change.type) {
    case 'recording.changed':
    case 'clip.changed':
    case 'still.changed':
      return change.before?.tournamentID
    default:
      return undefined
  }
}

/** The rows of {@link movedFrom} after a change. */
export const leaveTournament = (rows: TournamentRows, change: Change): TournamentRows => ({
  ...rows,
  recordings: without(
    rows.recordings,
    (_, id) => change.type === 'recording.changed' && id === change.after.recordingID,
  ),
  clips: without(
    rows.clips,
    (_, token) => change.type === 'clip.changed' && token === change.after.token,
  ),
  stills: without(
    rows.stills,
    (_, id) => change.type === 'still.changed' && id === change.after.stillID,
  ),
})
