import type { Steps } from '../../runtime/timeSlice.ts'
import { differences, eachChange, isSameRow, pick } from './differences.ts'
import { distinctNames, sameStructure, type TournamentRows } from './rows.ts'
import type { Change, ChangedFight, ChangedGame } from './schema.ts'

/** Number of changes above which a tournament is one `reload` and its results instead. */
export const maxChangesAtOnce = 200

const segment = encodeURIComponent
const tournamentUrl = (id: string): string => `/tournaments/${segment(id)}`
const fightUrl = (tournamentID: string, gameID: string): string =>
  `${tournamentUrl(tournamentID)}/fights/${segment(gameID)}`

export const botsOfFight = ({
  player1clean,
  player2clean,
}: Pick<ChangedFight, 'player1clean' | 'player2clean'>): string[] =>
  distinctNames([player1clean, player2clean])

type FightNames = Pick<ChangedFight, 'tournamentID' | 'gameID' | 'player1clean' | 'player2clean'>

/** Place of a fight's change, and the bots concerned. */
export const fightPlace = (after: FightNames, before?: FightNames) => ({
  tournamentID: after.tournamentID,
  gameID: after.gameID,
  bots: distinctNames([...botsOfFight(after), ...(before ? botsOfFight(before) : [])]),
  url: fightUrl(after.tournamentID, after.gameID),
})

const scheduleFields: ReadonlySet<string> = new Set([
  'waitsAs',
  'cage',
  'scheduledTime',
  'calledSince',
  'availableSince',
])

/** The same rule as `isCompleted` of a fight: its state is no result yet, because the result can be written later. */
const hasOutcome = ({ winAnnotation, slots }: ChangedFight): boolean =>
  winAnnotation !== '' ||
  slots.some(({ isWinner, slotState }) => isWinner === 1 || slotState === 'tie')

const fightChangeType = (
  before: ChangedFight | undefined,
  after: ChangedFight,
  changed: readonly string[],
) => {
  if (hasOutcome(after) && !(before && hasOutcome(before))) return 'fight.ended'
  if (after.state === 'active' && (before?.state ?? 'pending') === 'pending') return 'fight.started'
  if (after.state !== 'pending' || (before && before.state !== 'pending')) return 'fight.corrected'
  if (after.waitsAs === 'called' && before?.waitsAs !== 'called') return 'fight.called'
  return changed.every((name) => scheduleFields.has(name)) ? 'schedule.changed' : 'fight.corrected'
}

const fightChange = (before: ChangedFight | undefined, after: ChangedFight): Change | undefined => {
  const changed = before ? differences('fight', before, after) : []
  if (before && changed.length === 0) return undefined
  return {
    type: fightChangeType(before, after, changed),
    ...fightPlace(after, before),
    ...(before && { before: pick(before, changed) }),
    after,
  }
}

const feedsOf = ({ slots }: ChangedGame) =>
  slots.map(({ playerID, prevGameID }) => ({ playerID, prevGameID }))

/** Change of a game; undefined if the change of its fight covers it. */
const gameChange = (
  before: ChangedGame,
  after: ChangedGame,
  {
    id: tournamentID,
    bots,
    fight,
    wasFight,
  }: { id: string; bots: string[]; fight?: ChangedFight; wasFight: boolean },
): Change | undefined => {
  const changed = differences('game', before, after)
  const isCovered =
    fight &&
    before.scoreToWin === after.scoreToWin &&
    before.loserPlacement === after.loserPlacement &&
    Bun.deepEquals(feedsOf(before), feedsOf(after))
  if (isCovered || (changed.length === 0 && !wasFight)) return undefined
  return {
    type: 'bracket.advanced',
    tournamentID,
    gameID: after.id,
    bots,
    url: `${tournamentUrl(tournamentID)}/brackets`,
    before: pick(before, changed),
    after,
  }
}

/** Both versions of a tournament's rows; `isReloaded` if readers must read the tournament again. */
export type RowPair = readonly [before: TournamentRows, after: TournamentRows, isReloaded?: boolean]

const isFightRemoved = ([before, after]: RowPair, gameID: string): boolean =>
  before.fights.has(gameID) && !after.fights.has(gameID)

/** Rows that keep their key when they move from one tournament to another. */
type Movable = Pick<TournamentRows, 'recordings' | 'clips' | 'stills'>

/** Rows of all tournaments before, without rows that moving fights take along, and rows after. */
const movableRows = (pairs: readonly RowPair[]): readonly [before: Movable, after: Movable] => {
  const staying = <Key, Row extends { readonly gameID: string }>(
    pair: RowPair,
    rows: ReadonlyMap<Key, Row>,
  ) => [...rows].filter(([, { gameID }]) => !isFightRemoved(pair, gameID))
  return [
    {
      recordings: new Map(pairs.flatMap((pair) => staying(pair, pair[0].recordings))),
      clips: new Map(pairs.flatMap((pair) => staying(pair, pair[0].clips))),
      stills: new Map(pairs.flatMap(([before]) => [...before.stills])),
    },
    {
      recordings: new Map(pairs.flatMap(([, after]) => [...after.recordings])),
      clips: new Map(pairs.flatMap(([, after]) => [...after.clips])),
      stills: new Map(pairs.flatMap(([, after]) => [...after.stills])),
    },
  ]
}

const removals = (pair: RowPair, everywhere: Movable): Change[] => {
  const [before] = pair
  const tournamentID = before.row.tournamentID
  const changes: Change[] = []
  const isRemoved = (gameID: string): boolean => isFightRemoved(pair, gameID)
  for (const gameID of before.fights.keys()) {
    if (!isRemoved(gameID)) continue
    const url = fightUrl(tournamentID, gameID)
    changes.push({ type: 'fight.removed', tournamentID, gameID, bots: [], url })
  }
  for (const [recordingID, { gameID }] of before.recordings) {
    // A moving fight takes its recordings and clips along.
    if (everywhere.recordings.has(recordingID) || isRemoved(gameID)) continue
    const url = `/video-feeds/${recordingID}`
    changes.push({ type: 'recording.removed', tournamentID, gameID, recordingID, bots: [], url })
  }
  for (const [token, { gameID }] of before.clips) {
    if (everywhere.clips.has(token) || isRemoved(gameID)) continue
    const url = `/clips/${segment(token)}`
    changes.push({ type: 'clip.removed', tournamentID, token, bots: [], url })
  }
  for (const stillID of before.stills.keys()) {
    if (everywhere.stills.has(stillID)) continue
    const url = `/stills/${stillID}`
    changes.push({ type: 'still.removed', tournamentID, stillID, bots: [], url })
  }
  return changes
}

/** `known` holds the previous rows of all tournaments, so that a moved row is found. */
const additions = (
  [before, after]: RowPair,
  known: Movable,
  botsBefore: (tournamentID: string, gameID: string) => string[],
): Change[] => {
  const tournamentID = after.row.tournamentID
  const changes: Change[] = []
  for (const [id, fight] of after.fights) {
    const change = fightChange(before.fights.get(id), fight)
    if (change) changes.push(change)
  }
  for (const [id, game] of after.games) {
    const old = before.games.get(id)
    if (!old) continue
    const fight = after.fights.get(id)
    const wasFight = before.fights.has(id)
    const bots = distinctNames([...after.botsOf(id), ...before.botsOf(id)])
    const change = gameChange(old, game, {
      id: tournamentID,
      bots,
      wasFight,
      ...(fight && { fight }),
    })
    if (change) changes.push(change)
  }
  eachChange('recording', known.recordings, after.recordings, (old, row, changed) => {
    const { gameID, recordingID } = row
    const oldBots = old ? botsBefore(old.tournamentID, old.gameID) : []
    const place = {
      tournamentID,
      gameID,
      bots: distinctNames([...after.botsOf(gameID), ...oldBots]),
      url: `/video-feeds/${recordingID}`,
    }
    changes.push(
      old
        ? { type: 'recording.changed', ...place, before: pick(old, changed), after: row }
        : { type: 'recording.added', ...place, after: row },
    )
  })
  eachChange('clip', known.clips, after.clips, (old, row, changed) => {
    const { gameID, token } = row
    const url = `/clips/${segment(token)}`
    const bots = distinctNames([...botsOfFight(row), ...(old ? botsOfFight(old) : [])])
    const place = { tournamentID, gameID, bots, url }
    changes.push(
      old
        ? { type: 'clip.changed', ...place, before: pick(old, changed), after: row }
        : { type: 'clip.added', ...place, after: row },
    )
  })
  eachChange('still', known.stills, after.stills, (old, row, changed) => {
    const bots = distinctNames([row.bot?.cleanName, old?.bot?.cleanName])
    const place = { tournamentID, bots, url: `/stills/${row.stillID}` }
    changes.push(
      old
        ? { type: 'still.changed', ...place, before: pick(old, changed), after: row }
        : { type: 'still.added', ...place, after: row },
    )
  })
  return changes
}

export const tournamentAdded = ({ row, bots }: TournamentRows): Change => ({
  type: 'tournament.added',
  tournamentID: row.tournamentID,
  bots: bots(),
  url: tournamentUrl(row.tournamentID),
  after: row,
})

export const tournamentRemoved = (tournamentID: string): Change => ({
  type: 'tournament.removed',
  tournamentID,
  bots: [],
  url: tournamentUrl(tournamentID),
})

/** The row of a tournament; with `reload` it asks readers to read the tournament again. */
const tournamentChange = ([before, after]: RowPair, reload: boolean): Change => ({
  type: 'tournament.changed',
  tournamentID: after.row.tournamentID,
  bots: distinctNames([...after.bots(), ...before.bots()]),
  url: tournamentUrl(after.row.tournamentID),
  before: pick(before.row, differences('tournament', before.row, after.row)),
  reload,
  after: after.row,
})

/** Changes of tournaments, from the rows of both versions. */
export function* diffTournaments(pairs: readonly RowPair[]): Steps<Change[]> {
  const [known, everywhere] = movableRows(pairs)
  const rowsBefore = new Map(pairs.map(([before]) => [before.row.tournamentID, before]))
  const botsBefore = (tournamentID: string, gameID: string): string[] =>
    rowsBefore.get(tournamentID)?.botsOf(gameID) ?? []
  const changes: Change[] = []
  for (const pair of pairs) {
    yield
    const [before, after, isReloaded = false] = pair
    changes.push(...removals(pair, everywhere))
    const added = additions(pair, known, botsBefore)
    const results = added.filter(({ type }) => type === 'fight.ended')
    const lists = isReloaded ? [results] : [added, results]
    const listed = lists.find(({ length }) => length <= maxChangesAtOnce) ?? []
    const isRead = listed !== added || !sameStructure(before.tournament, after.tournament)
    if (isRead || !isSameRow('tournament', before.row, after.row))
      changes.push(tournamentChange(pair, isRead))
    changes.push(...listed)
  }
  return changes
}
