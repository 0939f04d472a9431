import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../archive/archive.ts'
import { replaceFile, writeWhole } from '../files.ts'
import { makeFolder, readingFile } from '../usage/files.ts'
import {
  type Manifest,
  readManifest,
  rowsOf,
  type StoredPart,
  sizeOf,
  stamp,
  writeManifest,
} from './manifest.ts'
import { compress, createTexts, type PartText } from './members.ts'
import { type BulkName, type BulkTable, bulkTables, type Part } from './tables.ts'

const copyBytes = 256 * 1024
/** A file that was replaced stays for requests that have not opened it yet. */
const removeAfterMs = 500

/** A file on disk that belongs to a version of the data. */
export interface MadeFile {
  readonly name: BulkName
  readonly path: string
  readonly bytes: number
  readonly rows: number
  readonly sha256: string
  readonly version: string
  /** Unix seconds at which the bytes were written. */
  readonly updated: number
}

/** What is in the file now. */
interface State {
  readonly manifest: Manifest
  /** The dataset that it is known to belong to. */
  dataset: Archive['dataset'] | undefined
  /** By key: where a part begins, and the value that its rows were made of. */
  readonly places: Map<
    string,
    { readonly stored: StoredPart; readonly start: number; of: WeakRef<object> | undefined }
  >
}

const stateOf = (manifest: Manifest): State => {
  let start = manifest.openingBytes
  const places: State['places'] = new Map()
  for (const stored of manifest.parts) {
    places.set(stored[0], { stored, start, of: undefined })
    start += stored[3]
  }
  return { manifest, dataset: undefined, places }
}

/** Calls back with the bytes of a file from `start` to `end`, chunk by chunk. Throws where they end early. */
const eachChunk = (
  path: string,
  [start, end]: readonly [number, number],
  use: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> =>
  readingFile(path, async (file) => {
    const buffer = Buffer.alloc(Math.min(copyBytes, end - start))
    for (let at = start; at < end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at)
      if (bytesRead === 0) throw new Error('the file is shorter than it was')
      await use(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
  })

/** One file of `/bulk`, kept in a folder and made again where the data differs. */
export interface BulkFile {
  /** The file where it belongs to this data. */
  readonly current: (archive: Archive) => Promise<MadeFile | undefined>
  /** Makes the file for this data. One call at a time. Throws what the system does. */
  readonly update: (archive: Archive) => Promise<MadeFile>
  /** Whether a file is kept, of whatever data. */
  readonly isKept: () => Promise<boolean>
  /** Keys of the parts on disk, as the manifest has them. */
  readonly keys: () => Promise<readonly string[]>
  readonly remove: () => Promise<void>
  /** Removes replaced files now. */
  readonly close: () => Promise<void>
}

/**
 * The file is a sequence of gzip members, one for each part. An update compresses the parts whose rows
 * differ and copies the others. Other bytes are another file, so that requests under way finish on the old
 * one; the manifest names the current one and is written last.
 */
export const openBulkFile = (folder: string, name: BulkName, nowUnix: () => number): BulkFile => {
  const table: BulkTable = bulkTables[name]
  const manifestPath = join(folder, `${name}.json`)
  const pathOf = ({ file }: Manifest): string => join(folder, file)
  const replaced = new Map<string, Timer>()
  let state: State | undefined

  const madeFile = ({ manifest }: State): MadeFile => ({
    name,
    path: pathOf(manifest),
    bytes: sizeOf(manifest),
    rows: rowsOf(manifest),
    sha256: manifest.sha256,
    version: manifest.version,
    updated: manifest.updated,
  })

  /** Whether the file still has its size; with `isHashed`, also its content. */
  const isWhole = async (manifest: Manifest, isHashed: boolean): Promise<boolean> => {
    const path = pathOf(manifest)
    try {
      const size = await readingFile(path, async (file) => (await file.stat()).size)
      if (size !== sizeOf(manifest)) return false
      if (!isHashed) return true
      const hash = new Bun.CryptoHasher('sha256')
      await eachChunk(path, [0, size], (chunk) => void hash.update(chunk))
      return hash.digest('hex') === manifest.sha256
    } catch {
      return false
    }
  }

  type TextOf = (part: Part) => Promise<PartText>
  const isSameText = async (part: Part, known: State, textOf: TextOf): Promise<boolean> =>
    (await textOf(part)).hash === known.places.get(part.key)?.stored[1]

  /** Loads what the process before left; the newest and the oldest part must be what they would be now. */
  const open = async (): Promise<State | undefined> => {
    const manifest = await readManifest(manifestPath)
    return manifest && (await isWhole(manifest, true)) ? stateOf(manifest) : undefined
  }
  let opening: Promise<State | undefined> | undefined
  const opened = async (): Promise<State | undefined> => {
    opening ??= open().then((found) => {
      state = found
      return found
    })
    await opening
    return state
  }

  const noteParts = (known: State, parts: readonly Part[]): void => {
    for (const { key, of } of parts) {
      const place = known.places.get(key)
      if (place && of) place.of = new WeakRef(of)
    }
  }

  /** Accepts a file of the process before whose version is that of the data. */
  const adopt = async (known: State, archive: Archive): Promise<boolean> => {
    if (known.dataset || known.manifest.version !== archive.dataVersion) return false
    const parts = table.parts(archive)
    if (parts.length !== known.places.size) return false
    const textOf = createTexts(table)
    for (const [at, part] of parts.entries()) {
      const isChecked = at === 0 || at === parts.length - 1
      if (isChecked && !(await isSameText(part, known, textOf))) return false
    }
    noteParts(known, parts)
    known.dataset = archive.dataset
    return true
  }

  const isMadeOf = ({ key, of }: Part, known: State): boolean =>
    of !== undefined && known.places.get(key)?.of?.deref() === of

  /** Whether all parts have the rows that the file has, in the same order. */
  const isEqual = async (
    known: State,
    parts: readonly Part[],
    textOf: TextOf,
  ): Promise<boolean> => {
    const keys = known.manifest.parts.map(([key]) => key)
    if (parts.length !== keys.length || parts.some(({ key }, at) => key !== keys[at])) return false
    for (const part of parts) {
      if (!isMadeOf(part, known) && !(await isSameText(part, known, textOf))) return false
    }
    return true
  }

  const write = async (
    known: State | undefined,
    parts: readonly Part[],
    { version, textOf }: { readonly version: string; readonly textOf: TextOf },
  ): Promise<State> => {
    await makeFolder(folder)
    const [base = '', ...endings] = name.split('.')
    const file = [base, Bun.randomUUIDv7(), ...endings].join('.')
    const path = join(folder, file)
    const hash = new Bun.CryptoHasher('sha256')
    const stored: StoredPart[] = []
    let openingBytes = 0
    await replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, async (target) => {
      let end = 0
      const append = async (bytes: Uint8Array): Promise<void> => {
        hash.update(bytes)
        await writeWhole(target, bytes, end)
        end += bytes.length
      }
      const appendText = async ({ bytes }: Pick<PartText, 'bytes'>): Promise<void> => {
        if (bytes.length > 0) await append(await compress(bytes))
      }
      await appendText({ bytes: Buffer.from(table.opening) })
      openingBytes = end
      for (const part of parts) {
        const place = known?.places.get(part.key)
        const copy = async (): Promise<void> => {
          if (!known || !place) return
          const from = place.start
          await eachChunk(pathOf(known.manifest), [from, from + place.stored[3]], append)
          stored.push(place.stored)
        }
        if (known && place && isMadeOf(part, known)) {
          await copy()
          continue
        }
        const text = await textOf(part)
        if (place?.stored[1] === text.hash) {
          await copy()
          continue
        }
        const start = end
        await appendText(text)
        stored.push([part.key, text.hash, text.rows, end - start])
      }
      if (end > 0) return
      // A gzip file has one member at least.
      await append(await compress(Buffer.alloc(0)))
      openingBytes = end
    })
    const sha256 = hash.digest('hex')
    const updated = nowUnix()
    return stateOf({ stamp, file, version, updated, sha256, openingBytes, parts: stored })
  }

  const removeLater = (manifest: Manifest): void => {
    const path = pathOf(manifest)
    const remove = (): void => {
      replaced.delete(path)
      void rm(path, { force: true }).catch(() => undefined)
    }
    replaced.set(path, setTimeout(remove, removeAfterMs).unref())
  }

  return {
    current: async (archive) => {
      const known = await opened()
      if (!known) return undefined
      const fits = known.dataset === archive.dataset || (await adopt(known, archive))
      return fits && (await isWhole(known.manifest, false)) ? madeFile(known) : undefined
    },
    update: async (archive) => {
      const found = await opened()
      const known = found && (await isWhole(found.manifest, false)) ? found : undefined
      const parts = table.parts(archive)
      const version = archive.dataVersion
      const textOf = createTexts(table)
      const isSame = known !== undefined && (await isEqual(known, parts, textOf))
      const next = isSame
        ? stateOf({ ...known.manifest, version })
        : await write(known, parts, { version, textOf })
      await writeManifest(manifestPath, next.manifest)
      noteParts(next, parts)
      next.dataset = archive.dataset
      state = next
      if (found && found.manifest.file !== next.manifest.file) removeLater(found.manifest)
      return madeFile(next)
    },
    isKept: async () => (await opened()) !== undefined,
    keys: async () => (await readManifest(manifestPath))?.parts.map(([key]) => key) ?? [],
    remove: async () => {
      const known = await opened()
      state = undefined
      if (known) await rm(pathOf(known.manifest), { force: true })
      await rm(manifestPath, { force: true })
    },
    close: async () => {
      for (const [path, timer] of replaced) {
        clearTimeout(timer)
        await rm(path, { force: true }).catch(() => undefined)
      }
    },
  }
}
