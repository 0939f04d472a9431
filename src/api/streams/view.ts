import { once } from '../../runtime/once.ts'
import { toTimestamp } from '../fields.ts'
import type { LiveStream, LiveStreamGroups } from './schema.ts'
import type { Broadcast } from './streamSource.ts'

/** Words with their own capitalization. */
const spellings: ReadonlyMap<string, string> = new Map([['skycam', 'SkyCam']])

const spell = (word: string): string =>
  spellings.get(word.toLowerCase()) ?? word.charAt(0).toUpperCase() + word.slice(1)

/** `cage-1`, `cage_1` and `cage1` are `Cage 1`. */
const locationName = (place: string): string =>
  place
    .split(/[-_\s]+|(?<=\p{L})(?=\p{N})/u)
    .filter((word) => word !== '')
    .map(spell)
    .join(' ') || place

/** Location, then name: `cage-1/overhead`, else `cage-1-overhead`, else `pits_wide`. */
const divisions = [/^([^/]+)\/(.+)$/u, /^(\p{L}+[-_\s]?\p{N}+)[-_\s](.+)$/u, /^([^_]+)_(.+)$/u]

/** Location and name; an indivisible path, such as `pits`, is both. */
const divide = (path: string): { location: string; name: string } => {
  for (const division of divisions) {
    const [, place, name] = division.exec(path) ?? []
    if (place && name) return { location: locationName(place), name }
  }
  return { location: locationName(path), name: path }
}

const liveStream = ({ path, hlsUrl, readyUnix, viewers, tracks }: Broadcast): LiveStream => ({
  ...divide(path),
  path,
  hlsUrl,
  readyTime: toTimestamp(readyUnix),
  viewers,
  tracks: [...tracks],
})

/** `Cage 2` comes before `Cage 10`. */
const collator = once(() => new Intl.Collator('en', { numeric: true }))

export const liveStreamGroups = (broadcasts: readonly Broadcast[]): LiveStreamGroups => {
  const { compare } = collator()
  const streams = broadcasts
    .map(liveStream)
    .sort(
      (a, b) =>
        compare(a.location, b.location) || compare(a.name, b.name) || compare(a.path, b.path),
    )
  return { groups: Object.fromEntries(Map.groupBy(streams, ({ location }) => location)) }
}
