import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { version } from '../../package.json' with { type: 'json' }
import { projectFolder } from '../process.ts'
import { type Site, sites } from './sites.ts'

const digestFile = join(projectFolder, 'test/snapshots/answers.txt')

/** Headers that follow from the body, the time or the connection. */
const passing: ReadonlySet<string> = new Set([
  ...['content-length', 'date', 'etag', 'vary', 'x-data-age', 'x-data-version', 'x-request-id'],
])

/**
 * A text without what changes although the answer does not: versions, what scripts and style sheets contain, sizes
 * of files, pseudonyms.
 */
const settled = (text: string): string =>
  text
    .replaceAll(version, 'VERSION')
    .replaceAll(/<(script|style)>[^<]*(?:<(?!\/\1)[^<]*)*<\/\1>/g, '<$1>')
    .replaceAll(/'sha256-[\w+/]+='/g, "'sha256-'")
    .replaceAll(/(\/assets\/\w+)\.[0-9a-f]{10}\./g, '$1.')
    .replaceAll(/"(bytes|sha256|updated|version|client)":("[\w-]+"|\d+)/g, '"$1":0')

/** Status, headers and body of one answer, as they are recorded. */
export const recordedAnswer = async (site: Site, address: string): Promise<string> => {
  const { app, headers } = site
  // The gate refuses what waits for two seconds, as a request does on a slow machine in the turn of another one.
  await setImmediate()
  const response = await app(new Request(`http://localhost${address}`, { headers }))
  // A file that is still being made is sent with other headers.
  if (address.startsWith('/bulk') && response.ok && !response.headers.has('etag')) {
    await response.arrayBuffer()
    return recordedAnswer(site, address)
  }
  const kept = [...response.headers].filter(([name]) => !passing.has(name))
  const lines = [response.status, ...kept.map((header) => header.join(': ')).sort()]
  const isGzip = response.headers.get('content-type')?.includes('gzip')
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = new TextDecoder().decode(isGzip ? Bun.gunzipSync(bytes) : bytes)
  return settled(`${lines.join('\n')}\n\n${body}\n`)
}

const digestLength = 4
const digestOf = (text: string): string =>
  createHash('sha1').update(text).digest('base64url').slice(0, digestLength)

/** Digests of the answers of each route of each site, one after the other, by `SITE ROUTE`. */
type Digests = ReadonlyMap<string, string>

const recordSite = async (site: Site): Promise<Digests> => {
  const digests = new Map<string, string>()
  for (const [route, addresses] of site.addresses) {
    let text = ''
    for (const address of addresses) text += digestOf(await recordedAnswer(site, address))
    if (text !== '') digests.set(`${site.name} ${route}`, text)
  }
  return digests
}

const readDigests = async (): Promise<Digests> => {
  const lines = (await Bun.file(digestFile).text()).trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
}

export const writeDigests = async (): Promise<void> => {
  const lines: string[] = []
  for await (const site of sites()) {
    for (const entry of await recordSite(site)) lines.push(entry.join(' '))
  }
  await Bun.write(digestFile, `${lines.sort().join('\n')}\n`)
}

/** `SITE ADDRESS` of each answer of a site that is not the recorded one; a route alone whose addresses are others. */
const differencesOf = ({ name, addresses }: Site, recorded: Digests, now: Digests): string[] =>
  [...addresses].flatMap(([route, all]) => {
    const key = `${name} ${route}`
    const [old = '', own = ''] = [recorded.get(key), now.get(key)]
    if (old.length !== own.length)
      return `${key}: ${own.length / digestLength} addresses, ${old.length / digestLength} recorded`
    return all.flatMap((address, index) => {
      const [from, to] = [index * digestLength, (index + 1) * digestLength]
      return old.slice(from, to) === own.slice(from, to) ? [] : `${name} ${address}`
    })
  })

/** Differences from the recorded answers by site, then the recorded routes that no longer exist. */
export async function* differences(): AsyncGenerator<readonly string[]> {
  const recorded = await readDigests()
  const gone = new Set(recorded.keys())
  for await (const site of sites()) {
    const now = await recordSite(site)
    for (const key of now.keys()) gone.delete(key)
    yield differencesOf(site, recorded, now)
  }
  yield [...gone].map((key) => `${key}: is no more`)
}
