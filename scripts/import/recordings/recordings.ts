import { checkTournament, type Unchecked } from '../../../src/source/check.ts'
import { proxyAddress } from '../../../src/source/proxies.ts'
import type { RecordingRow, TournamentRows } from '../../../src/source/rows.ts'
import {
  CellError,
  type CellOptions,
  readAddress,
  readCage,
  readId,
  readTime,
} from '../csv/cells.ts'
import { recordingColumns } from '../csv/columns.ts'
import { type CsvRow, decodeText, readableText, readTable } from '../csv/table.ts'
import type { Report } from '../problems.ts'
import { type ImportRun, writeTournament } from '../run.ts'
import { fileNumber, text } from '../values.ts'

type Line = CsvRow<keyof typeof recordingColumns>

/** Lines of a file of one JSON object each, with the columns of the CSV file. */
const readNdjson = (name: string, bytes: Uint8Array, report: Report): readonly Line[] => {
  const { text: lines, isBad } = readableText(name, bytes, report)
  return lines.split('\n').flatMap((line, index): readonly Line[] => {
    const where = `${name}:${index + 1}`
    if (line.trim() === '' || isBad(index + 1)) return []
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      report({ where, reason: 'no JSON object' })
      return []
    }
    const given = new Map(Object.entries(Object(value)))
    const cell = (column: keyof typeof recordingColumns): string => text(given.get(column)).trim()
    return [
      {
        where,
        cells: {
          tournament: cell('tournament'),
          fight: cell('fight'),
          cage: cell('cage'),
          start: cell('start'),
          camera: cell('camera'),
          address: cell('address'),
          proxy720: cell('proxy720'),
          proxy360: cell('proxy360'),
          proxy72: cell('proxy72'),
        },
      },
    ]
  })
}

/** Reads a file of recordings: NDJSON if its first character is a brace, else CSV. */
export const readRecordings = (name: string, bytes: Uint8Array, report: Report): readonly Line[] =>
  decodeText(bytes).text.trimStart().startsWith('{')
    ? readNdjson(name, bytes, report)
    : readTable(name, bytes, recordingColumns, report)

/** A recording that is not assigned to a fight yet. */
interface Footage {
  readonly where: string
  readonly tournament: string
  readonly fight: string
  readonly cage: string | null
  readonly startMs: number | null
  readonly row: Omit<RecordingRow, 'id' | 'gameId'>
}

const readFootage = ({ cells, where }: Line, options: CellOptions): Footage => {
  const cage = readCage(cells.cage)
  const fraction = /:\d\d\.(\d{1,3})\d*/.exec(cells.start)?.[1]
  const seconds = readTime(cells.start.replace(/(:\d\d)\.\d+/, '$1'), options)
  const startMs = seconds === null ? null : seconds * 1000 + Number((fraction ?? '').padEnd(3, '0'))
  if (cells.camera === '') throw new CellError("'camera' is empty")
  const videoUrl = readAddress(cells.address)
  if (videoUrl === null) throw new CellError("'address' is empty")
  const byFight = cells.fight !== '' && cells.tournament !== ''
  if (!byFight && (cage === null || startMs === null)) {
    throw new CellError('either tournament and fight are needed, or cage and start')
  }
  const proxy = (height: 720 | 360 | 72, cell: string) =>
    proxyAddress(videoUrl, height, readAddress(cell))
  return {
    where,
    tournament: readId(cells.tournament),
    fight: readId(cells.fight),
    cage,
    startMs,
    row: {
      cage: cage ?? '',
      camera: cells.camera,
      videoUrl,
      httpStatus: null,
      startMs,
      proxy720Url: proxy(720, cells.proxy720),
      proxy360Url: proxy(360, cells.proxy360),
      proxy72Url: proxy(72, cells.proxy72),
    },
  }
}

/** A fight with a known time in a cage. */
interface Slot {
  readonly tournament: string
  readonly game: string
  readonly cage: string
  readonly startMs: number
  readonly endMs: number
}

/** A recording can begin this long before its fight, in milliseconds; pre-roll is a minute or two. */
const maxPrerollMs = 10 * 60_000

/**
 * The fight that ran in a cage at a time; else the next one there, if it began soon after: cameras start before
 * the fight.
 */
const findFight = (slots: readonly Slot[], { tournament, cage, startMs }: Footage) => {
  if (startMs === null) return undefined
  const own = slots
    .filter((slot) => slot.cage === cage && (tournament === '' || slot.tournament === tournament))
    .sort((a, b) => a.startMs - b.startMs)
  const running = own.findLast((slot) => slot.startMs <= startMs && startMs < slot.endMs)
  if (running) return running
  const next = own.find((slot) => slot.startMs > startMs)
  return next && next.startMs - startMs <= maxPrerollMs ? next : undefined
}

const slotsOf = ({ tournament, games }: TournamentRows): readonly Slot[] =>
  games.flatMap((game) => {
    const { cage, startTime, stopTime, endTime } = game
    if (cage === null || startTime === null) return []
    const end = stopTime ?? endTime ?? startTime + 180
    return [
      {
        tournament: tournament.id,
        game: game.id,
        cage,
        startMs: startTime * 1000,
        endMs: end * 1000,
      },
    ]
  })

/** Checks and assigns recordings; those without a fight are reported. */
const assign = (
  footage: readonly Footage[],
  league: ReadonlyMap<string, TournamentRows>,
  report: Report,
): ReadonlyMap<string, readonly RecordingRow[]> => {
  const slots = [...league.values()].flatMap(slotsOf)
  const games = new Map(
    [...league].map(([id, rows]) => [id, new Set(rows.games.map((game) => game.id))]),
  )
  const found = new Map<string, Map<number, RecordingRow>>()
  for (const each of footage) {
    const { where, row } = each
    const slot =
      each.fight === '' ? findFight(slots, each) : { tournament: each.tournament, game: each.fight }
    if (!slot) {
      report({ where, reason: `no fight ran in ${each.cage} at that time` })
    } else if (!games.get(slot.tournament)?.has(slot.game)) {
      report({ where, reason: `there is no fight '${slot.game}' in '${slot.tournament}'` })
    } else {
      const own = found.get(slot.tournament) ?? new Map<number, RecordingRow>()
      const id = fileNumber(JSON.stringify([slot.tournament, row.camera, row.videoUrl]))
      if (own.has(id)) report({ where, reason: 'this camera and address were there before' })
      else own.set(id, { id, gameId: slot.game, ...row })
      found.set(slot.tournament, own)
    }
  }
  return new Map([...found].map(([id, rows]) => [id, [...rows.values()]]))
}

/** Reads the lines of a file; those that cannot be used are reported. */
export const readFootageFile = (
  name: string,
  bytes: Uint8Array,
  options: CellOptions,
  report: Report,
): readonly Footage[] =>
  readRecordings(name, bytes, report).flatMap((line) => {
    try {
      return [readFootage(line, options)]
    } catch (error) {
      if (!(error instanceof CellError)) throw error
      report({ where: line.where, reason: error.message })
      return []
    }
  })

const ignore = (): void => undefined

/** Tournaments of the target, with those that an import is about to write instead. */
const presentLeague = async (
  { target }: ImportRun,
  pending: ReadonlyMap<string, Unchecked<TournamentRows>>,
): Promise<ReadonlyMap<string, TournamentRows>> => {
  const league = new Map<string, TournamentRows>()
  for (const id of new Set([...(await target.ids()), ...pending.keys()])) {
    const rows = checkTournament(pending.get(id) ?? (await target.read(id)) ?? {}, ignore)
    if (rows) league.set(id, rows)
  }
  return league
}

/** Assigns recordings to the fights of the target and of a pending import. */
export const assignRecordings = async (
  run: ImportRun,
  footage: readonly Footage[],
  pending: ReadonlyMap<string, Unchecked<TournamentRows>>,
  report: Report,
): Promise<ReadonlyMap<string, readonly RecordingRow[]>> =>
  footage.length === 0 ? new Map() : assign(footage, await presentLeague(run, pending), report)

/** Writes recordings and nothing else of their tournaments. */
export const writeRecordings = async (
  run: ImportRun,
  recordings: ReadonlyMap<string, readonly RecordingRow[]>,
): Promise<void> => {
  for (const [id, rows] of recordings) {
    await writeTournament(
      run,
      { tournament: { id } },
      { isOfSource: () => false, recordings: rows },
    )
  }
}
