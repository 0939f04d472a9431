import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAtExit } from './reaper.ts'

export const projectFolder = join(import.meta.dirname, '..')

let root: string | undefined
/** Holds the temporary folders of this process, and is deleted with it. */
const temporaryRoot = (): string => {
  if (root) return root
  root = mkdtempSync(join(tmpdir(), 'cageside-'))
  // Servers in the folder may run as another user.
  chmodSync(root, 0o711)
  runAtExit('rm -rf "$1"', root)
  return root
}

/** A new empty folder. */
export const temporaryFolder = (): Promise<string> => mkdtemp(join(temporaryRoot(), 'test-'))

/**
 * The directory for many files: in memory if root has room there, because creating 1,000 files on a disk takes up to
 * 0.7 s more CPU time. systemd deletes files of other users there with their last session.
 */
export const memoryDirectory = (): string => {
  if (process.env.TMPDIR || process.getuid?.() !== 0) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 32 ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

export interface Running {
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  /** `http://127.0.0.1:PORT` and the base path. */
  readonly url: string
  readonly stderr: () => Promise<string>
}

/** Command of `bun start` in a checkout; `bunOptions` are for Bun. */
export const startCommand = async (
  folder = projectFolder,
  bunOptions: readonly string[] = [],
): Promise<readonly string[]> => {
  const { scripts } = await Bun.file(join(folder, 'package.json')).json()
  const words = String(scripts.start).split(' ')
  return [
    'env',
    ...words.flatMap((word) => (word === 'bun' ? [process.execPath, ...bunOptions] : word)),
  ]
}

/** Starts the service as a process with only these settings and its own data folder. */
export const spawnService = async (
  settings: Readonly<Record<string, string>> = {},
  command?: readonly string[],
  cwd = projectFolder,
): Promise<Running['process']> => {
  const { PATH = '', HOME = '' } = process.env
  const dataDir = await temporaryFolder()
  return Bun.spawn([...(command ?? (await startCommand(cwd)))], {
    cwd,
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** Runs a program to its end. */
export const runToEnd = async (
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ code: number; output: string; errors: string }> => {
  const child = Bun.spawn([...command], {
    ...options,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, output, errors }
}

/** Runs the import command with only these settings. */
export const runImport = async (
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ status: number; out: string; err: string }> => {
  const { PATH = '', HOME = '' } = process.env
  const { code, output, errors } = await runToEnd(
    [process.execPath, 'scripts/import.ts', ...args],
    { cwd: projectFolder, env: { PATH, HOME, ...settings } },
  )
  return { status: code, out: output, err: errors }
}

/** Starts the service and waits for the line with its URL. */
export const startService = async (
  settings: Readonly<Record<string, string>> = {},
  command?: readonly string[],
  cwd?: string,
): Promise<Running> => {
  const process = await spawnService(settings, command, cwd)
  const reader = process.stdout.getReader()
  const decoder = new TextDecoder()
  let printed = ''
  while (!/listening on .*\n/.test(printed)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it ended: ${await new Response(process.stderr).text()}`)
    printed += decoder.decode(value, { stream: true })
  }
  const url = printed.match(/listening on (http:\S+)/)?.[1]
  if (!url) throw new Error(`it printed ${printed}`)
  return { process, url, stderr: () => new Response(process.stderr).text() }
}

/** Ends the process like a supervisor does, and returns its exit code. */
export const stopService = async ({ process }: Running): Promise<number> => {
  process.kill('SIGTERM')
  return process.exited
}
