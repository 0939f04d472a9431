import { isAvailable, recordingOffset } from '../../../api/fights/recording.ts'
import { providedFilm } from '../../../data/league/films.ts'
import { recordingsOf } from '../../../data/league/recordings.ts'
import type { Fight } from '../../../data/league/types.ts'
import { mediaAddress } from '../../../derived/media/mediaAddress.ts'

/** One camera's recording as the page shows it. */
export interface CameraView {
  /** Name such as `Overhead High`, without the cage, which is common to all. */
  readonly name: string
  /** Position in the file at which the fight starts, in seconds; null if it cannot be derived. */
  readonly offset: number | null
  /** Addresses of the file, smallest first. */
  readonly files: readonly { readonly quality: Quality; readonly address: string }[]
}

export const qualities = ['72p', '360p', '720p', 'original'] as const
type Quality = (typeof qualities)[number]

/** `Cage-4-Overhead-High` in `Cage 4` is `Overhead High`. */
const cameraName = (camera: string, cage: string): string => {
  const spaced = camera.replaceAll('-', ' ').trim()
  const short = spaced.startsWith(`${cage} `) ? spaced.slice(cage.length + 1) : spaced
  return short || 'Camera'
}

/** A film that its provider plays in a frame. */
export interface FilmView {
  readonly name: string
  readonly provider: string
  readonly page: string
  /** The player, at the start of the fight if that is known. */
  readonly player: string
}

/** Films of providers; {@link camerasOf} has the cameras with files. */
export const filmsOf = (fight: Fight): readonly FilmView[] =>
  recordingsOf(fight.recordings).flatMap((recording) => {
    const film = providedFilm(recording.videoUrl)
    const page = mediaAddress(recording.videoUrl)
    if (!film || page === undefined) return []
    const start = Math.max(0, Math.floor(recordingOffset(fight, recording) ?? 0))
    const name = cameraName(recording.camera, recording.cage)
    return [{ name, provider: film.provider, page, player: film.playerAt(start) }]
  })

/** Recordings that can be played; first the ones that can be shown in step. */
export const camerasOf = (fight: Fight): readonly CameraView[] => {
  const cameras = recordingsOf(fight.recordings)
    .filter(isAvailable)
    .map((recording): CameraView => {
      const { proxy72Url, proxy360Url, proxy720Url, videoUrl } = recording
      const addresses = [proxy72Url, proxy360Url, proxy720Url, videoUrl].map(mediaAddress)
      return {
        name: cameraName(recording.camera, recording.cage),
        offset: recordingOffset(fight, recording),
        files: qualities.flatMap((quality, index) => {
          const address = addresses[index]
          return address === undefined ? [] : [{ quality, address }]
        }),
      }
    })
    .filter(({ files }) => files.length > 0)
  return cameras.sort((a, b) => Number(a.offset === null) - Number(b.offset === null))
}
