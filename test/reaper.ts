import { type ChildProcess, spawn } from 'node:child_process'

/** Referenced as long as this process lives: a collected child has its standard input closed. */
const reapers: ChildProcess[] = []

/**
 * Runs a shell script as soon as this process ends, even by SIGKILL: the script's standard input is a pipe that the
 * kernel closes then. It runs in its own session, out of reach of Ctrl-C.
 */
export const runAtExit = (script: string, ...parameters: readonly string[]): void => {
  const reaper = spawn('/bin/sh', ['-c', `read -r line\n${script}`, 'reaper', ...parameters], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  reaper.unref()
  reapers.push(reaper)
}
