import type { OpenAPIV3 } from 'openapi-types'
import type { Archive } from '../../data/archive/archive.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import type { Tournament } from '../../data/league/types.ts'

/**
 * Tournament of all examples: the oldest with recordings, clips and stills, because it rarely changes; else the oldest
 * with a fight, else the oldest; undefined if there is none.
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

/** Values of parameters by name; values from the league exist in the tournament. */
const exampleValues = (
  tournament: Tournament | undefined,
): Readonly<Record<string, string | undefined>> => {
  const { fights = [], clips = [], stills = [] } = tournament ?? {}
  const fight =
    fights.find(({ isCompleted, recordings }) => isCompleted && recordings.length > 0) ?? fights[0]
  const { player } = fight?.red ?? {}
  const hero = stills.find(({ isHero, bot }) => isHero && bot)
  return {
    tournamentID: tournament?.info.id,
    'params[tournamentId]': tournament?.info.id,
    gameID: fight?.id,
    playerID: player?.id,
    recordingID: fight && recordingsOf(fight.recordings)[0]?.id.toString(),
    bot: hero?.bot?.cleanName ?? player?.cleanName,
    bot1: player?.cleanName,
    bot2: fight?.blue.player.cleanName,
    q: player?.cleanName,
    token: clips[0]?.token,
    // A still with a known size, so that no picture is fetched.
    stillID: (stills.find(({ width, height }) => width && height) ?? stills[0])?.id.toString(),
    cageNumber: '1',
    tournament: tournament?.info.id,
    cage: '1',
    since: 'now',
    lastEventId: 'now',
    type: 'fight.ended',
    file: 'fights.ndjson.gz',
    limit: '1',
    length: '1',
    function: 'getLocalTournaments',
  }
}

type Parameter = OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject

/** Adds a value to each parameter that has one, so that every operation can be tried. */
export const withExamples = (
  document: OpenAPIV3.Document,
  tournament: Tournament | undefined,
): OpenAPIV3.Document => {
  const values = exampleValues(tournament)
  const withExample = <Each extends Parameter>(parameter: Each): Each => {
    const value = 'name' in parameter ? values[parameter.name] : undefined
    if (value === undefined || !('name' in parameter)) return parameter
    const { schema = {} } = parameter
    const type = 'type' in schema ? schema.type : undefined
    const example = type === 'integer' ? Number(value) : type === 'array' ? [value] : value
    return { ...parameter, example }
  }
  const { components } = document
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([template, item]) => [
        template,
        item?.get && {
          get: { ...item.get, parameters: (item.get.parameters ?? []).map(withExample) },
        },
      ]),
    ),
    components: {
      ...components,
      parameters: Object.fromEntries(
        Object.entries(components?.parameters ?? {}).map(([name, parameter]) => [
          name,
          withExample(parameter),
        ]),
      ),
    },
  }
}
