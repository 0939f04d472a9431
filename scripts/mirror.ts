import { fetchSnapshot } from '../src/data/mirror/fetchSnapshot.ts'
import { encodeFrame } from '../src/data/source/snapshot.ts'
import { codeOf, replaceFile } from '../src/runtime/files.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { text } from './option.ts'

const help = `Usage: ${program} mirror URL --out PATH

Writes the league of a running service to a snapshot file, once. To follow a service instead, start one
with SNAPSHOT=URL/snapshot.

  URL          the service, such as https://host or https://host/api, or a snapshot file on the web
  --out PATH   file to write; an existing one is replaced once the new one is complete
  --help       this text`

const maxBytes = 2 ** 32
const timeoutMs = 600_000

/** URL of the snapshot of a service; a URL of a file or a snapshot stays. */
export const snapshotAddress = (text: string): URL => {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandError('an address such as https://host is expected (see --help)')
  }
  if (!/\/snapshot\/?$|\.cageside$/.test(url.pathname)) {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/snapshot`
  }
  return url
}

/** Fetches a snapshot and writes it, byte for byte. */
export const mirror = async (
  address: URL,
  path: string,
): Promise<{ tournaments: number; sizeBytes: number }> => {
  const { file } = await fetchSnapshot(address, {
    kept: new Map(),
    signal: AbortSignal.timeout(timeoutMs),
    maxBytes,
  })
  if (!file) throw new CommandError('the service sent nothing')
  const { headBytes, frames, head } = file
  const temporary = `${path}.${process.pid}.tmp`
  await replaceFile(path, { temporary, mode: 0o666 }, async (target) => {
    let end = 0
    for (const part of [headBytes, ...frames.flatMap(({ frame }) => encodeFrame(frame))]) {
      await target.write(part, end)
      end += part.length
    }
  }).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be written (${codeOf(error)})`)
  })
  return { tournaments: frames.length, sizeBytes: head.sizeBytes }
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, { out: text })
  const [url, ...more] = positionals
  const { out } = values
  if (url === undefined || out === undefined || more.length > 0) {
    throw new CommandError('URL --out PATH is expected, and nothing else (see --help)')
  }
  const { tournaments, sizeBytes } = await mirror(snapshotAddress(url), out)
  console.log(`${tournaments} tournaments are in ${out} (${sizeBytes} bytes)`)
}

if (import.meta.main) await runCommand(main)
