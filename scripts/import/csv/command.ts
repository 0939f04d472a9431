import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../../../src/files.ts'
import type { Unchecked } from '../../../src/source/check.ts'
import type { TournamentRows } from '../../../src/source/rows.ts'
import { CommandError, program, readArguments } from '../../command.ts'
import { cellOptions, readInput, timeHelp, timeOptions } from '../input.ts'
import { commonHelp, commonOptions, openTarget } from '../options.ts'
import { type Problem, problemTable } from '../problems.ts'
import { silentProgress } from '../progress.ts'
import { assignRecordings, readFootageFile, writeRecordings } from '../recordings/recordings.ts'
import { createRun, reportRow, summaryOf, writeTournament } from '../run.ts'
import { mergeTournament } from '../target/merge.ts'
import { validRows } from '../target/target.ts'
import { buildCsvLeague } from './build.ts'
import { fightColumns, files, playerColumns, tournamentColumns } from './columns.ts'
import { type Columns, readTable } from './table.ts'

export const csvHelp = `Usage: ${program} import csv FOLDER [options]

Imports a league from a folder with tournaments.csv, fights.csv and, if there are any, players.csv and
recordings.csv, as a spreadsheet saves them. Lines that cannot be used are listed with their file,
number and reason, and then nothing is written. The columns are in scripts/import/README.md.

  FOLDER              folder of the files
  --template          write the files with headings, those that are needed with an example, into
                      FOLDER instead
${timeHelp}
${commonHelp}

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

export const csvCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(
    { ...commonOptions, ...timeOptions, template: { type: 'boolean' } },
    args,
  )
  if (values.help) return console.log(csvHelp)
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) {
    throw new CommandError('one folder is expected (see --help)')
  }
  if (values.template) return writeTemplates(folder)
  const options = cellOptions(values)
  const problems: Problem[] = []
  const doubts: Problem[] = []
  const report = (problem: Problem): void => void problems.push(problem)
  const warn = (problem: Problem): void => void doubts.push(problem)
  const read = async <Name extends string>(
    name: string,
    columns: Parameters<typeof readTable<Name>>[2],
    isOptional = false,
  ) => {
    const path = join(folder, name)
    if (isOptional && !existsSync(path)) return []
    return readTable(name, await readInput(path), columns, report)
  }
  const league = buildCsvLeague(
    {
      tournaments: await read('tournaments.csv', tournamentColumns),
      players: await read('players.csv', playerColumns, true),
      fights: await read('fights.csv', fightColumns),
    },
    options,
    { report, warn },
  )
  // Cells of files and rows of one tournament take 200 MB for 100,000 fights.
  Bun.gc(true)
  const ownRecordings = join(folder, 'recordings.csv')
  const footage = []
  for (const path of [
    ...(existsSync(ownRecordings) ? [ownRecordings] : []),
    ...(values.recordings === undefined ? [] : [values.recordings]),
  ]) {
    footage.push(...readFootageFile(basename(path), await readInput(path), options, report))
  }

  const target = await openTarget(values)
  try {
    const prune = values.prune === true
    const run = createRun({ target, prune, progress: silentProgress })
    const pending = new Map<string, Unchecked<TournamentRows>>()
    for (const imported of league) {
      const { id } = imported.tournament
      const rows = mergeTournament(await target.read(id), imported, { prune })
      validRows(rows, reportRow(id, report))
      if (footage.length > 0) pending.set(id, rows)
    }
    Bun.gc(true)
    const recordings = await assignRecordings(run, footage, pending, report)
    if (doubts.length > 0) console.log(problemTable('Lines to look at again', doubts))
    if (problems.length > 0) console.log(problemTable('Lines that cannot be used', problems))
    if (problems.length > 0 && !values['skip-bad']) {
      throw new CommandError(
        'nothing is written: mend these lines, or leave them out with --skip-bad',
      )
    }
    for (const imported of league) {
      await writeTournament(run, imported, {
        isOfSource: () => false,
        recordings: recordings.get(imported.tournament.id),
      })
    }
    const elsewhere = [...recordings].filter(([id]) => !pending.has(id))
    await writeRecordings(run, new Map(elsewhere))
    await target.close()
    console.log(summaryOf(run.result))
    const shown = new Set(problems.map((problem) => JSON.stringify(problem)))
    const late = run.result.problems.filter((problem) => !shown.has(JSON.stringify(problem)))
    if (late.length > 0) console.log(problemTable('Not imported', late))
    if (problems.length + late.length > 0) process.exitCode = 2
  } catch (error) {
    await target.abandon()
    throw error
  }
}
