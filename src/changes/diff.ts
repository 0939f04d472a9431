import type { Archive } from '../archive/archive.ts'
import type { Cages } from '../league/types.ts'
import {
  botRow,
  cageRow,
  differingRows,
  distinctNames,
  sameEntrants,
  type TournamentRows,
  tournamentRows,
} from './rows.ts'
import type { Change, ChangedBot, ChangedCage, ChangedFight, ChangedGame } from './schema.ts'

/** Above this number, the changes of one tournament are one `reload` and its results instead. */
export const maxChangesAtOnce = 200

type Fields = Readonly<Record<string, unknown>>

/** Fields that follow other rows, or time, and make no change of their own. */
const derivedFields = {
  /** The first two follow the tournament, the third the recordings. */
  fight: new Set(['tournamentName', 'weightClass', 'cams', 'matchLength']),
  game: new Set<string>(),
  /** Follows the start of the fight. */
  recording: new Set(['fightStartOffset']),
  clip: new Set(['views', 'likes']),
  /** The name of the tournament. */
  still: new Set(['event']),
  tournament: new Set(['updateTime']),
  cage: new Set(['updatedTime', 'matchTime']),
  bot: new Set(['tournamentID']),
} as const
type Kind = keyof typeof derivedFields

/** The names of the fields in which two rows differ, derived ones left out. */
const differences = (kind: Kind, before: Fields, after: Fields): readonly string[] =>
  Object.keys(after).filter(
    (name) => !derivedFields[kind].has(name) && !Bun.deepEquals(before[name], after[name]),
  )

export const isSameRow = (kind: Kind, before: Fields, after: Fields): boolean =>
  differences(kind, before, after).length === 0

const pick = <Row extends Fields>(row: Row, names: readonly string[]): Partial<Row> => {
  const picked: Partial<Row> = {}
  for (const name in row) if (names.includes(name)) picked[name] = row[name]
  return picked
}

const segment = encodeURIComponent
const tournamentUrl = (id: string): string => `/tournaments/${segment(id)}`
const fightUrl = (tournamentID: string, gameID: string): string =>
  `${tournamentUrl(tournamentID)}/fights/${segment(gameID)}`

const botsOfFight = ({
  player1clean,
  player2clean,
}: Pick<ChangedFight, 'player1clean' | 'player2clean'>): string[] =>
  distinctNames([player1clean, player2clean])

const scheduleFields: ReadonlySet<string> = new Set([
  'waitsAs',
  'cage',
  'scheduledTime',
  'calledSince',
  'availableSince',
])

/** As `isCompleted` of a fight: its state alone is no result, which can be written later. */
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
  const { tournamentID, gameID } = after
  return {
    type: fightChangeType(before, after, changed),
    tournamentID,
    gameID,
    bots: botsOfFight(after),
    url: fightUrl(tournamentID, gameID),
    ...(before && { before: pick(before, changed) }),
    after,
  }
}

const feedsOf = ({ slots }: ChangedGame) =>
  slots.map(({ playerID, prevGameID }) => ({ playerID, prevGameID }))

/** Undefined if the change of the fight says it all. */
const gameChange = (
  before: ChangedGame,
  after: ChangedGame,
  { id: tournamentID, fight, wasFight }: { id: string; fight?: ChangedFight; wasFight: boolean },
): Change | undefined => {
  const changed = differences('game', before, after)
  const isCovered =
    fight &&
    before.scoreToWin === after.scoreToWin &&
    before.loserPlacement === after.loserPlacement &&
    Bun.deepEquals(feedsOf(before), feedsOf(after))
  if (isCovered || (changed.length === 0 && !(wasFight && !fight))) return undefined
  return {
    type: 'bracket.advanced',
    tournamentID,
    gameID: after.id,
    bots: fight ? botsOfFight(fight) : [],
    url: `${tournamentUrl(tournamentID)}/brackets`,
    before: pick(before, changed),
    after,
  }
}

/** Calls back with both versions of each row that was added or changed. */
const eachChange = <Key, Row extends Fields>(
  kind: Kind,
  before: ReadonlyMap<Key, Row>,
  after: ReadonlyMap<Key, Row>,
  found: (before: Row | undefined, after: Row, changed: readonly string[]) => void,
): void => {
  for (const [key, row] of after) {
    const known = before.get(key)
    const changed = known ? differences(kind, known, row) : []
    if (!known || changed.length > 0) found(known, row, changed)
  }
}

const removals = (before: TournamentRows, after: TournamentRows): Change[] => {
  const tournamentID = before.row.tournamentID
  const changes: Change[] = []
  const isRemoved = (gameID: string): boolean =>
    before.fights.has(gameID) && !after.fights.has(gameID)
  for (const gameID of before.fights.keys()) {
    if (!isRemoved(gameID)) continue
    const url = fightUrl(tournamentID, gameID)
    changes.push({ type: 'fight.removed', tournamentID, gameID, bots: [], url })
  }
  for (const [recordingID, { gameID }] of before.recordings) {
    // A fight takes its recordings and clips along.
    if (after.recordings.has(recordingID) || isRemoved(gameID)) continue
    const url = `/video-feeds/${recordingID}`
    changes.push({ type: 'recording.removed', tournamentID, gameID, recordingID, bots: [], url })
  }
  for (const [token, { gameID }] of before.clips) {
    if (after.clips.has(token) || isRemoved(gameID)) continue
    const url = `/clips/${segment(token)}`
    changes.push({ type: 'clip.removed', tournamentID, token, bots: [], url })
  }
  for (const stillID of before.stills.keys()) {
    if (after.stills.has(stillID)) continue
    changes.push({
      type: 'still.removed',
      tournamentID,
      stillID,
      bots: [],
      url: `/stills/${stillID}`,
    })
  }
  return changes
}

const additions = (before: TournamentRows, after: TournamentRows): Change[] => {
  const tournamentID = after.row.tournamentID
  const changes: Change[] = []
  for (const [id, fight] of after.fights) {
    const change = fightChange(before.fights.get(id), fight)
    if (change) changes.push(change)
  }
  for (const [id, game] of after.games) {
    const known = before.games.get(id)
    if (!known) continue
    const fight = after.fights.get(id)
    const wasFight = before.fights.has(id)
    const change = gameChange(known, game, { id: tournamentID, wasFight, ...(fight && { fight }) })
    if (change) changes.push(change)
  }
  eachChange('recording', before.recordings, after.recordings, (known, row, changed) => {
    const { gameID, recordingID } = row
    const place = {
      tournamentID,
      gameID,
      bots: after.botsOf(gameID),
      url: `/video-feeds/${recordingID}`,
    }
    changes.push(
      known
        ? { type: 'recording.changed', ...place, before: pick(known, changed), after: row }
        : { type: 'recording.added', ...place, after: row },
    )
  })
  eachChange('clip', before.clips, after.clips, (known, row, changed) => {
    const { gameID, token } = row
    const url = `/clips/${segment(token)}`
    const place = { tournamentID, gameID, bots: botsOfFight(row), url }
    changes.push(
      known
        ? { type: 'clip.changed', ...place, before: pick(known, changed), after: row }
        : { type: 'clip.added', ...place, after: row },
    )
  })
  eachChange('still', before.stills, after.stills, (known, row, changed) => {
    const { bot, stillID } = row
    const place = { tournamentID, bots: bot ? [bot.cleanName] : [], url: `/stills/${stillID}` }
    changes.push(
      known
        ? { type: 'still.changed', ...place, before: pick(known, changed), after: row }
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

/** Asks readers to read a tournament again. */
const tournamentReload = (after: TournamentRows, before?: TournamentRows): Change => ({
  type: 'tournament.changed',
  tournamentID: after.row.tournamentID,
  bots: after.bots(),
  url: tournamentUrl(after.row.tournamentID),
  ...(before && { before: pick(before.row, differences('tournament', before.row, after.row)) }),
  reload: true,
  after: after.row,
})

/** What changed in one tournament, given rows of both versions. */
export const diffTournament = (before: TournamentRows, after: TournamentRows): Change[] => {
  const removed = removals(before, after)
  const added = additions(before, after)
  const results = added.filter(({ type }) => type === 'fight.ended')
  const listed = [added, results].find(({ length }) => length <= maxChangesAtOnce) ?? []
  if (listed !== added || before.structure !== after.structure) {
    return [...removed, tournamentReload(after, before), ...listed]
  }
  const isSame = isSameRow('tournament', before.row, after.row)
  const row = isSame ? [] : [{ ...tournamentReload(after, before), reload: false } as const]
  return [...removed, ...row, ...added]
}

type CageRows = ReadonlyMap<number, ChangedCage>

/** The cages of an archive by number, at a time in Unix seconds. */
export const cageRows = (cages: Cages, now: number): CageRows =>
  new Map(Object.values(cages).map((cage) => [cage.number, cageRow(cage, cages, now)]))

export const diffCages = (before: CageRows, after: CageRows): Change[] => {
  const changes: Change[] = []
  const change = (cageNumber: number, row: ChangedCage | null): void => {
    const fights = row ? [...(row.match ? [row.match] : []), ...row.queue] : []
    const bots = distinctNames(fights.flatMap((fight) => [fight.player1clean, fight.player2clean]))
    const url = `/cages/${cageNumber}`
    changes.push({ type: 'cage.changed', cageNumber, bots, url, after: row })
  }
  eachChange('cage', before, after, (_, row) => change(row.cageNumber, row))
  for (const number of before.keys()) if (!after.has(number)) change(number, null)
  return changes
}

/** The name of before is left out where it is that of a tournament which is gone. */
const botChange = (before: ChangedBot, after: ChangedBot, isShown: boolean): Change => ({
  type: 'bot.renamed',
  tournamentID: after.tournamentID,
  bots: [after.cleanName],
  url: `/bots/${after.cleanName}`,
  ...(isShown && { before: { name: before.name, tournamentID: before.tournamentID } }),
  after,
})

/** `nameBefore` gives the names that readers know. */
export const diffBots = (
  names: Iterable<string>,
  nameBefore: (cleanName: string) => ChangedBot | undefined,
  after: Archive,
): Change[] => {
  const changes: Change[] = []
  for (const cleanName of new Set(names)) {
    const [known, now] = [nameBefore(cleanName), botRow(after, cleanName)]
    if (!known || !now || isSameRow('bot', known, now)) continue
    const isShown = after.dataset.tournamentsByID.has(known.tournamentID)
    changes.push(botChange(known, now, isShown))
  }
  return changes
}

export const playerNames = (archive: Archive, tournamentID: string): readonly string[] =>
  archive.dataset.tournamentsByID
    .get(tournamentID)
    ?.players.map(({ player }) => player.cleanName) ?? []

/** Ids of the tournaments that differ, those that are gone first. */
export const differingTournaments = (before: Archive, after: Archive): readonly string[] => {
  const [a, b] = [before.dataset.tournamentsByID, after.dataset.tournamentsByID]
  if (before.dataset === after.dataset) return []
  const ids: string[] = []
  for (const id of a.keys()) if (!b.has(id)) ids.push(id)
  for (const [id, tournament] of b) if (a.get(id) !== tournament) ids.push(id)
  return ids
}

/**
 * What changed from one version to the next, at a time in Unix seconds. The cost is that of the changed
 * tournaments: all others are shared by both versions.
 */
export const diffArchives = (before: Archive, after: Archive, now: number): readonly Change[] => {
  const ids = differingTournaments(before, after)
  const changes = ids.flatMap((id) => {
    const [a, b] = [before, after].map(({ dataset }) => dataset.tournamentsByID.get(id))
    if (!b) return [tournamentRemoved(id)]
    return a ? diffTournament(...differingRows(a, b)) : [tournamentAdded(tournamentRows(b))]
  })
  const names = ids.flatMap((id) => {
    const [a, b] = [before, after].map(({ dataset }) => dataset.tournamentsByID.get(id))
    return a && b && sameEntrants(a, b)
      ? []
      : [...playerNames(before, id), ...playerNames(after, id)]
  })
  return [
    ...changes,
    ...diffBots(names, (name) => botRow(before, name), after),
    ...(before.cages === after.cages
      ? []
      : diffCages(cageRows(before.cages, now), cageRows(after.cages, now))),
  ]
}
