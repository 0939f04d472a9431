import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { CommandError, printable, program, readArguments } from '../../command.ts'
import { flag, text } from '../../option.ts'
import { cellOptions, timeHelp, timeOptions } from '../input.ts'
import { commonHelp, onlyArgument, openTarget, targetOptions, withoutOptions } from '../options.ts'
import { causesOf, fileOf, type Problem, problemTable } from '../problems.ts'
import { type Outcome, RefusedError, type Round, repeatImport, untilAborted } from '../repeat.ts'
import type { ImportRun } from '../run.ts'
import {
  fightFileNotes,
  fileNames,
  fileOptions,
  hasAddresses,
  readFiles,
  readLeague,
  stampOf,
} from './folder.ts'
import { createFilmList } from './media.ts'
import { confirmation, planImport, removesRows, writeImport } from './plan.ts'
import { importSummary } from './summary.ts'
import { writeTemplates } from './template.ts'

export const csvHelp = `Usage: ${program} import csv FOLDER [options]

Makes the league of a folder equal to its files: tournaments.csv, fights.csv and, if there are any,
fights-2.csv and so on, players.csv, recordings.csv and cages.csv, as a spreadsheet saves them. Lines that
cannot be used are listed with their file, number and reason, and then nothing is written. First it says
what it changes: what is gone from the files is removed, of what earlier imports of this folder wrote. The
columns are in scripts/import/README.md.

  FOLDER              folder of the files
  --template          write the files with headings, those that are needed with an example, into
                      FOLDER instead
  --watch             go on: import again whenever a file changes, addresses every 15 seconds
  --serve             the same, and serve the league at http://localhost:3000: the snapshot file of --out,
                      which is FOLDER.cageside if not given
  --dry-run           only say what would change
  --yes               do not ask before an event, or more than a fifth of the fights, is removed
  --keep              remove nothing
  --media FOLDER      films whose names are in the files instead of addresses; --serve sends them, another
                      service with MEDIA_DIR=FOLDER
  --source NAME       name of the league of this folder in the database (default: that of FOLDER)
  --tournaments ADDRESS, --players ADDRESS, --fights ADDRESS, --cages ADDRESS
                      address of a shared sheet, or path, of a file that is not in FOLDER
${timeHelp}
${withoutOptions(commonHelp, ['prune'])}

Examples:
  ${program} import csv my-league --template
  ${program} import csv my-league --time-zone Europe/Berlin --out my-league.cageside --watch
  ${program} import csv my-league --fights 'https://docs.google.com/spreadsheets/d/…/edit#gid=0'`

const readOptions = (args: readonly string[]) =>
  readArguments(csvHelp, args, {
    ...targetOptions,
    ...timeOptions,
    ...fileOptions,
    ...{ recordings: text, source: text, media: text },
    ...{ template: flag, watch: flag, serve: flag, 'dry-run': flag, yes: flag, keep: flag },
  })
type Values = ReturnType<typeof readOptions>['values']

const { compare } = new Intl.Collator('en', { numeric: true })
const order: readonly string[] = fileNames
/** Number of the file; named ones come first. */
const fileNumber = (problem: Problem): number => order.indexOf(fileOf(problem))
const byPlace = (a: Problem, b: Problem): number =>
  fileNumber(a) - fileNumber(b) || compare(a.where, b.where)

/** Prints lists of problems; a list is printed again only if it or a part of its key has changed. */
const createLists = () => {
  const printed = new Map<string, string>()
  return (title: string, problems: readonly Problem[], key = ''): void => {
    const table = problemTable(title, problems.toSorted(byPlace))
    if (table !== '' && table + key !== printed.get(title)) console.log(table)
    printed.set(title, table + key)
  }
}

/** Asks on the terminal; without one, and if files are watched, nothing is written. */
const isConfirmed = (why: string, { watch }: Values): boolean => {
  if (process.stdin.isTTY && !watch) return confirm(`${why}: go on?`)
  console.error(`nothing is written, as ${why}: add --yes if that is meant, or --keep`)
  if (!watch) process.exitCode = 2
  return false
}

/**
 * Milliseconds between two checks of the files, and the delay after a doubtful reading, a failure or the reading of a
 * URL.
 */
const defaultDelays = { look: 100, settle: 300, retry: 5000, address: 15_000 } as const
type Delays = { readonly [Name in keyof typeof defaultDelays]: number }

/** Size of files from which cells and rows take tens of MB, and are collected before more is read. */
const largeFiles = 1_000_000

/** Imports of a folder, one after the other if it is watched. */
const createRounds = (folder: string, values: Values, delays: Delays) => {
  const { watch = false } = values
  const source = values.source ?? basename(resolve(folder))
  const isSkipping = values['skip-bad'] === true
  const list = createLists()
  const listFilms = createFilmList()
  /** State of the files at the previous reading, and when they were last imported or refused. */
  let [read, finished, refused] = ['', '', '']
  /** Events in the files. */
  const known = new Set<string>()
  let stamp = ''
  let nextMs = 0

  const importFiles = async (
    run: ImportRun,
    { contents, digest }: Awaited<ReturnType<typeof readFiles>>,
    isSettled: boolean,
  ): Promise<Outcome | 'unsettled'> => {
    const files = readLeague(contents, values)
    const { options, footage } = files
    const films = options.media
      ? await listFilms(
          options.media,
          footage.map(({ row }) => row.videoUrl),
          files.report,
        )
      : []
    // Cells of 100,000 fights and the rows of a file take 100 MB each.
    const isLarge = contents.values().reduce((sum, { length }) => sum + length, 0) > largeFiles
    if (isLarge) Bun.gc(true)
    const { keep = false } = values
    const plan = await planImport(run, files, { source, prune: !keep && !isSkipping, keep })
    if (isLarge) Bun.gc(true)
    const problems = isSkipping ? files.problems : causesOf(files.problems)
    // A half-written file lacks rows or cannot be read.
    if (!isSettled && (problems.length > 0 || removesRows(plan))) return 'unsettled'
    list('Further files', fightFileNotes(folder, values))
    list('Files that are not Unicode', files.notes)
    list('Lines to look at again', files.doubts)
    list('Ignored columns', files.ignored)
    list('Ignored lines', files.skipped)
    list('Lines that cannot be used', problems, digest)
    if (problems.length > 0 && !isSkipping) {
      throw new RefusedError(
        'nothing is written: mend these lines, or leave them out with --skip-bad',
      )
    }
    for (const line of [...films, ...importSummary(plan.parts, plan.removed)])
      console.log(printable(line, 2000))
    const isOther = plan.removed.some(({ id }) => !known.has(id)) && !plan.hasOwn
    if (isOther && values.source === undefined && (watch || !process.stdin.isTTY)) {
      throw new RefusedError(
        `nothing is written: all events of '${source}' would be removed. Give the league of this folder ` +
          `a name by --source, or '--source ${source}' if it is the same league`,
      )
    }
    const why = confirmation(plan)
    if (values['dry-run'] || (why && !values.yes && !isConfirmed(why, values))) return 'abandoned'
    await writeImport(run, plan)
    for (const id of plan.listed) known.add(id)
    const shown = new Set(problems.map((problem) => JSON.stringify(problem)))
    const { result } = run
    const late = result.problems.filter((problem) => !shown.has(JSON.stringify(problem)))
    result.problems.splice(0, result.problems.length, ...late)
    return problems.length > 0 ? 'incomplete' : 'complete'
  }

  return {
    importInto: async (run: ImportRun, { isAfterFailure }: Round): Promise<Outcome> => {
      stamp = stampOf(folder, values)
      nextMs = delays.retry
      const files = await readFiles(folder, values)
      const { digest } = files
      const restMs = hasAddresses(folder, values) ? delays.address : Number.POSITIVE_INFINITY
      if (digest === refused || (digest === finished && !isAfterFailure)) {
        nextMs = restMs
        return 'abandoned'
      }
      const isSettled = !watch || digest === read
      read = digest
      try {
        const outcome = await importFiles(run, files, isSettled)
        nextMs = outcome === 'unsettled' ? delays.settle : restMs
        if (outcome === 'unsettled') return 'abandoned'
        finished = digest
        return outcome
      } catch (error) {
        // The reason for a refusal remains until the files change.
        if (error instanceof CommandError) [refused, nextMs] = [digest, restMs]
        throw error
      }
    },
    /** Waits until two polls read the same new content, or the next round is due. */
    untilNext: async (signal: AbortSignal, isAfterFailure: boolean): Promise<void> => {
      // A target that could not be written may be writable soon.
      const isRetried = isAfterFailure && read !== refused
      const untilMs = performance.now() + (isRetried ? delays.retry : nextMs)
      let last = stamp
      while (!signal.aborted && performance.now() < untilMs) {
        await untilAborted(delays.look, signal)
        const found = stampOf(folder, values)
        if (found !== stamp && found === last) return
        last = found
      }
    },
  }
}

/** Options of an import into a file, and the settings of the service that is to serve it. */
const withServing = (folder: string, values: Values): Values => {
  const out = values.out ?? `${resolve(folder)}.cageside`
  if (values['database-url'])
    throw new CommandError('--serve and --database-url exclude each other')
  const { env } = process
  // Settings of the shell, or of a file .env here, that would serve something else.
  for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE', 'REPLAY']) delete env[name]
  env.SNAPSHOT = out
  if (values.media) env.MEDIA_DIR = values.media
  env.EVENT_TIME_ZONE ??= values['time-zone'] ?? 'UTC'
  env.LOG_LEVEL ??= 'warn'
  return { ...values, out, watch: true }
}

export const csvCommand = async (
  args: readonly string[],
  { delays = defaultDelays, controller }: CsvClock = {},
): Promise<void> => {
  const { values: given, positionals } = readOptions(args)
  const folder = onlyArgument(positionals, 'folder')
  if (given.template) return writeTemplates(folder)
  if (statSync(folder, { throwIfNoEntry: false })?.isFile())
    throw new CommandError(`${folder} is a file; give the folder that contains it`)
  const values = given.serve ? withServing(folder, given) : given
  if (values.source === '') throw new CommandError('--source needs a name')
  if (values.media && values.out === undefined && !process.env.PUBLIC_URL)
    throw new CommandError('--media into a database needs the setting PUBLIC_URL')
  cellOptions(values)
  const { importInto, untilNext } = createRounds(folder, values, delays)
  if (values.watch) console.log(`${folder} is imported whenever a file changes; Ctrl-C ends this`)
  await repeatImport(values, () => openTarget(values), importInto, {
    untilNext: async (signal, isAfterFailure) => {
      // A module runs once, whatever the number of rounds.
      if (values.serve && existsSync(values.out ?? '')) await import('../../../src/main.ts')
      await untilNext(signal, isAfterFailure)
    },
    ...(controller && { controller }),
  })
}

interface CsvClock {
  readonly delays?: Delays
  readonly controller?: AbortController
}
