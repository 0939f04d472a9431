import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFolder, type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

const head = 'tournament,red,blue,winner,method,round\n'

/** Saves like some editors do: the file is emptied, and half of it is written first. */
const save = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text.slice(0, text.length / 2))
  await writeFile(path, text)
}

/** Results that a reader of the stream gets. */
const readResults = async ({ url }: Running, signal: AbortSignal) => {
  const seen: string[] = []
  const response = await fetch(`${url}/changes/stream?type=fight.ended`, { signal })
  const decoder = new TextDecoder()
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
      text = parts.pop() ?? ''
      for (const [, gameID] of parts.join('\n').matchAll(/"gameID":"([^"]+)"/g)) {
        if (gameID !== undefined && seen.at(-1) !== gameID) seen.push(gameID)
      }
    }
  }
  // The run ends with the signal.
  read().catch(() => undefined)
  return seen
}

interface Day {
  readonly folder: string
  /** Options for the target of the import. */
  readonly into: readonly string[]
  /** Settings of the service, which starts once the import has written. */
  readonly settings: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly isWritten: () => Promise<boolean>
  readonly results: number
}

const readerCount = 5

/**
 * A day as a person types it while the folder is watched: fights, each added and then decided.
 * Returns what each reader of the stream got.
 */
export const playDay = async (day: Day) => {
  const { folder, results } = day
  const path = join(folder, 'fights.csv')
  await writeFile(
    join(folder, 'tournaments.csv'),
    'tournament,weight,active,format\nday,3,yes,round_robin\n',
  )
  let fights = `${head}day,Anvil,Boulder,red,KO,Opening\n`
  await writeFile(path, fights)
  const { PATH = '', HOME = '' } = process.env
  const watch = Bun.spawn(
    [process.execPath, 'scripts/import.ts', 'csv', folder, '--watch', ...day.into],
    {
      cwd: projectFolder,
      env: { PATH, HOME, ...day.environment },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    },
  )
  const stopped = new AbortController()
  let service: Running | undefined
  try {
    await until(day.isWritten)
    const started = await startService(day.settings)
    service = started
    const seen = await Promise.all(
      Array.from({ length: readerCount }, () => readResults(started, stopped.signal)),
    )
    for (let fight = 1; fight <= results; fight += 1) {
      const waiting = `${fights}day,Red ${fight},Blue ${fight},,,Day\n`
      await save(path, waiting)
      fights = `${fights}day,Red ${fight},Blue ${fight},${fight % 2 ? 'red' : 'blue'},JD,Day\n`
      const isThere = async () =>
        (await fetch(`${started.url}/tournaments/day/fights/RR-${fight + 1}`)).ok
      await until(isThere)
      await save(path, fights)
      await until(() => seen.every((results) => results.length >= fight))
    }
    // No result comes twice.
    await save(path, fights.replaceAll('JD', 'KO'))
    await until(async () => {
      const recent = await (await fetch(`${started.url}/fights/recent?limit=100`)).text()
      return !recent.includes('"winAnnotation":"JD"')
    })
    return {
      expected: Array.from({ length: results }, (_, index) => `RR-${index + 2}`),
      seen,
    }
  } finally {
    stopped.abort()
    watch.kill('SIGTERM')
    await watch.exited
    if (service) await stopService(service)
  }
}
