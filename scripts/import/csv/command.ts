import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { codeOf } from '../../../src/files.ts'
import { checkTournament } from '../../../src/source/check.ts'
import { CommandError, program, readArguments } from '../../command.ts'
import { cellOptions, readInput, timeHelp, timeOptions } from '../input.ts'
import { commonHelp, commonOptions, openTarget, withoutOptions } from '../options.ts'
import { type Problem, printable, problemTable } from '../problems.ts'
import { silentProgress } from '../progress.ts'
import { assignRecordings, readFootageFile, writeRecordings } from '../recordings/recordings.ts'
import { createRun, type ImportRun, reportRow, summaryOf, writeTournament } from '../run.ts'
import { addChanges, tournamentDifference } from '../target/difference.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { type MergeOptions, mergeTournament } from '../target/merge.ts'
import { validRows } from '../target/target.ts'
import { isFolderNumber } from '../values.ts'
import { buildCsvLeague } from './build.ts'
import { fightColumns, files, playerColumns, tournamentColumns } from './columns.ts'
import {
  importSummary,
  type RemovedTournament,
  summaryOfTournament,
  type TournamentSummary,
} from './summary.ts'
import { type Columns, readRows, readTable } from './table.ts'

export const csvHelp = `Usage: ${program} import csv FOLDER [options]

Makes the league of a folder equal to its files: tournaments.csv, fights.csv and, if there are any,
players.csv and recordings.csv, as a spreadsheet saves them. Lines that cannot be used are listed with
their file, number and reason, and then nothing is written. First it says what it changes: what is gone
from the files is removed, of what earlier imports of this folder wrote. The columns are in
scripts/import/README.md.

  FOLDER              folder of the files
  --template          write the files with headings, those that are needed with an example, into
                      FOLDER instead
  --dry-run           only say what would change
  --yes               do not ask before an event, or more than a fifth of the fights, is removed
  --keep              remove nothing
  --source NAME       name of the league of this folder in the database (default: that of FOLDER)
${timeHelp}
${withoutOptions(commonHelp, ['prune'])}

Examples:
  ${program} import csv my-league --template
  ${program} import csv my-league --time-zone Europe/Berlin --out my-league.cageside
  ${program} import csv my-league --recordings videos.ndjson`

const quoted = (cell: string): string =>
  /[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes files with the headings and, of those that are needed, one example line; present files stay. */
const writeTemplates = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const [name, columns] of Object.entries<Columns>(files)) {
    const path = join(folder, name)
    const entries = Object.entries(columns)
    const hasExample = entries.some(([, { example }]) => example !== undefined)
    const lines = [
      entries.map(([heading]) => heading),
      ...(hasExample ? [entries.map(([, { example = '' }]) => quoted(example))] : []),
    ].map((cells) => cells.join(','))
    // Spreadsheets recognise UTF-8 by the byte order mark.
    const text = `\ufeff${lines.join('\r\n')}\r\n`
    try {
      await writeFile(path, text, { flag: 'wx' })
      console.log(`${path} is written: ${hasExample ? 'replace its example' : 'use it if needed'}`)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        throw new CommandError(`${path} cannot be written (${codeOf(error)})`)
      }
      console.log(`${path} exists and stays as it is`)
    }
  }
}

type Values = Parameters<typeof openTarget>[0] &
  Parameters<typeof cellOptions>[0] & { readonly recordings?: string | undefined }

/** The league of a folder, and what is to be said of its files. */
const readFolder = async (folder: string, values: Values) => {
  const options = cellOptions(values)
  const problems: Problem[] = []
  const doubts: Problem[] = []
  const ignored: Problem[] = []
  const reports = {
    report: (problem: Problem): void => void problems.push(problem),
    warn: (problem: Problem): void => void doubts.push(problem),
    ignore: (problem: Problem): void => void ignored.push(problem),
  }
  const read = async <Name extends string>(name: string, columns: Columns<Name>) =>
    readTable(name, await readInput(join(folder, name)), columns, reports)
  const fights = await readInput(join(folder, 'fights.csv'))
  const players = existsSync(join(folder, 'players.csv'))
  const league = buildCsvLeague(
    {
      tournaments: await read('tournaments.csv', tournamentColumns),
      players: players ? await read('players.csv', playerColumns) : [],
      readFights: (onRow) => readRows('fights.csv', fights, fightColumns, reports, onRow),
    },
    options,
    reports,
  )
  const ownRecordings = join(folder, 'recordings.csv')
  const footage = []
  for (const path of [
    ...(existsSync(ownRecordings) ? [ownRecordings] : []),
    ...(values.recordings === undefined ? [] : [values.recordings]),
  ]) {
    footage.push(...readFootageFile(basename(path), await readInput(path), options, reports))
  }
  return { league, footage, problems, doubts, ignored, report: reports.report, options }
}

const { compare } = new Intl.Collator('en', { numeric: true })
const byPlace = (a: Problem, b: Problem): number => compare(a.where, b.where)

const show = (title: string, problems: readonly Problem[]): void => {
  if (problems.length > 0) console.log(problemTable(title, problems.toSorted(byPlace)))
}

interface PlanOptions {
  readonly source: string
  readonly merge: MergeOptions
}

/** What an import of a folder changes in its target. */
const planImport = async (
  run: ImportRun,
  { league, footage, report, options }: Awaited<ReturnType<typeof readFolder>>,
  { source, merge }: PlanOptions,
) => {
  const { target } = run
  const sources = await target.sources()
  // Cells of 100,000 fights and the rows of a file take 100 MB each.
  Bun.gc(true)
  const recordings = await assignRecordings(
    run,
    footage,
    new Map(league.map(({ tournament, games = [] }) => [tournament.id, games])),
    report,
  )
  const parts: TournamentSummary[] = []
  /** Tournaments to write. */
  const written: ImportedTournament[] = []
  /** Tournaments of no source that lose or change rows. */
  const taken: string[] = []
  for (const { tournament, ...tables } of league) {
    const { id } = tournament
    const owner = sources.get(id)
    if (merge.prune && owner && owner !== source) {
      report({ where: id, reason: `an event of '${owner}': give it another id, or --source` })
      continue
    }
    const isOwned = owner === undefined || merge.prune
    const imported = {
      ...tables,
      tournament: { ...tournament, source: isOwned ? source : owner },
      recordings: recordings.get(id) ?? [],
    }
    const existing = await target.read(id)
    const rows = validRows(mergeTournament(existing, imported, merge), reportRow(id, report))
    if (!rows) continue
    const difference = tournamentDifference(existing, rows)
    const part = summaryOfTournament(existing, rows, difference, options)
    parts.push(part)
    if (part.isSame) run.result.tournaments.set(id, false)
    else written.push(imported)
    const isChanged = part.changed.length + Object.values(part.removed).flat().length > 0
    if (merge.prune && owner === null && isChanged) taken.push(id)
  }
  Bun.gc(true)
  const listed = new Set(league.map(({ tournament }) => tournament.id))
  const removed: RemovedTournament[] = []
  for (const [id, owner] of merge.prune ? sources : []) {
    if (owner !== source || listed.has(id)) continue
    const rows = checkTournament((await target.read(id)) ?? {}, () => undefined)
    removed.push({ id, name: rows?.tournament.name ?? '', fights: rows?.games.length ?? 0 })
  }
  const elsewhere = new Map([...recordings].filter(([id]) => !listed.has(id)))
  return { parts, written, taken, removed, elsewhere }
}
type Plan = Awaited<ReturnType<typeof planImport>>

const writeImport = async (
  run: ImportRun,
  { written, removed, elsewhere }: Plan,
  merge: MergeOptions,
): Promise<void> => {
  const { target, result } = run
  for (const { id } of removed) {
    result.changes = addChanges(result.changes, await target.remove(id))
    result.removed += 1
  }
  for (const imported of written) {
    await writeTournament(run, imported, { isOfSource: () => false, merge })
  }
  await writeRecordings(run, elsewhere)
}

/** An import removes more than this part of the fights of its source only when that is confirmed. */
const maxRemovedPart = 0.2

/** Why an import has to be confirmed; undefined if it need not be. */
const confirmation = ({ parts, removed, taken }: Plan): string | undefined => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  const fights = sum([...parts, ...removed].map((part) => part.fights))
  const gone = sum(parts.map((part) => part.removed.fight.length))
  if (removed.length > 0) return 'a whole event is removed'
  if (gone > fights * maxRemovedPart) return `${gone} of ${fights} fights are removed`
  return taken.length > 0
    ? `events that are not from this folder are changed: ${taken.join(', ')}`
    : undefined
}

/** Asks on the terminal; without one the import ends, and the exit status is 2. */
const isConfirmed = (why: string): boolean => {
  if (process.stdin.isTTY) return confirm(`${why}: go on?`)
  console.error(`nothing is written, as ${why}: add --yes if that is meant, or --keep`)
  process.exitCode = 2
  return false
}

export const csvCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(
    {
      ...commonOptions,
      ...timeOptions,
      template: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      yes: { type: 'boolean' },
      keep: { type: 'boolean' },
      source: { type: 'string' },
    },
    args,
  )
  if (values.help) return console.log(csvHelp)
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) {
    throw new CommandError('one folder is expected (see --help)')
  }
  if (values.template) return writeTemplates(folder)
  const source = values.source ?? basename(resolve(folder))
  if (source === '') throw new CommandError('--source needs a name')
  const files = await readFolder(folder, values)
  const isSkipping = values['skip-bad'] === true
  const target = await openTarget(values)
  try {
    const merge = { prune: !values.keep && !isSkipping, isOwnRecording: isFolderNumber }
    const run = createRun({ target, prune: merge.prune, progress: silentProgress })
    const plan = await planImport(run, files, { source, merge })
    const { problems } = files
    show('Lines to look at again', files.doubts)
    show('Ignored columns', files.ignored)
    show('Lines that cannot be used', problems)
    if (problems.length > 0 && !isSkipping) {
      throw new CommandError(
        'nothing is written: mend these lines, or leave them out with --skip-bad',
      )
    }
    for (const line of importSummary(plan.parts, plan.removed)) console.log(printable(line, 2000))
    const why = confirmation(plan)
    if (values['dry-run'] || (why && !values.yes && !isConfirmed(why))) {
      return await target.abandon()
    }
    await writeImport(run, plan, merge)
    await target.close()
    console.log(summaryOf(run.result))
    const shown = new Set(problems.map((problem) => JSON.stringify(problem)))
    const late = run.result.problems.filter((problem) => !shown.has(JSON.stringify(problem)))
    show('Not imported', late)
    if (problems.length + late.length > 0) process.exitCode = 2
  } catch (error) {
    await target.abandon()
    throw error
  }
}
