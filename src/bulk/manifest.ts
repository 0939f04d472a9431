import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import project from '../../package.json' with { type: 'json' }
import { readingFile, replaceDurably } from '../usage/files.ts'
import { bulkTables } from './tables.ts'

const count = Type.Integer({ minimum: 0 })

/** Key, hash of the text, rows and compressed bytes of a part. */
const StoredPart = Type.Tuple([Type.String(), Type.String(), count, count])
export type StoredPart = Static<typeof StoredPart>

/** What a file holds, stored beside it. */
const Manifest = Type.Object({
  /** The program that made it, see {@link stamp}. */
  stamp: Type.String(),
  /** Name of the file in the same folder. */
  file: Type.String({ pattern: '^[a-z]+\\.[\\w-]+\\.(ndjson|csv)\\.gz$' }),
  version: Type.String(),
  updated: count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Compressed bytes before the first part. */
  openingBytes: count,
  parts: Type.Array(StoredPart),
})
export type Manifest = Static<typeof Manifest>

/** Programs with equal stamps make equal bytes of equal data. */
export const stamp = Bun.hash
  .xxHash64(JSON.stringify([project.version, Bun.version, Object.keys(bulkTables)]))
  .toString(36)

/** Reads a manifest of this program; undefined if there is none that can be read and is valid. */
export const readManifest = async (path: string): Promise<Manifest | undefined> => {
  try {
    const stored: unknown = JSON.parse(await readingFile(path, (file) => file.readFile('utf8')))
    return Value.Check(Manifest, stored) && stored.stamp === stamp ? stored : undefined
  } catch {
    return undefined
  }
}

export const writeManifest = (path: string, manifest: Manifest): Promise<void> =>
  replaceDurably(path, JSON.stringify(manifest))

export const sizeOf = ({ openingBytes, parts }: Pick<Manifest, 'openingBytes' | 'parts'>): number =>
  parts.reduce((sum, [, , , bytes]) => sum + bytes, openingBytes)

export const rowsOf = ({ parts }: Pick<Manifest, 'parts'>): number =>
  parts.reduce((sum, [, , rows]) => sum + rows, 0)
