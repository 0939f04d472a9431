import { randomBytes } from 'node:crypto'
import { readingFile, replaceDurably } from '../../data/journal/files.ts'
import { codeOf } from '../../runtime/files.ts'

/** Intervals at which the key of client pseudonyms is replaced. */
export const keyRotations = ['day', 'month', 'never'] as const
export type KeyRotation = (typeof keyRotations)[number]

/** Period of use of one key: `2026-03-14`, `2026-03` or `always`. */
export const periodOf = (timeMs: number, rotation: KeyRotation): string => {
  const date = new Date(timeMs).toISOString().slice(0, 10)
  return { day: date, month: date.slice(0, 7), never: 'always' }[rotation]
}

const keyBytes = 32

export interface ClientKey {
  readonly period: string
  readonly key: Buffer
}

export const newClientKey = (period: string): ClientKey => ({ period, key: randomBytes(keyBytes) })

/**
 * Reads the key of a period from a file; undefined if missing, invalid, of another period, or a
 * symbolic link. Throws if the disk does not answer.
 */
export const readClientKey = async (
  path: string,
  period: string,
): Promise<ClientKey | undefined> => {
  try {
    return await readingFile(path, async (file) => {
      const [writtenFor, hex = ''] = (await file.readText()).split('\n')
      if (writtenFor !== period || !/^[0-9a-f]{64}$/.test(hex)) return undefined
      if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600)
      return { period, key: Buffer.from(hex, 'hex') }
    })
  } catch (error) {
    if (codeOf(error) === 'ETIMEDOUT') throw error
    // Missing or unreadable: a new key is made.
    return undefined
  }
}

/** Replaces the key file. Throws I/O errors. */
export const writeClientKey = (path: string, { period, key }: ClientKey): Promise<void> =>
  replaceDurably(path, `${period}\n${key.toString('hex')}\n`)
