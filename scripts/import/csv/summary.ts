import { checkTournament, type Unchecked } from '../../../src/data/source/check.ts'
import type { TournamentRows, TournamentTable } from '../../../src/data/source/rows.ts'
import {
  countDifferences,
  isChange,
  presentRows,
  propertyOf,
  type TournamentDifference,
} from '../target/difference.ts'
import { type CellOptions, writeTime } from './cells.ts'

/** Cells of a row by heading. */
type Cells = Readonly<Record<string, string>>

/** A row as the files have it. */
interface Described {
  readonly name: string
  readonly cells: Cells
}
const kinds = ['fight', 'bot', 'video'] as const
type Kind = (typeof kinds)[number]

/** Changes of an import in one tournament. */
export interface TournamentSummary {
  readonly id: string
  readonly name: string
  readonly isNew: boolean
  /** True if nothing has to be written. */
  readonly isSame: boolean
  /** Fights before the import. */
  readonly fights: number
  readonly added: Readonly<Record<Kind, number>>
  /** Names of removed rows. */
  readonly removed: Readonly<Record<Kind, readonly string[]>>
  /** Rows with their changed cells, old and new. */
  readonly changed: readonly string[]
}

export interface RemovedTournament {
  readonly id: string
  readonly name: string
  readonly fights: number
}

const text = (value: string | number | boolean | null): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value ?? '')
}

const clock = (seconds: number | null): string =>
  seconds === null ? '' : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** Values of a property of the rows of some tables that differ. */
const changedIn = (
  difference: TournamentDifference,
  property: 'gameId' | 'id',
  ...tables: readonly TournamentTable[]
): ReadonlySet<unknown> =>
  new Set(
    tables
      .flatMap((table) => Object.values<readonly object[]>(difference.get(table) ?? {}).flat())
      .map((row) => propertyOf(row, property)),
  )

/** Differing rows of a tournament as cells. */
const describe = (
  rows: TournamentRows,
  difference: TournamentDifference,
  options: CellOptions,
  moved: ReadonlyMap<string, string | null> = new Map(),
) => {
  const time = (unix: number | null): string => (unix ? writeTime(unix, options) : '')
  const games = changedIn(difference, 'id', 'games').union(
    changedIn(difference, 'gameId', 'slots', 'judgeLines'),
  )
  const bots = changedIn(difference, 'id', 'players')
  const videos = changedIn(difference, 'id', 'recordings')
  const names = new Map(rows.players.map(({ id, name }) => [id, name]))
  const rounds = new Map(
    rows.rounds.map(({ bracketId, idx, name }) => [`${idx} ${bracketId}`, name]),
  )
  const byGame = <Row extends { readonly gameId: string }>(of: readonly Row[]) =>
    Map.groupBy(
      of.filter(({ gameId }) => games.has(gameId)),
      ({ gameId }) => gameId,
    )
  const [slots, judges] = [byGame(rows.slots), byGame(rows.judgeLines)]
  const fightOf = (game: TournamentRows['games'][number]): Described => {
    const [red, blue] = [0, 1].map((idx) => slots.get(game.id)?.find((slot) => slot.idx === idx))
    const nameOf = (slot: typeof red): string => names.get(slot?.playerId ?? '') ?? ''
    const winner = [red, blue].find((slot) => slot?.state === 'winner')
    const cells = {
      red: nameOf(red),
      blue: nameOf(blue),
      winner: red?.state === 'tie' ? 'draw' : nameOf(winner),
      method: text(game.winAnnotation),
      bracket: game.bracketId,
      round: rounds.get(`${game.roundIdx} ${game.bracketId}`) ?? '',
      // Numbers in the bracket move when a line is added.
      label: /^\d+$/.test(game.name.slice(game.bracketId.length + 1)) ? '' : game.name,
      cage: text(game.cage),
      start: time(game.startTime),
      length: clock(game.timerDuration),
      scheduled: time(game.scheduledTime),
      judges: (judges.get(game.id) ?? []).map(({ line }) => line).join(' | '),
      notice: game.notice,
    }
    return { name: `${cells.red || 'TBD'} - ${cells.blue || 'TBD'} (${game.id})`, cells }
  }
  const botOf = (row: TournamentRows['players'][number]): Described => ({
    name: row.name,
    cells: {
      name: row.name,
      seed: text(row.seed),
      disqualified: text(row.isDisqualified),
      place: text(row.placement),
      team: text(row.team),
      driver: text(row.driver),
    },
  })
  const videoOf = ({ gameId, startMs, ...row }: TournamentRows['recordings'][number]) => ({
    name: `${row.camera} ${row.videoUrl}`,
    cells: {
      fight: moved.get(gameId) ?? gameId,
      cage: row.cage,
      start: time(startMs && startMs / 1000),
      camera: row.camera,
      address: text(row.videoUrl),
    },
  })
  const described = <Row extends { readonly id: string | number }>(
    of: readonly Row[],
    isWanted: (row: Row) => boolean,
    describeRow: (row: Row) => Described,
  ) => new Map(of.filter(isWanted).map((row) => [String(row.id), describeRow(row)]))
  return {
    bot: described(rows.players, ({ id, isBye }) => !isBye && bots.has(id), botOf),
    fight: described(rows.games, ({ id }) => games.has(id), fightOf),
    video: described(rows.recordings, ({ id }) => videos.has(id), videoOf),
  } satisfies Record<Kind, ReadonlyMap<string, Described>>
}

/** Cells that differ, as `winner Axe → Blade`. */
const changesOf = (before: Cells, after: Cells): string =>
  Object.entries(after)
    .filter(([heading, cell]) => before[heading] !== cell)
    .map(([heading, cell]) => `${heading} ${before[heading] || '(empty)'} → ${cell || '(empty)'}`)
    .join(', ')

/** Videos that are present with another key, which is made from the URL. */
const sameVideos = (
  removed: ReadonlyMap<string, Described>,
  added: ReadonlyMap<string, Described>,
): ReadonlyMap<string, string> => {
  const free = new Map(added)
  const renamed = new Map<string, string>()
  for (const [key, { cells }] of removed) {
    const same = free
      .entries()
      .find(([, { cells: other }]) => other.fight === cells.fight && other.camera === cells.camera)
    if (!same) continue
    renamed.set(key, same[0])
    free.delete(same[0])
  }
  return renamed
}

const tournamentCells = ({ tournament }: TournamentRows, options: CellOptions): Cells => {
  const time = (unix: number | null): string => (unix === null ? '' : writeTime(unix, options))
  return {
    name: tournament.name,
    weight: tournament.weightClassName ?? text(tournament.weightClass),
    start: time(tournament.scheduledStartTime),
    end: time(tournament.endTime),
    active: text(tournament.active),
    freestyle: text(tournament.isFreestyle),
    format: tournament.formatType,
    privacy: tournament.privacy,
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const ignore = (): void => undefined

/** Changes of an import in a tournament, in the words of its files. */
export const summaryOfTournament = (
  existing: Unchecked<TournamentRows> | undefined,
  rows: TournamentRows,
  {
    difference,
    moved,
  }: {
    readonly difference: TournamentDifference
    /** New ids of present fights, or null. */
    readonly moved: ReadonlyMap<string, string | null>
  },
  options: CellOptions,
): TournamentSummary => {
  const { id, name } = rows.tournament
  const fights = presentRows(existing, 'games').length
  const isSame = !isChange(countDifferences(difference.values()))
  const present = existing && !isSame && checkTournament(existing, ignore)
  const added = { bot: 0, fight: 0, video: 0 }
  const removed: Record<Kind, string[]> = { bot: [], fight: [], video: [] }
  const changed: string[] = []
  const summary = { id, name, isNew: !isSame && !present, isSame, fights, added, removed, changed }
  if (isSame) return summary
  if (!present) {
    added.bot = rows.players.filter(({ isBye }) => !isBye).length
    added.fight = rows.games.length
    added.video = rows.recordings.length
    return summary
  }
  const [before, after] = [
    describe(present, difference, options, moved),
    describe(rows, difference, options),
  ]
  const ownChanges = changesOf(tournamentCells(present, options), tournamentCells(rows, options))
  if (ownChanges !== '') changed.push(`${id}: ${ownChanges}`)
  for (const kind of kinds) {
    const [old, now] = [before[kind], after[kind]]
    const gone = new Map([...old].filter(([key]) => !now.has(key)))
    const come = new Map([...now].filter(([key]) => !old.has(key)))
    const same = {
      bot: new Map<string, string | null>(),
      fight: moved,
      video: sameVideos(gone, come),
    }[kind]
    const again = new Set<string>()
    for (const [key, { name: label, cells }] of old) {
      const other = same.has(key) ? (same.get(key) ?? '') : key
      const after = now.get(other)
      const changes = after && changesOf(cells, after.cells)
      if (!after) removed[kind].push(label)
      else if (changes) changed.push(`${id}, ${kind} ${label}: ${changes}`)
      if (after) again.add(other)
    }
    added[kind] = now.size - again.size
  }
  const others = [...moved].filter(([, after]) => after !== null)
  if (others[0]) {
    changed.push(
      `${id}: ${counted(others.length, 'fight')} with another id and address, such as ` +
        `${others[0].join(' → ')}: fill in 'fight' to keep them`,
    )
  }
  return summary
}

const maxNames = 10
const maxChanged = 50

const firstOf = (names: readonly string[], max: number): readonly string[] =>
  names.length <= max ? names : [...names.slice(0, max), `and ${names.length - max} more`]

/** Changes of an import, one per line; names can have control characters. */
export const importSummary = (
  parts: readonly TournamentSummary[],
  removed: readonly RemovedTournament[],
): readonly string[] => {
  const events = removed.map(
    ({ id, name, fights }) => `${name} (${id}, ${counted(fights, 'fight')})`,
  )
  const sum = (kind: Kind): number => parts.reduce((all, { added }) => all + added[kind], 0)
  const newEvents = parts.filter(({ isNew }) => isNew).length
  const added = [
    ...(newEvents > 0 ? [counted(newEvents, 'event')] : []),
    ...kinds.flatMap((kind) => (sum(kind) > 0 ? [counted(sum(kind), kind)] : [])),
  ]
  const changed = parts.flatMap((part) => part.changed)
  const removals = (noun: string, names: readonly string[]): readonly string[] =>
    names.length === 0
      ? []
      : [`Removed: ${counted(names.length, noun)}: ${firstOf(names, maxNames).join('; ')}`]
  return [
    ...removals('event', events),
    ...kinds.flatMap((kind) =>
      removals(
        kind,
        parts.flatMap(({ id, removed }) => removed[kind].map((name) => `${id}, ${name}`)),
      ),
    ),
    ...firstOf(changed, maxChanged).map((line) => `Changed: ${line}`),
    ...(added.length > 0 ? [`Added: ${added.join(', ')}`] : []),
  ]
}
