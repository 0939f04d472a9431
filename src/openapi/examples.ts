import { setImmediate } from 'node:timers/promises'
import type { OpenAPIV3 } from 'openapi-types'
import { type Archive, buildArchive } from '../archive/archive.ts'
import { findBot } from '../careers/bots.ts'
import { recordingsOf } from '../league/recordings.ts'
import type { Tournament } from '../league/types.ts'
import { staticExamples } from './statics.ts'

/** The archive and the time of all examples. */
export interface ExampleContext {
  readonly archive: Archive
  /** Unix seconds. */
  readonly now: number
}

/** Requests a path of this service; resolves to the body of a 200, else undefined. */
export type FetchExample = (path: string, context: ExampleContext) => Promise<unknown>

/** Max entries of a list in an example; no list has a larger `minItems`. */
const maxExampleEntries = 2

/** Values of query parameters, by name. */
const queryExamples: Readonly<Record<string, string>> = {
  limit: '1',
  length: '1',
  function: 'getLocalTournaments',
}

/** Values of parameters, by name, that exist in the archive. */
const parameterValues = ({
  dataset,
  bots,
  clips,
  stills,
}: Archive): Readonly<Record<string, string | undefined>> => {
  const recorded = dataset.fights.find(
    ({ isCompleted, recordings }) => isCompleted && recordings.length > 0,
  )
  const fight = recorded ?? dataset.fights[0]
  const withHeroStill = stills.heroes.find(
    ({ bot }) => bot && findBot(bots, bot.cleanName)?.totals.fights,
  )?.bot
  return {
    tournamentID: fight?.tournament.id ?? dataset.tournaments[0]?.info.id,
    gameID: fight?.id,
    playerID: fight?.red.player.id,
    recordingID: fight && recordingsOf(fight.recordings)[0]?.id.toString(),
    bot: (withHeroStill ?? fight?.red.player ?? bots[0])?.cleanName,
    bot1: fight?.red.player.cleanName,
    bot2: fight?.blue.player.cleanName,
    'params[tournamentId]': fight?.tournament.id,
    token: clips.newestFirst[0]?.token,
    // A still with known size, so that no picture is fetched.
    stillID: stills.newestFirst.find(({ width, height }) => width && height)?.id.toString(),
    cageNumber: '1',
    file: 'fights.ndjson.gz',
    q: fight?.red.player.cleanName ?? bots[0]?.cleanName,
  }
}

/**
 * Tournament of all examples: the oldest with recordings, clips and stills, as it rarely changes;
 * else the oldest with a fight, else the oldest; undefined without any.
 */
export const exampleTournament = ({
  dataset: { tournaments },
}: Pick<Archive, 'dataset'>): Tournament | undefined =>
  tournaments.findLast(
    ({ clips, stills, fights }) =>
      clips.length > 0 &&
      stills.some(({ isHero, bot }) => isHero && bot) &&
      fights.some(({ isCompleted, recordings }) => isCompleted && recordings.length > 0),
  ) ??
  tournaments.findLast(({ fights }) => fights.length > 0) ??
  tournaments.at(-1)

const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, maxExampleEntries).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]))
}

const isParameter = (
  parameter: OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject,
): parameter is OpenAPIV3.ParameterObject => 'name' in parameter

const withExample = (
  parameter: OpenAPIV3.ParameterObject,
  value: string | undefined,
): OpenAPIV3.ParameterObject => {
  if (value === undefined) return parameter
  const { schema = {} } = parameter
  const isInteger = 'type' in schema && schema.type === 'integer'
  return { ...parameter, example: isInteger ? Number(value) : value }
}

const withBody = (success: OpenAPIV3.ResponseObject, body: unknown): OpenAPIV3.ResponseObject => ({
  ...success,
  content: Object.fromEntries(
    Object.entries(success.content ?? {}).map(([type, content]) => [
      type,
      { ...content, example: shorten(body) },
    ]),
  ),
})

/**
 * Adds examples: responses of this service for an archive of one tournament, which bounds their
 * cost. One is made per turn of the event loop.
 */
export const withExamples = async (
  document: OpenAPIV3.Document,
  tournament: Tournament | undefined,
  fetchExample: FetchExample,
): Promise<OpenAPIV3.Document> => {
  const archive = buildArchive('examples', tournament ? [tournament] : [])
  const values = parameterValues(archive)
  const newest = archive.dataset.fights.find(({ isCompleted }) => isCompleted)
  const context: ExampleContext = { archive, now: (newest?.finishUnix ?? 0) + 60 }
  const fill = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'))

  const operationWithExample = async (
    template: string,
    { parameters = [], responses, ...operation }: OpenAPIV3.OperationObject,
  ): Promise<OpenAPIV3.OperationObject> => {
    const { operationId = '' } = operation
    const query = new URLSearchParams()
    const filled = parameters.map((parameter) => {
      if (!isParameter(parameter)) return parameter
      const { name } = parameter
      const value = queryExamples[name] ?? values[name]
      if (value !== undefined) query.set(name, value)
      return withExample(parameter, value)
    })
    const described = { ...operation, parameters: filled }
    const { 200: success } = responses
    if (!success || !('content' in success) || operationId === 'getOpenAPI') {
      return { ...described, responses }
    }
    // Random clips would change the example each time.
    const path = fill(template.replace(/randomClips$/, 'recentClips'))
    const body = staticExamples[operationId] ?? (await fetchExample(`${path}?${query}`, context))
    return {
      ...described,
      responses: body === undefined ? responses : { ...responses, 200: withBody(success, body) },
    }
  }

  const paths: OpenAPIV3.PathsObject = {}
  for (const [template, item] of Object.entries(document.paths)) {
    await setImmediate()
    if (item?.get) paths[template] = { get: await operationWithExample(template, item.get) }
  }
  const { components } = document
  const parameters = Object.fromEntries(
    Object.entries(components?.parameters ?? {}).map(([name, parameter]) => [
      name,
      isParameter(parameter) ? withExample(parameter, values[name]) : parameter,
    ]),
  )
  return { ...document, paths, components: { ...components, parameters } }
}
