import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../../src/files.ts'
import { CommandError } from '../../command.ts'
import { files } from './columns.ts'
import type { Columns } from './table.ts'

const quoted = (cell: string): string =>
  /[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes files with the headings and, of those that are needed, one example line; present files stay. */
export const writeTemplates = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const [name, columns] of Object.entries<Columns>(files)) {
    const path = join(folder, name)
    const entries = Object.entries(columns)
    const hasExample = entries.some(([, { example }]) => example !== undefined)
    const lines = [
      entries.map(([heading]) => heading),
      ...(hasExample ? [entries.map(([, { example = '' }]) => quoted(example))] : []),
    ].map((cells) => cells.join(','))
    // Spreadsheets recognise UTF-8 by the byte order mark.
    const text = `\ufeff${lines.join('\r\n')}\r\n`
    try {
      await writeFile(path, text, { flag: 'wx' })
      console.log(`${path} is written: ${hasExample ? 'replace its example' : 'use it if needed'}`)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        throw new CommandError(`${path} cannot be written (${codeOf(error)})`)
      }
      console.log(`${path} exists and stays as it is`)
    }
  }
}
