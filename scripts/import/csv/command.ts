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
import { createRun, reportRow, summaryOf, writeTournament } from '../run.ts'
import { addChanges, tournamentDifference } from '../target/difference.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { mergeTournament } from '../target/merge.ts'
import { validRows } from '../target/target.ts'
import { isFolderNumber } from '../values.ts'
import { buildCsvLeague } from './build.ts'
import { fightColumns, files, playerColumns, tournamentColumns } from './columns.ts'
import { importSummary, summaryOfTournament, type TournamentSummary } from './summary.ts'
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

/** An import removes more than this part of the fights of its source only when that is confirmed. */
const maxRemovedPart = 0.2

/** Why an import has to be confirmed; undefined if it need not be. */
const confirmation = (
  parts: readonly TournamentSummary[],
  removed: readonly { readonly fights: number }[],
  taken: readonly string[],
): string | undefined => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  const fights = sum([...parts, ...removed].map((part) => part.fights))
  const gone = sum([
    ...parts.map((part) => part.removed.fight.length),
    ...removed.map((part) => part.fights),
  ])
  if (removed.length > 0) return 'a whole event is removed'
  if (gone > fights * maxRemovedPart) return `${gone} of ${fights} fights are removed`
  if (taken.length > 0)
    return `events that are not from this folder are changed: ${taken.join(', ')}`
  return undefined
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
  const { league, footage, problems, doubts, ignored, report, options } = await readFolder(
    folder,
    values,
  )
  const isSkipping = values['skip-bad'] === true
  const merge = {
    prune: !values.keep && !isSkipping,
    isOwnRecording: isFolderNumber,
  }
  const target = await openTarget(values)
  try {
    const run = createRun({ target, prune: merge.prune, progress: silentProgress })
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
    const taken: string[] = []
    const whole = league.map((imported): ImportedTournament => {
      const { id } = imported.tournament
      const owner = sources.get(id)
      return {
        ...imported,
        tournament: {
          ...imported.tournament,
          source: owner === undefined || merge.prune ? source : owner,
        },
        recordings: recordings.get(id) ?? [],
      }
    })
    for (const imported of whole) {
      const { id } = imported.tournament
      const owner = sources.get(id)
      if (merge.prune && owner && owner !== source) {
        report({ where: id, reason: `an event of '${owner}': give it another id, or --source` })
        continue
      }
      const existing = await target.read(id)
      const rows = validRows(mergeTournament(existing, imported, merge), reportRow(id, report))
      if (!rows) continue
      const difference = tournamentDifference(existing, rows)
      const part = summaryOfTournament(existing, rows, difference, options)
      parts.push(part)
      const isOther = merge.prune && owner === null
      if (isOther && (part.changed.length > 0 || Object.values(part.removed).flat().length > 0)) {
        taken.push(id)
      }
    }
    Bun.gc(true)
    const listed = new Set(league.map(({ tournament }) => tournament.id))
    const removed = []
    for (const [id, owner] of merge.prune ? sources : []) {
      if (owner !== source || listed.has(id)) continue
      const rows = checkTournament((await target.read(id)) ?? {}, () => undefined)
      removed.push({ id, name: rows?.tournament.name ?? '', fights: rows?.games.length ?? 0 })
    }
    show('Lines to look at again', doubts)
    show('Ignored columns', ignored)
    show('Lines that cannot be used', problems)
    if (problems.length > 0 && !isSkipping) {
      throw new CommandError(
        'nothing is written: mend these lines, or leave them out with --skip-bad',
      )
    }
    const events = removed.map(({ id, name, fights }) => `${name} (${id}, ${fights} fights)`)
    for (const line of importSummary(parts, events)) console.log(printable(line))
    const why = confirmation(parts, removed, taken)
    if (values['dry-run'] || (why && !values.yes && !isConfirmed(why)))
      return await target.abandon()
    for (const { id } of removed) {
      const changes = await target.remove(id)
      run.result.changes = addChanges(run.result.changes, changes)
      run.result.removed += 1
    }
    const same = new Set(parts.flatMap(({ id, isSame }) => (isSame ? [id] : [])))
    for (const id of same) run.result.tournaments.set(id, false)
    for (const imported of whole.filter(({ tournament }) => !same.has(tournament.id))) {
      await writeTournament(run, imported, { isOfSource: () => false, merge })
    }
    const elsewhere = [...recordings].filter(([id]) => !listed.has(id))
    await writeRecordings(run, new Map(elsewhere))
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
