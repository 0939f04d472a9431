import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from '../../option.ts'
import { cellOptions, isAddress, readInput } from '../input.ts'
import type { Problem, Report } from '../problems.ts'
import { readFootageFile, readVideos, type Video } from '../recordings/recordings.ts'
import { buildCsvLeague } from './build.ts'
import { buildCsvCages } from './cages.ts'
import {
  cageColumns,
  fightColumns,
  type files,
  playerColumns,
  tournamentColumns,
} from './columns.ts'
import { encodingNotes, encodingsOf } from './reading/encoding.ts'
import { type Columns, readRows, readTable } from './table.ts'

type FileName = keyof typeof files
/** File names, each before the files that a mistake in it causes others in. */
export const fileNames = [
  'tournaments.csv',
  'players.csv',
  'fights.csv',
  'cages.csv',
  'recordings.csv',
] as const

/** Options with the URL or path of a file outside the folder. */
export const fileOptions = { tournaments: text, players: text, fights: text, cages: text }

type FolderValues = Parameters<typeof cellOptions>[0] & {
  readonly [Name in keyof typeof fileOptions | 'recordings']?: string | undefined
}

/** Names such as `fights-2.csv` and `Fights day 1.csv`. */
const moreFights = /^fights[\s_.-]+\S.*\.csv$/i
/** Copies that a browser, a desktop or a person makes. */
const copy =
  /[\s_.-](\(\d+\)|copy|copia|copie|kopie|kopia|backup|old|alt|orig(inal)?|bak|template)(\W|\d|$)/i
const { compare } = new Intl.Collator('en', { numeric: true })

/** Further files of fights of a folder, in the order of their names, and copies among them. */
const fightFilesOf = (folder: string) => {
  const found = existsSync(folder)
    ? readdirSync(folder).filter((name) => moreFights.test(name))
    : []
  const { files = [], copies = [] } = Object.groupBy(found.toSorted(compare), (name) =>
    copy.test(name.replace(/\.csv$/i, '')) ? 'copies' : 'files',
  )
  return { files, copies }
}
const isFights = (name: string): boolean => name === 'fights.csv' || moreFights.test(name)

/** Paths and URLs of the existing and the required files, by name. */
const placesOf = (folder: string, values: FolderValues): ReadonlyMap<string, string> => {
  const given: Readonly<Record<string, string | undefined>> = {
    'tournaments.csv': values.tournaments,
    'players.csv': values.players,
    'fights.csv': values.fights,
    'cages.csv': values.cages,
  }
  const more = values.fights === undefined ? fightFilesOf(folder).files : []
  const places = fileNames.flatMap((name): [string, string][] => {
    const place = given[name] ?? join(folder, name)
    const isNeeded = name === 'fights.csv' && more.length === 0
    const isThere = given[name] !== undefined || isNeeded || existsSync(place)
    return [
      ...(isThere ? [[name, place] as [string, string]] : []),
      ...(name === 'fights.csv'
        ? more.map((each): [string, string] => [each, join(folder, each)])
        : []),
    ]
  })
  const { recordings } = values
  return new Map([
    ...places,
    ...(recordings === undefined ? [] : [[basename(recordings), recordings] as const]),
  ])
}

/** Notes on the files of fights that are read after the first, and on copies that are not. */
export const fightFileNotes = (folder: string, values: FolderValues): readonly Problem[] => {
  if (values.fights !== undefined) return []
  const { files, copies } = fightFilesOf(folder)
  return [
    ...files.map((where) => ({ where, reason: 'read as more lines of fights.csv' })),
    ...copies.map((where) => ({ where, reason: 'not read, as its name is that of a copy' })),
  ]
}

/** A text that differs after each change of a file, made without reading it; files at URLs are not covered. */
export const stampOf = (folder: string, values: FolderValues): string =>
  [...placesOf(folder, values)]
    .map(([name, place]) => {
      const found = isAddress(place) ? undefined : statSync(place, { throwIfNoEntry: false })
      return found ? `${name} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : name
    })
    .join('\n')

export const hasAddresses = (folder: string, values: FolderValues): boolean =>
  placesOf(folder, values).values().some(isAddress)

/** The bytes of the files of a folder, and their digest. */
export const readFiles = async (folder: string, values: FolderValues) => {
  const contents = await Promise.all(
    [...placesOf(folder, values)].map(
      async ([name, place]) => [name, await readInput(place)] as const,
    ),
  )
  const digest = contents.map(([name, bytes]) => `${name} ${Bun.hash(bytes)}`).join('\n')
  return { contents: new Map(contents), digest }
}

/** The league of the files of a folder, and messages about them. */
export const readLeague = (contents: ReadonlyMap<string, Uint8Array>, values: FolderValues) => {
  const options = cellOptions(values)
  const problems: Problem[] = []
  const doubts: Problem[] = []
  const ignored: Problem[] = []
  const skipped: Problem[] = []
  const report: Report = (problem) => void problems.push(problem)
  const reports = {
    report,
    warn: (problem: Problem): void => void doubts.push(problem),
    ignore: (problem: Problem): void => void ignored.push(problem),
    skip: (problem: Problem): void => void skipped.push(problem),
  }
  const encodings = encodingsOf(contents, options.encoding)
  const reportsOf = (name: string) => ({ ...reports, encoding: encodings.get(name) })
  const read = <Name extends string>(name: FileName, columns: Columns<Name>) => {
    const bytes = contents.get(name)
    return bytes ? readTable(name, bytes, columns, reportsOf(name)) : []
  }
  const isOfFights = (name: string): boolean =>
    isFights(name) && (values.recordings === undefined || name !== basename(values.recordings))
  const fights = [...contents].filter(([name]) => isOfFights(name))
  const videos: Video[] = []
  const built = buildCsvLeague(
    {
      tournaments: read('tournaments.csv', tournamentColumns),
      players: read('players.csv', playerColumns),
      readFights: (onRow, onBadRow) => {
        for (const [name, bytes] of fights)
          readRows(name, bytes, fightColumns, reportsOf(name), onRow, onBadRow)
      },
    },
    options,
    { ...reports, video: (video) => void videos.push(video) },
  )
  const isCause = problems.every(({ missing }) => missing !== undefined)
  if (!contents.has('tournaments.csv') && built.length === 0 && isCause) {
    const reason =
      "there is no such file, and fights.csv has no columns 'event' and 'class' instead"
    report({ where: 'tournaments.csv', reason })
  }
  const hasCages = contents.has('cages.csv')
  const { league, cages } = hasCages
    ? buildCsvCages(built, read('cages.csv', cageColumns), report)
    : { league: built, cages: undefined }
  const footage = [...contents].flatMap(([name, bytes]) =>
    name === 'recordings.csv' || !(isOfFights(name) || fileNames.some((each) => each === name))
      ? readFootageFile(name, bytes, options, reportsOf(name))
      : [],
  )
  footage.push(...readVideos(videos, options, report))
  const notes = encodingNotes(contents, encodings)
  return { league, cages, footage, problems, doubts, ignored, skipped, notes, report, options }
}
export type FolderLeague = ReturnType<typeof readLeague>
