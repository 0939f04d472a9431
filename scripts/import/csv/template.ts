import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../../src/runtime/files.ts'
import { CommandError } from '../../command.ts'
import { files } from './columns.ts'
import type { Columns } from './table.ts'

const quoted = (cell: string): string =>
  /[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** A small event under way by file, with a line of each kind. */
const example: Readonly<Record<string, string>> = {
  'tournaments.csv': `tournament,name,weight,start,active,format
autumn-2026-3lb,"Autumn Bash 2026, 3 lb",3,2026-10-17 10:00,yes,double_elimination
`,
  'players.csv': `tournament,name,seed,disqualified
autumn-2026-3lb,"Sir Spins-a-Lot, the 3rd",1,
autumn-2026-3lb,Wedge Wood,2,
autumn-2026-3lb,Blitz 2,3,
autumn-2026-3lb,Żółw,4,
`,
  'fights.csv': `tournament,red,blue,winner,method,score,round,bracket,fight,cage,start,length,scheduled,judges
autumn-2026-3lb,"Sir Spins-a-Lot, the 3rd",Żółw,red,KO,,1,Winners,first,1,10:05,1:35,,
autumn-2026-3lb,Wedge Wood,Blitz 2,Blitz 2,JD,,1,Winners,second,2,10:07,3:00,,Ann: Damage 2-5 | Ben: Damage 3-4
autumn-2026-3lb,"Sir Spins-a-Lot, the 3rd",Blitz 2,,,,2,Winners,winners-final,1,10:40,,,
autumn-2026-3lb,Żółw,Wedge Wood,,,,1,Losers,losers-1,2,,,10:50,
`,
  'cages.csv': `cage,status,fight,next
1,active,winners-final,
2,,,Żółw v Wedge Wood
`,
  'recordings.csv': `tournament,fight,camera,address
autumn-2026-3lb,first,Overhead,https://media.example/first-overhead.mp4
`,
}

/** Writes a file with the byte order mark by which spreadsheets recognise UTF-8; an existing file stays. */
const writeFileOnce = async (path: string, text: string, hint: string): Promise<void> => {
  try {
    await writeFile(path, `\ufeff${text.replaceAll('\n', '\r\n')}`, { flag: 'wx' })
    console.log(`${path} is written: ${hint}`)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      // A partly written file would stay at the next try.
      await rm(path, { force: true })
      throw new CommandError(`${path} cannot be written (${codeOf(error)})`)
    }
    console.log(`${path} exists and stays as it is`)
  }
}

/**
 * Writes files with the headings and, for required ones, one example line, and a folder with a whole example; existing
 * files stay.
 */
export const writeTemplates = async (folder: string): Promise<void> => {
  const exampleFolder = join(folder, 'example')
  await mkdir(exampleFolder, { recursive: true })
  for (const [name, columns] of Object.entries<Columns>(files)) {
    const path = join(folder, name)
    const entries = Object.entries(columns).filter(([, { isExport }]) => !isExport)
    const hasExample = entries.some(([, { example }]) => example !== undefined)
    const lines = [
      entries.map(([heading]) => heading),
      ...(hasExample ? [entries.map(([, { example = '' }]) => quoted(example))] : []),
    ].map((cells) => cells.join(','))
    const hint = hasExample ? 'replace its example' : 'use it if needed'
    await writeFileOnce(path, `${lines.join('\n')}\n`, hint)
  }
  for (const [name, text] of Object.entries(example)) {
    await writeFileOnce(join(exampleFolder, name), text, 'a whole example, to look at')
  }
}
