import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../../src/config.ts'
import { readSecret } from '../../src/runtime/secret.ts'
import { temporaryFolder } from '../process.ts'

describe('a secret in a file', async () => {
  const folder = await temporaryFolder()
  const file = async (text: string): Promise<string> => {
    const path = join(folder, Bun.randomUUIDv7())
    await writeFile(path, text)
    return path
  }
  const url = 'postgres://reader:secret@localhost/league'

  test('a secret in a file is read without its final line feed', async () => {
    for (const text of [url, `${url}\n`, `${url}\r\n`]) {
      expect(readConfig({ DATABASE_URL_FILE: await file(text) }).databaseUrl).toBe(url)
    }
    expect(readSecret({ A_FILE: await file(' a b \n\n') }, 'A')).toBe(' a b \n')
  })

  test('a secret is unset if its file is empty', async () => {
    expect(readConfig({ DATABASE_URL_FILE: await file('') }).databaseUrl).toBeUndefined()
    expect(readConfig({ DATABASE_URL_FILE: '' }).databaseUrl).toBeUndefined()
  })

  test('a bad secret file ends the start with one line that does not show the secret', async () => {
    const problemsOf = (environment: Record<string, string>): readonly string[] => {
      try {
        readConfig(environment)
        return []
      } catch (error) {
        return error instanceof ConfigError ? error.problems : [String(error)]
      }
    }
    const missing = join(folder, 'none')
    expect(problemsOf({ DATABASE_URL_FILE: missing })).toEqual([
      `DATABASE_URL_FILE: ${missing} cannot be read: there is no such file or folder (ENOENT)`,
    ])
    expect(problemsOf({ DATABASE_URL_FILE: folder })).toEqual([
      `DATABASE_URL_FILE: ${folder} cannot be read: it is a folder (EISDIR)`,
    ])
    expect(problemsOf({ DATABASE_URL: url, DATABASE_URL_FILE: missing })).toEqual([
      'DATABASE_URL must not be given with DATABASE_URL_FILE',
    ])
    const problems = problemsOf({ STREAM_API_URL_FILE: await file('secret') }).join()
    expect(problems).toContain('STREAM_API_URL must be')
    expect(problems).not.toContain('secret')
  })
})
