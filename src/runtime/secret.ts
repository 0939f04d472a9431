import { readFileSync } from 'node:fs'
import { whyOf } from './files.ts'

/** A setting that cannot be read from its file; one line without the value. */
export class SecretError extends Error {}

/**
 * The value of NAME, or the content of the file that NAME_FILE names, without a line feed at its end. An empty value or
 * file counts as unset. Throws a {@link SecretError}.
 */
export const readSecret = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined => {
  const value = environment[name] || undefined
  const path = environment[`${name}_FILE`] || undefined
  if (path === undefined) return value
  if (value !== undefined) throw new SecretError(`${name} must not be given with ${name}_FILE`)
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined
  } catch (error) {
    throw new SecretError(`${name}_FILE: ${path} cannot be read: ${whyOf(error)}`)
  }
}
