import { existsSync } from 'node:fs'
import { readSecret, SecretError } from './secret.ts'
import { isTimeZone } from './timeZone.ts'

/** Thrown by the reader of a value; completes the sentence `NAME must be …`. */
export class Expected extends Error {}

/** A row of the table of settings. */
export interface SettingRow {
  readonly name: string
  /** Default as written in the environment; a sentence if it cannot be written there. */
  readonly fallback: string
  /** Markdown text. */
  readonly meaning: string
}

/**
 * Reads settings from the environment; an empty value counts as unset. Collects problems, one line without secrets
 * each.
 */
export const createReader = (environment: Readonly<Record<string, string | undefined>>) => {
  const rows: SettingRow[] = []
  const problems: string[] = []
  const readValue = <Value>(
    name: string,
    given: string | undefined,
    read: (given: string) => Value,
  ): Value | undefined => {
    try {
      return given === undefined ? undefined : read(given)
    } catch (error) {
      if (!(error instanceof Expected)) throw error
      problems.push(`${name} must be ${error.message}`)
      return undefined
    }
  }
  return {
    rows,
    problems,
    /** A setting with a default. */
    setting: <Value>(
      name: string,
      fallback: string,
      read: (given: string) => Value,
      meaning: string,
    ): Value => {
      rows.push({ name, fallback: fallback === '' ? 'empty' : `\`${fallback}\``, meaning })
      return readValue(name, environment[name] || undefined, read) ?? read(fallback)
    },
    /** A setting that is undefined if it is unset. */
    optional: <Value>(
      name: string,
      read: (given: string) => Value,
      meaning: string,
      fallback = 'unset',
    ): Value | undefined => {
      rows.push({ name, fallback, meaning })
      return readValue(name, environment[name] || undefined, read)
    },
    /** A setting that can hold a password: `NAME_FILE` may name a file with it. */
    secret: <Value>(
      name: string,
      read: (given: string) => Value,
      meaning: string,
    ): Value | undefined => {
      rows.push({ name, fallback: 'unset', meaning })
      rows.push({
        name: `${name}_FILE`,
        fallback: 'unset',
        meaning: `file that holds \`${name}\`, to keep a password out of the environment`,
      })
      try {
        return readValue(name, readSecret(environment, name), read)
      } catch (error) {
        if (!(error instanceof SecretError)) throw error
        problems.push(error.message)
        return undefined
      }
    },
  }
}

export const integer =
  (minimum: number, maximum: number) =>
  (given: string): number => {
    const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new Expected(`a whole number from ${minimum} to ${maximum}`)
  }

export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (given: string): Value => {
    const value = values.find((each) => each === given)
    if (value !== undefined) return value
    throw new Expected(`one of ${values.join(', ')}`)
  }

/** True for `1`, false for `0`. */
export const flag = (given: string): boolean => oneOf(['0', '1'])(given) === '1'

/** A path without a slash at its end; `/` is the empty path. */
export const urlPath = (given: string): string => {
  const value = given.replace(/\/$/, '')
  if (/^(\/(?!\.+(\/|$))[A-Za-z0-9._~-]+)*$/.test(value)) return value
  throw new Expected('a path such as /api')
}

export const httpUrl = (given: string): string => {
  if (URL.canParse(given) && /^https?:\/\//.test(given)) return given
  throw new Expected('an address beginning with http:// or https://')
}

/** A public URL to which paths are appended. */
export const publicBase = (given: string): string => {
  const { username, password } = new URL(httpUrl(given))
  if (username === '' && password === '' && !/[?#]/.test(given)) return given
  throw new Expected('an address without a password, a query and a fragment')
}

export const existingFolder = (given: string): string => {
  // A file has no entry `.`.
  if (existsSync(`${given}/.`)) return given
  throw new Expected('a folder that is there')
}

export const timeZone = (given: string): string => {
  if (isTimeZone(given)) return given
  throw new Expected('a time zone such as Europe/Berlin')
}
