import { projectFolder } from '../process.ts'
import type { LoadReply, LoadResult, LoadTask } from './loadWorker.ts'
import { cores, pinned } from './machine.ts'

const connections = 32

/** Where one address is asked over and over: wrk costs the least a request, so that it is the server that is slow. */
export const generator: 'wrk' | 'autocannon' = Bun.which('wrk') ? 'wrk' : 'autocannon'

/** Said above every table. */
export const generatorNote =
  generator === 'wrk'
    ? 'One address is asked by wrk: it takes the least of its core for a request.'
    : 'One address is asked by autocannon, as there is no wrk here: it may be slower than the server.'

const run = async (command: readonly string[]): Promise<string> => {
  const child = Bun.spawn(pinned(cores.load, command), {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const printed = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`)
  return printed
}

const withWrk = async (url: string, seconds: number): Promise<number> => {
  const told = await run(['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, url])
  const perSecond = Number(told.match(/Requests\/sec:\s+([\d.]+)/)?.[1])
  if (!(perSecond > 0) || /Non-2xx|Socket errors/.test(told)) throw new Error(`${url}: ${told}`)
  return perSecond
}

const withAutocannon = async (url: string, seconds: number): Promise<number> => {
  const script = 'node_modules/autocannon/autocannon.js'
  const options = ['-c', String(connections), '-d', String(seconds), '-j', '-n']
  const told = JSON.parse(await run([process.execPath, script, ...options, url]))
  if (!(told.requests.average > 0) || told.non2xx + told.errors > 0)
    throw new Error(`${url}: ${told.non2xx} wrong answers, ${told.errors} errors`)
  return told.requests.average
}

/** Answers a second to one address, asked again and again for whole seconds. Throws if any is wrong. */
export const requestsPerSecond = (url: string, seconds: number): Promise<number> =>
  generator === 'wrk' ? withWrk(url, seconds) : withAutocannon(url, seconds)

/** A process that asks as told, on the core of the load. */
export interface LoadWorker {
  readonly run: (order: LoadTask) => Promise<LoadResult>
  readonly end: () => Promise<void>
}

export const startLoadWorker = (): LoadWorker => {
  let settle: PromiseWithResolvers<LoadResult> | undefined
  const child = Bun.spawn(pinned(cores.load, [process.execPath, 'test/bench/loadWorker.ts']), {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    ipc: (reply: LoadReply) => {
      if ('tale' in reply) settle?.resolve(reply.tale)
      else settle?.reject(new Error(reply.error))
    },
    onExit: () => settle?.reject(new Error('the load ended')),
  })
  return {
    run: (order) => {
      settle = Promise.withResolvers()
      child.send(order)
      return settle.promise
    },
    end: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
