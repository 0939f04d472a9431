import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, replaceFile } from '../../../src/files.ts'
import { CommandError } from '../../command.ts'

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((id) => typeof id === 'string')

/** Ids of the tournaments that a source had in some run; none without the file. */
export const readKnown = async (path: string): Promise<Set<string>> => {
  try {
    const ids: unknown = JSON.parse(await Bun.file(path).text())
    if (isIds(ids)) return new Set(ids)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Set()
    if (!(error instanceof SyntaxError)) {
      throw new CommandError(`the state file ${path} cannot be read (${codeOf(error)})`)
    }
  }
  throw new CommandError(`the state file ${path} holds no list of ids; delete it to begin anew`)
}

export const saveKnown = async (path: string, known: ReadonlySet<string>): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true })
    const options = { temporary: `${path}.${process.pid}.tmp`, mode: 0o666 }
    await replaceFile(path, options, (file) => file.writeFile(JSON.stringify([...known])))
  } catch (error) {
    throw new CommandError(`the state file ${path} cannot be written (${codeOf(error)})`)
  }
}
