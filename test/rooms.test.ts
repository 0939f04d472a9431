import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { projectFolder } from './process.ts'

/** Rooms that each room may import, besides itself and `runtime`. */
const below: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  data: [],
  derived: ['data'],
  http: ['data', 'derived'],
  api: ['data', 'derived', 'http'],
  companions: ['data', 'derived', 'http', 'api'],
}

/**
 * An archive has all derived values, so its type and the function that makes them are named where versions are made.
 */
const exceptions: ReadonlySet<string> = new Set([
  'src/data/archive/archive.ts → src/derived/archive.ts',
])

const files = [...new Bun.Glob('src/*/**/*.ts').scanSync(projectFolder)]

/** `FILE → IMPORTED` for each import within src. */
const imports = async (): Promise<readonly string[]> => {
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await Bun.file(join(projectFolder, file)).text()
      return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
        ([, path = '']) => `${file} → ${relative('.', join(file, '..', path))}`,
      )
    }),
  )
  return found.flat()
}

/** True if an import stays in its room or leads to one below it; companions do not import each other. */
const isAllowed = (line: string): boolean => {
  const [file = '', imported = ''] = line.split(' → ')
  const [, room = '', folder] = file.split('/')
  const [, target = '', targetFolder] = imported.split('/')
  if (target === 'runtime' || imported === 'package.json') return true
  if (room === target) return room !== 'companions' || folder === targetFolder
  return below[room]?.includes(target) === true
}

test('imports lead from each room to the rooms below it and never back', async () => {
  const wrong = (await imports()).filter((line) => !isAllowed(line))
  expect(wrong.filter((line) => !exceptions.has(line))).toEqual([])
  expect(wrong).toHaveLength(exceptions.size)
})

test('runtime has at most ten files', () => {
  const { length } = files.filter(
    (file) => file.startsWith('src/runtime/') && !file.endsWith('.d.ts'),
  )
  expect(length).toBeLessThanOrEqual(10)
})
