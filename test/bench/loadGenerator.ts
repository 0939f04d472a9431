import { projectFolder } from '../process.ts'
import type { LoadReply, LoadResult, LoadTask } from './loadWorker.ts'
import { cores, pinned } from './machine.ts'

export const connections = 32

/** Connections of a load with a rate: enough for late responses not to delay requests. */
export const maxConnections = 128

/** Throws when a response was missing or had another status than the expected one. */
export const requireNoFailures = (result: LoadResult): LoadResult => {
  const { failures, responses, examples } = result
  if (failures === 0) return result
  throw new Error(`${failures} of ${responses} failed: ${examples.join(', ')}`)
}

/** A process on the core of the load that runs one task at a time. */
export interface LoadWorker extends AsyncDisposable {
  readonly run: (task: LoadTask) => Promise<LoadResult>
}

export const startLoadWorker = (): LoadWorker => {
  let reply: PromiseWithResolvers<LoadResult> | undefined
  const child = Bun.spawn(pinned(cores.load, [process.execPath, 'test/bench/loadWorker.ts']), {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    ipc: (message: LoadReply) => {
      if ('result' in message) reply?.resolve(message.result)
      else reply?.reject(new Error(message.error))
    },
    onExit: () => reply?.reject(new Error('the load worker ended')),
  })
  return {
    run: (task) => {
      reply = Promise.withResolvers()
      child.send(task)
      return reply.promise
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** Load generator of throughput: wrk costs the least per request, so that the server is the bottleneck. */
export const generator = Bun.which('wrk') ? 'wrk' : 'loadWorker'

export const generatorNote =
  generator === 'wrk'
    ? 'Throughput of one address is measured by wrk, all else by test/bench/loadWorker.ts.'
    : 'Load by test/bench/loadWorker.ts; wrk, if installed, costs less per request of one address.'

type Headers = Readonly<Record<string, string>>

const runWrk = async (url: string, seconds: number, headers: Headers): Promise<number> => {
  const added = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const options = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, ...added]
  const child = Bun.spawn(pinned(cores.load, ['wrk', ...options, url]), { stdin: 'ignore' })
  const printed = await child.stdout.text()
  const perSecond = Number(printed.match(/Requests\/sec:\s+([\d.]+)/)?.[1])
  if (!(perSecond > 0) || /Non-2xx|Socket errors/.test(printed))
    throw new Error(`${url}: ${printed}`)
  return perSecond
}

/** Responses per second of one address. Throws if any is an error. */
export const requestsPerSecond = async (
  url: string,
  seconds: number,
  headers: Headers = {},
): Promise<number> => {
  if (generator === 'wrk') return runWrk(url, seconds, headers)
  await using worker = startLoadWorker()
  const task = {
    url,
    traffic: 'single',
    seed: 0,
    connections,
    headers,
    ms: seconds * 1000,
  } as const
  return requireNoFailures(await worker.run(task)).perSecond
}
