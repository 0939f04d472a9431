import type { OpenAPIV3 } from 'openapi-types'
import { type Archive, noCages } from '../archive.ts'
import { buildCages } from '../dataset/buildCages.ts'
import { recordingsOf } from '../dataset/recordings.ts'
import { staticExamples } from './statics.ts'

/** An archive and a time, which all examples of one description are of. */
export interface Moment {
  readonly archive: Archive
  /** Unix seconds. */
  readonly now: number
}

/** Asks the service itself for a path; gives the body of a success. */
export type Ask = (path: string, moment: Moment) => Promise<unknown>

/** Shown instead of what is another thing each time. */
const insteadOf: Readonly<Record<string, string>> = { '/randomClips': '/recentClips' }

/** Entries of a list that an example shows: no list of ours must have more. */
const shownEntries = 2

/** What examples ask of lists and of scripts. */
const queryExamples: Readonly<Record<string, string>> = {
  limit: '1',
  length: '1',
  function: 'getLocalTournaments',
}

/** The path before every route of a server, none for the root. */
export const baseOf = (servers: readonly OpenAPIV3.ServerObject[] = []): string =>
  (servers[0]?.url ?? '').replace(/\/$/, '')

/** Values for the parameters in paths, as far as the archive has any that there is an answer for. */
const argumentsOf = ({
  dataset,
  bots,
  clips,
  stills,
}: Archive): Readonly<Record<string, string | undefined>> => {
  const filmed = dataset.fights.find(
    ({ isCompleted, recordings }) => isCompleted && recordings.length > 0,
  )
  const fight = filmed ?? dataset.fights[0]
  return {
    tournamentID: fight?.tournament.id ?? dataset.tournaments[0]?.info.id,
    gameID: fight?.id,
    playerID: fight?.red.player?.id,
    recordingID: fight && recordingsOf(fight.recordings)[0]?.id.toString(),
    bot: fight?.red.player?.cleanName ?? bots[0]?.cleanName,
    bot1: fight?.red.player?.cleanName,
    bot2: fight?.blue.player?.cleanName,
    'params[tournamentId]': fight?.tournament.id,
    token: clips.newestFirst[0]?.token,
    // No example waits for a picture to be read.
    stillID: stills.newestFirst.find(({ width, height }) => width && height)?.id.toString(),
    cageNumber: '1',
    q: fight?.red.player?.cleanName ?? bots[0]?.cleanName,
  }
}

const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, shownEntries).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]))
}

const isParameter = (
  parameter: OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject,
): parameter is OpenAPIV3.ParameterObject => 'name' in parameter

/** The document with examples, which are answers of this service about this data. */
export const withExamples = async (
  document: OpenAPIV3.Document,
  archive: Archive,
  ask: Ask,
): Promise<OpenAPIV3.Document> => {
  const values = argumentsOf(archive)
  const newest = archive.dataset.fights.find(({ isCompleted }) => isCompleted)
  const moment: Moment = {
    archive: { ...archive, cages: buildCages(archive.dataset, noCages) },
    now: (newest?.finishUnix ?? 0) + 60,
  }
  const { paths, ...rest } = structuredClone(document)
  for (const [template, item] of Object.entries(paths)) {
    const operation = item?.get
    if (!operation) continue
    const base = baseOf(item.servers ?? rest.servers)
    const query = new URLSearchParams()
    for (const parameter of (operation.parameters ?? []).filter(isParameter)) {
      const { name } = parameter
      const value =
        name === 'bot' && /[pP]ic/.test(template)
          ? archive.stills.heroes.find(({ bot }) => bot)?.bot?.cleanName
          : parameter.in === 'query'
            ? (queryExamples[name] ?? values[name])
            : values[name]
      // The newest bot to fight may have no picture yet.
      if (value === undefined || (name === 'bot' && template === '/stills')) continue
      const { schema = {} } = parameter
      parameter.example = 'type' in schema && schema.type === 'integer' ? Number(value) : value
      if (parameter.in === 'query') query.set(name, value)
    }
    if (template === '/openapi' || !operation.responses['200']) continue
    const asked = (insteadOf[template] ?? template).replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name] ?? 'none'),
    )
    const body = staticExamples[template] ?? (await ask(`${base}${asked}?${query}`, moment))
    const success = operation.responses['200']
    if (body === undefined || !success || !('content' in success)) continue
    for (const content of Object.values(success.content ?? {})) content.example = shorten(body)
  }
  return { ...rest, paths }
}
