import { filmlessProvider } from '../../../src/data/league/films.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import { proxyAddress } from '../../../src/data/source/proxies.ts'
import type { RecordingRow } from '../../../src/data/source/rows.ts'
import {
  type CellOptions,
  readAddress,
  readCage,
  readId,
  readTime,
  repeatedHour,
} from '../csv/cells.ts'
import { recordingColumns } from '../csv/columns.ts'
import { smallerFile } from '../csv/media.ts'
import { decodeText } from '../csv/reading/encoding.ts'
import { type CsvRow, readableText, readTable, type TableReports } from '../csv/table.ts'
import { CellError, missingFight, type Report, reading } from '../problems.ts'
import { type ImportRun, writeTournament } from '../run.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { mergeTournament } from '../target/merge.ts'
import { fileNumber, folderNumber, text } from '../values.ts'

type Line = CsvRow<keyof typeof recordingColumns>

const columns = Object.keys(recordingColumns)

/** Cells of all columns from the values of some. */
const cellsOf = (values: object): Line['cells'] => {
  const given = new Map<string, unknown>(Object.entries(values))
  const cells = columns.map((column) => [column, text(given.get(column)).trim()])
  return Object.fromEntries(cells)
}

/** Lines of a file with one JSON object each, with the columns of the CSV file. */
const readNdjson = (
  name: string,
  bytes: Uint8Array,
  { report, encoding }: TableReports,
): readonly Line[] => {
  const { text: lines, isBad } = readableText(name, decodeText(bytes, encoding), report)
  return lines.split('\n').flatMap((line, index): readonly Line[] => {
    const where = `${name}:${index + 1}`
    if (line.trim() === '' || isBad(index + 1)) return []
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      report({ where, reason: 'not a JSON object' })
      return []
    }
    return [{ where, cells: cellsOf(Object(value)) }]
  })
}

/** Reads a file of recordings: NDJSON if its first character is a brace, else CSV. */
const readRecordings = (name: string, bytes: Uint8Array, reports: TableReports): readonly Line[] =>
  decodeText(bytes, reports.encoding).text.trimStart().startsWith('{')
    ? readNdjson(name, bytes, reports)
    : readTable(name, bytes, recordingColumns, reports)

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
  const fraction = /:\d\d\.(\d{1,3})/.exec(cells.start)?.[1]
  const seconds = readTime(cells.start.replace(/(:\d\d)\.\d+/, '$1'), options)
  const startMs = seconds === null ? null : seconds * 1000 + Number((fraction ?? '').padEnd(3, '0'))
  if (cells.camera === '') throw new CellError("'camera' is empty")
  const videoUrl = readAddress(cells.address, options)
  if (videoUrl === null) throw new CellError("'address' is empty")
  const provider = filmlessProvider(videoUrl)
  if (provider) throw new CellError(`'${videoUrl}' shows no single film of ${provider}`)
  const byFight = cells.fight !== '' && cells.tournament !== ''
  if (!byFight && (cage === null || startMs === null)) {
    throw new CellError('either tournament and fight are needed, or cage and start')
  }
  const { media } = options
  const proxy = (height: 720 | 360 | 72, cell: string) => {
    const own = cell || (media ? smallerFile(media, cells.address, height) : '')
    return proxyAddress(videoUrl, height, readAddress(own, options))
  }
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

/** Maximum time by which a recording begins before its fight, in milliseconds; pre-roll is a minute or two. */
const maxPrerollMs = 10 * 60_000

/**
 * The fight of a cage that ran at a time; else the next one, if it began soon after, because cameras start before the
 * fight. `fights` has the fights of the cage in their order.
 */
const findFight = (ofCage: readonly Slot[], { tournament, startMs }: Footage): Slot | undefined => {
  if (startMs === null) return undefined
  const isOwn = (slot: Slot): boolean => tournament === '' || slot.tournament === tournament
  const running = ofCage.findLast(
    (slot) => slot.startMs <= startMs && startMs < slot.endMs && isOwn(slot),
  )
  if (running) return running
  const next = ofCage.find((slot) => slot.startMs > startMs && isOwn(slot))
  return next && next.startMs - startMs <= maxPrerollMs ? next : undefined
}

type Game = NonNullable<ImportedTournament['games']>[number]

/** Games of each tournament to which recordings can be assigned. */
export type League = ReadonlyMap<string, readonly Game[]>

const slotsOf = (tournament: string, games: readonly Game[]): readonly Slot[] =>
  games.flatMap(({ id: game, cage, startTime, stopTime, endTime }) => {
    if (!cage || startTime === null || startTime === undefined) return []
    const end = stopTime ?? endTime ?? startTime + 180
    return [{ tournament, game, cage, startMs: startTime * 1000, endMs: end * 1000 }]
  })

/** A film that the line of a fight names. */
export interface Video {
  readonly where: string
  readonly tournament: string
  readonly fight: string
  readonly camera: string
  readonly address: string
}

const readLines = (
  lines: readonly Line[],
  options: CellOptions,
  { report, warn }: Pick<TableReports, 'report' | 'warn'>,
) =>
  lines.flatMap((line) => {
    const footage = reading(line, report, () => readFootage(line, options))
    const { start } = line.cells
    const doubt =
      footage?.startMs && repeatedHour(start, Math.floor(footage.startMs / 1000), options)
    if (doubt) warn?.({ where: line.where, reason: doubt })
    return footage ?? []
  })

/** Reads the lines of a file; unusable ones are reported. */
export const readFootageFile = (
  name: string,
  bytes: Uint8Array,
  options: CellOptions,
  reports: TableReports,
): readonly Footage[] => readLines(readRecordings(name, bytes, reports), options, reports)

/** Films that the lines of fights name, each as the cells of a line of recordings. */
export const readVideos = (videos: readonly Video[], options: CellOptions, report: Report) => {
  const lines = videos.map(({ where, ...video }): Line => ({ where, cells: cellsOf(video) }))
  return readLines(lines, options, { report })
}

const ignore = (): void => undefined

/** Games of the target, in which the tournaments that an import is about to write replace the present ones. */
const presentLeague = async ({ target }: ImportRun, pending: League): Promise<League> => {
  const league = new Map(pending)
  for (const id of (await target.sources()).keys()) {
    if (league.has(id)) continue
    const rows = checkTournament((await target.read(id)) ?? {}, ignore)
    if (rows) league.set(id, rows.games)
  }
  return league
}

/** Assigns recordings to the fights of the target and of a pending import; recordings without a fight are reported. */
export const assignRecordings = async (
  run: ImportRun,
  footage: readonly Footage[],
  pending: League,
  report: Report,
): Promise<ReadonlyMap<string, readonly RecordingRow[]>> => {
  if (footage.length === 0) return new Map()
  const league = await presentLeague(run, pending)
  const slots = [...league].flatMap(([id, games]) => slotsOf(id, games))
  const byCage = Map.groupBy(
    slots.sort((a, b) => a.startMs - b.startMs),
    ({ cage }) => cage,
  )
  const gameIds = new Map([...league].map(([id, games]) => [id, new Set(games.map((g) => g.id))]))
  const found = new Map<string, Map<number, RecordingRow>>()
  for (const each of footage) {
    const { where, row } = each
    const slot =
      each.fight === ''
        ? findFight(byCage.get(each.cage ?? '') ?? [], each)
        : { tournament: each.tournament, game: each.fight }
    if (!slot) {
      report({
        where,
        reason: `no fight ran in ${each.cage} at that time`,
        missing: missingFight(),
      })
    } else if (!gameIds.get(slot.tournament)?.has(slot.game)) {
      const reason = `there is no fight '${slot.game}' in '${slot.tournament}'`
      report({ where, reason, missing: missingFight(slot.game) })
    } else {
      const own = found.getOrInsertComputed(slot.tournament, () => new Map())
      const key = JSON.stringify([slot.tournament, row.camera, row.videoUrl])
      const id = pending.has(slot.tournament) ? folderNumber(key) : fileNumber(key)
      if (own.has(id)) report({ where, reason: 'this camera and address were there before' })
      else own.set(id, { id, gameId: slot.game, ...row })
    }
  }
  return new Map([...found].map(([id, rows]) => [id, [...rows.values()]]))
}

/** Writes only the recordings of their tournaments. */
export const writeRecordings = async (
  run: ImportRun,
  recordings: ReadonlyMap<string, readonly RecordingRow[]>,
): Promise<void> => {
  for (const [id, rows] of recordings) {
    await writeTournament(
      run,
      { tournament: { id }, recordings: rows },
      {
        isOfSource: () => false,
        merge: (existing, imported) => mergeTournament(existing, imported, { prune: false }),
      },
    )
  }
}
