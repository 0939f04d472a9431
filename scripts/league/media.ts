import {
  type ProxyAddress,
  type ProxyHeight,
  standardProxyUrl,
} from '../../src/data/source/proxies.ts'
import type { ClipRow, RecordingRow, StillRow, StillTagRow } from '../../src/data/source/rows.ts'
import type { Entrant, Game } from './brackets.ts'
import type { EventResult } from './event.ts'
import { clips as clipFilms, preRollMs, viewOf } from './films.ts'
import { hiddenMarker } from './names.ts'
import { capturedAt } from './plan.ts'
import { createRandom, type Random } from './random.ts'

/** Recordings, clips and stills of one tournament; each list is sorted by its key. */
export interface Media {
  readonly recordings: RecordingRow[]
  readonly clips: ClipRow[]
  readonly stills: StillRow[]
  readonly stillTags: StillTagRow[]
}

/** Counters of ids that are unique in the league. */
export interface Counters {
  recordingId: number
  stillId: number
}

/** Values common to all media of a tournament. */
interface Making {
  readonly media: Media
  /** Start of tokens and folders; hidden tournaments are recognisable by it. */
  readonly prefix: string
  readonly folder: string
  readonly isHidden: boolean
  readonly cameraWeights: readonly number[]
  readonly counters: Counters
  readonly random: Random
}

const host = 'https://media.example'

/** Cameras, in order of removal when fewer run. */
const cageCameras = [
  'Overhead-High',
  'Red-Corner',
  'Blue-Corner',
  'Overhead-Low',
  'Rail-Left',
  'Rail-Right',
  'Door',
  'Floor-East',
  'Floor-West',
  'Slow-Motion',
] as const
const sharedCameras = ['Program-Feed', 'SkyCam-A', 'SkyCam-B'] as const

const camerasOf = (cage: number, count: number): readonly string[] => {
  const own = cageCameras.map((camera) => `Cage-${cage}-${camera}`)
  const [overhead = ''] = own
  if (count <= 3) return [overhead, 'SkyCam-A', 'Program-Feed'].slice(0, count)
  return [...own, ...sharedCameras].slice(0, count)
}

const stamp = (ms: number): string =>
  new Date(ms).toISOString().slice(0, -1).replace('T', '_').replaceAll(':', '-')

const cameraCounts = [13, 12, 11, 3, 0] as const

const recordingsOf = (
  game: Game,
  recordedAt: number,
  { cameraWeights, folder, counters, random }: Making,
): readonly RecordingRow[] => {
  const count = cameraCounts[random.weighted(cameraWeights)] ?? 0
  const cage = game.cage ?? 1
  const isElsewhere = random.chance(0.03)
  // The newest files are uploaded and their proxies still being made.
  const isFresh = recordedAt > capturedAt - 1500
  return camerasOf(cage, count).map((camera): RecordingRow => {
    counters.recordingId += random.chance(0.02) ? random.int(2, 40) : 1
    const view = viewOf(camera)
    const isLate = random.chance(0.002)
    const startMs = isLate
      ? recordedAt * 1000 + random.int(1000, 20_000)
      : recordedAt * 1000 - preRollMs[view]
    const isLost = random.chance(0.012)
    const isChecked = !isLost || random.chance(0.6)
    const hasProxies = !isLost && !(isFresh ? random.chance(0.6) : random.chance(0.008))
    const file = `${camera}-${stamp(startMs)}-${view}.mp4`
    const videoUrl = isLost && random.chance(0.2) ? null : `${host}${folder}/${file}`
    const proxy = (height: ProxyHeight): ProxyAddress =>
      isElsewhere ? standardProxyUrl(`${host}${folder}/proxy/${file}`, height) : true
    const isUnchecked =
      videoUrl === null || !isChecked || (isFresh && !hasProxies) || random.chance(0.01)
    return {
      id: counters.recordingId,
      gameId: game.id,
      cage: `Cage ${cage}`,
      camera,
      videoUrl,
      httpStatus: isUnchecked ? null : isLost ? 404 : 200,
      startMs: random.chance(0.004) ? null : startMs,
      proxy720Url: hasProxies ? proxy(720) : null,
      proxy360Url: hasProxies ? proxy(360) : null,
      proxy72Url: hasProxies && !random.chance(0.002) ? proxy(72) : null,
    }
  })
}

const clipEndings = ['knockout', 'big hit', 'flip', 'finish', 'sparks'] as const

const clipOf = (
  game: Game,
  stop: number,
  isForced: boolean,
  { folder, prefix, random }: Making,
): ClipRow | undefined => {
  const isUnderWay = stop > capturedAt - 86_400
  const createdTime = stop + random.int(120, isUnderWay ? 1800 : 3 * 86_400)
  if (createdTime > capturedAt) return undefined
  const state = isForced
    ? 'completed'
    : ((['completed', 'processing', 'failed'] as const)[random.weighted([90, 5, 5])] ?? 'completed')
  const token = `${prefix}${random.token(22 - prefix.length)}`
  const [red, blue] = game.corners
  const film = random.pick(clipFilms)
  const url = (size: string) =>
    state === 'completed' ? `${host}${folder}/clips/${token}-${film.name}_${size}.mp4` : null
  const views = Math.floor(4 ** (random.bell() + 3))
  return {
    token,
    gameId: game.id,
    name: `${red.entrant?.name} vs ${blue.entrant?.name}: ${random.pick(clipEndings)}`,
    state,
    isPublic: isForced || random.chance(0.93),
    isCurated: random.chance(0.2),
    durationMs: film.seconds * 1000,
    views,
    likes: Math.floor(views * random.next() * 0.2),
    createdTime,
    video720Url: url('720p'),
    video360Url: url('360p'),
    video72Url: url('72p'),
  }
}

const sources = ['media-team', 'Photo-Booth', 'cagecam', 'drivers'] as const
const sizes = [
  [6000, 4000],
  [4032, 3024],
  [3840, 2160],
  [null, null],
] as const

const tagsOf = (entrant: Entrant | null, isHero: boolean, random: Random): readonly string[] => {
  if (isHero) return ['Hero-Bot', ...(entrant ? [entrant.name] : [])]
  if (random.chance(0.15)) return ['Driver', ...(entrant?.bot ? [entrant.bot.team] : [])]
  if (random.chance(0.1)) return ['Team', ...(entrant?.bot ? [entrant.bot.team] : [])]
  return ['Action', ...(random.chance(0.4) ? ['Sparks'] : []), ...(entrant ? [entrant.name] : [])]
}

const addStill = (
  entrant: Entrant | null,
  isHero: boolean,
  takenTime: number,
  { media, folder, prefix, counters, random }: Making,
) => {
  const id = ++counters.stillId
  const token = `${prefix}${random.token(22 - prefix.length)}`
  const [width, height] = sizes[random.weighted([50, 25, 15, 10])] ?? [null, null]
  media.stills.push({
    id,
    token,
    playerId: entrant?.id ?? null,
    url: `${host}${folder}/stills/${token}.svg`,
    width,
    height,
    source: isHero ? random.pick(['media-team', 'Photo-Booth'] as const) : random.pick(sources),
    isHero,
    isCurated: isHero && random.chance(0.7),
    takenTime,
  })
  const tags = [...new Set(tagsOf(entrant, isHero, random))].sort()
  for (const tag of tags) media.stillTags.push({ stillId: id, tag })
}

/** Media of an event, by tournament in the event's order. */
export const eventMedia = (
  { event, contests }: EventResult,
  cameraWeights: readonly number[],
  counters: Counters,
  seed: number,
): readonly Media[] => {
  const random = createRandom(seed)
  const all = contests.map((contest) => {
    const { isHidden } = contest.plan
    const prefix = isHidden ? hiddenMarker : ''
    const media: Media = { recordings: [], clips: [], stills: [], stillTags: [] }
    const folder = isHidden ? `/${hiddenMarker}` : ''
    const making: Making = { media, prefix, folder, isHidden, cameraWeights, counters, random }
    return { contest, making }
  })
  const recordedGames = all
    .flatMap(({ contest, making }) =>
      contest.games.flatMap((game) =>
        game.recordedAt === null ? [] : [{ making, game, recordedAt: game.recordedAt }],
      ),
    )
    .sort((a, b) => a.recordedAt - b.recordedAt || (a.game.cage ?? 0) - (b.game.cage ?? 0))

  for (const { contest, making } of event.phase === 'upcoming' ? [] : all) {
    for (const entrant of contest.entrants) {
      const isFirst = making.isHidden && making.media.stills.length === 0
      if (!entrant.bot || (!isFirst && !random.chance(0.4))) continue
      addStill(entrant, true, event.startTime + random.int(-3600, 3600), making)
    }
  }
  for (const { making, game, recordedAt } of recordedGames) {
    const { media, isHidden } = making
    const isDefault = game.winAnnotation === 'FF'
    if (!isDefault || random.chance(0.15)) {
      media.recordings.push(...recordingsOf(game, recordedAt, making))
    }
    if (isDefault || game.stopTime === null) continue
    const isFirst = isHidden && media.clips.length === 0
    if (isFirst || random.chance(0.11)) {
      const clip = clipOf(game, game.stopTime, isFirst, making)
      if (clip) media.clips.push(clip)
    }
    if (random.chance(0.18)) {
      const entrant = random.pick([game.corners[0].entrant, game.corners[1].entrant, null])
      addStill(entrant, false, recordedAt + random.int(0, 60), making)
    }
  }
  return all.map(({ making: { media } }) => {
    media.clips.sort((a, b) => (a.token < b.token ? -1 : 1))
    return media
  })
}
