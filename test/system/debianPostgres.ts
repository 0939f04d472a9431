import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../freePort.ts'
import { runToEnd } from '../process.ts'
import { runAtExit } from '../reaper.ts'

const binaries = '/usr/lib/postgresql/15/bin'
const isRoot = process.getuid?.() === 0

/** Runs a program of Debian's PostgreSQL 15, as a user that it accepts. */
export const runPostgres = async (
  program: string,
  ...options: readonly string[]
): Promise<string> => {
  const user = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  const command = [...user, join(binaries, program), ...options]
  const { code, output, errors } = await runToEnd(command, { cwd: tmpdir() })
  if (code !== 0) throw new Error(`${program}: ${errors}`)
  return output
}

/** A server with its own files, which end with this process at the latest. */
export interface Cluster {
  readonly port: number
  /** Folder of its Unix socket, and of its files in `data`. */
  readonly folder: string
  /** URL of the administrator in the database `postgres`. */
  readonly url: string
  readonly start: () => Promise<unknown>
  /** Kills all its processes, as a crash does. */
  readonly crash: () => Promise<unknown>
  /** A hot standby that follows this server, created like an operator does. */
  readonly standby: () => Promise<Cluster>
  /** Makes a standby a primary. */
  readonly promote: () => Promise<unknown>
}

const endCluster = `
  pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null
  tries=0
  while [ -f "$1/data/postmaster.pid" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf "$1"`

/** Starts a new cluster: its first transaction numbers are low. */
export const startCluster = (): Promise<Cluster> =>
  openCluster((data) =>
    runPostgres('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'),
  )

const openCluster = async (make: (data: string) => Promise<unknown>): Promise<Cluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'cageside-cluster-'))
  if (isRoot) Bun.spawnSync(['chown', 'postgres', folder])
  runAtExit(endCluster, folder)
  const data = join(folder, 'data')
  await make(data)
  const port = freePort()
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`
  const control = (...command: string[]) => runPostgres('pg_ctl', '-D', data, '-w', ...command)
  const start = () => control('-l', join(folder, 'log'), '-o', options, 'start')
  await start()
  return {
    port,
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    crash: () => control('-m', 'immediate', 'stop'),
    standby: () =>
      openCluster((copy) => {
        const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']
        return runPostgres('pg_basebackup', ...from, '-D', copy, '-R', '-c', 'fast', '--no-sync')
      }),
    promote: () => control('promote'),
  }
}
