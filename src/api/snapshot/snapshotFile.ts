import type { Archive, ServedRows } from '../../data/archive/archive.ts'
import { byID, encodeFrame, nameFrame } from '../../data/source/snapshot.ts'
import {
  encodeHead,
  type FrameName,
  hashedHeaderBytes,
  headerBytes,
} from '../../data/source/snapshotHead.ts'
import { caching } from '../../http/caching.ts'
import type { ServedFile } from '../../http/fileResponse.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'

/**
 * The newest time in the data, in Unix seconds and not after `now`. As capture time it makes
 * the file a function of the data, and a server of the file shows an event in progress.
 */
const newestMoment = ({ dataset, cages }: Archive, now: number): number => {
  const { fights, tournaments } = dataset
  const completed = fights.find(({ isCompleted }) => isCompleted)
  const moments = [
    ...tournaments.map(({ info }) => info.updateUnix),
    ...Object.values(cages).map(({ updateUnix }) => updateUnix ?? 0),
    fights[0]?.startUnix ?? 0,
    completed?.finishUnix ?? 0,
  ]
  return moments.reduce((newest, each) => (each <= now ? Math.max(newest, each) : newest), 0)
}

/**
 * The snapshot file of an archive, kept in memory only.
 */
export const buildSnapshotFile = async (
  { archive, cages, frames }: ServedRows,
  now: number,
): Promise<ServedFile> => {
  const slice = createTimeSlice()
  const sorted = frames.toSorted(byID)
  const names: FrameName[] = []
  for (const frame of sorted) {
    names.push(nameFrame(frame))
    if (slice.isOver()) await slice.next()
  }
  const { head } = encodeHead({ capturedAt: newestMoment(archive, now), ...cages }, names)
  const hash = head.toString('base64url', hashedHeaderBytes, headerBytes)

  return {
    etag: `"${hash.slice(0, 22)}"`,
    contentType: 'application/vnd.cageside.snapshot',
    name: 'league.cageside',
    cacheControl: caching.live,
    version: archive.version,
    pieces: [
      { size: head.length, read: () => [head] },
      ...names.map(([, , length], index) => ({
        size: 4 + length,
        read: () => {
          const frame = sorted[index]
          return frame ? encodeFrame(frame) : []
        },
      })),
    ],
  }
}

/** The file of the current archive, built once for each. */
export const createSnapshotFiles = (): ((rows: ServedRows, now: number) => Promise<ServedFile>) => {
  const files = new WeakMap<Archive, Promise<ServedFile>>()
  return (rows, now) => {
    const known = files.get(rows.archive)
    if (known) return known
    const file = buildSnapshotFile(rows, now)
    files.set(rows.archive, file)
    file.catch(() => files.delete(rows.archive))
    return file
  }
}
