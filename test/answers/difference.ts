import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { text } from '../../scripts/option.ts'
import { bulkNames } from '../../src/companions/bulk/tables.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { addressesByRoute, drawnAddressesOf, pagesByRoute, spread } from '../everyAddress.ts'
import { archiveWithCages } from '../fixtures.ts'
import { leagueArchive, leagueSnapshot } from '../league.ts'
import { projectFolder, runToEnd, startService, stopService, temporaryFolder } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'
import { readable } from './readable.ts'

const help = `Usage: bun test/answers/difference.ts [--base COMMIT]

Prints how the answers over the small league and the sample differ from those of a commit: both trees are started with
the same snapshots and asked the same addresses. Never fails because of a difference.

  --base COMMIT    defaults to where the branch began, or to the commit before on the main branch
  --seconds COUNT  time for asking, default 60
  --help           this text`

/** Number of differences shown for each route. */
const maxLines = 20
const maxLineLength = 160
/** Number of URLs requested of each route of the sample. */
const mostOfRoute = 50

const git = (...args: string[]) => runToEnd(['git', ...args], { cwd: projectFolder })

/** Hash of the commit to compare with; undefined if the history does not reach it. */
const findBase = async (given: string | undefined): Promise<string | undefined> => {
  const hashOf = async (...args: string[]) => {
    const { code, output } = await git(...args)
    return code === 0 ? output.trim() : undefined
  }
  if (given !== undefined) return hashOf('rev-parse', '--verify', '--quiet', `${given}^{commit}`)
  const head = await hashOf('rev-parse', 'HEAD')
  for (const branch of ['origin/HEAD', 'origin/main', 'main']) {
    const forked = await hashOf('merge-base', 'HEAD', branch)
    if (forked !== undefined && forked !== head) return forked
  }
  return hashOf('rev-parse', '--verify', '--quiet', 'HEAD~1')
}

/** URLs of an archive by route: `most` of each and as many drawn ones. */
const addressesOf = (archive: Archive, most: number): ReadonlyMap<string, readonly string[]> => {
  const all = new Map<string, readonly string[]>([
    ['/bulk', bulkNames.map((name) => `/bulk/${name}`)],
  ])
  const routes = [...addressesByRoute(archive), ...pagesByRoute(archive)]
  for (const { template, addresses } of routes)
    if (!template.startsWith('/legacy/randomClips')) all.set(template, spread(addresses, most))
  for (const [template, drawn] of drawnAddressesOf(archive, Math.min(most, 10)))
    if (all.has(template)) all.set(template, [...(all.get(template) ?? []), ...drawn])
  return all
}

/** Both services have the same host, because links contain it. */
const sent = { accept: 'text/html,*/*;q=0.8', host: 'cageside.example' }

const answerOf = async (url: string, address: string): Promise<string> => {
  const response = await fetch(url + address, {
    headers: sent,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  const { status, headers } = response
  // Films of the sample have the URL of the service.
  return readable({ status, headers, bytes: await response.bytes() }).replaceAll(url, 'SERVICE')
}

/** Differences between the answers of both services at these URLs. */
const differencesAt = async (
  urls: readonly string[],
  addresses: readonly string[],
  deadline: number,
) => {
  const found = new Map<string, { readonly before: string; readonly now: string }>()
  let asked = 0
  for (const address of addresses) {
    if (performance.now() > deadline) break
    const [before = '', now = ''] = await Promise.all(urls.map((url) => answerOf(url, address)))
    if (before !== now) found.set(address, { before, now })
    asked += 1
  }
  return { found, asked }
}

const show = async ({ before, now }: { before: string; now: string }): Promise<string> => {
  const folder = await temporaryFolder()
  await Bun.write(join(folder, 'before'), before)
  await Bun.write(join(folder, 'now'), now)
  const diff = ['git', 'diff', '--no-index', '-U1', 'before', 'now']
  const { output } = await runToEnd(diff, { cwd: folder })
  const lines = output.trimEnd().split('\n').slice(4)
  const rest = lines.length - maxLines
  const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength))
  return [...shown, ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n')
}

interface Site {
  readonly name: string
  readonly snapshot: string
  readonly addresses: ReadonlyMap<string, readonly string[]>
}

/** Prints how the answers of two trees differ over a snapshot, one for each route. */
const compareOver = async (
  { name, snapshot, addresses }: Site,
  trees: readonly string[],
  deadline: number,
): Promise<string> => {
  const command = [process.execPath, 'src/main.ts']
  const services = await Promise.all(
    trees.map((tree) => startService({ SNAPSHOT: snapshot }, command, tree)),
  )
  try {
    const urls = services.map(({ url }) => url)
    for (const url of urls) while ((await fetch(`${url}/ready`)).status !== 200) await wait(50)
    let { found, asked } = await differencesAt(urls, [...addresses.values()].flat(), deadline)
    const cut = performance.now() > deadline ? ', then the time was over' : ''
    // The clocks pass each second at slightly different times, and files of /bulk are made at the first request.
    for (const pause of [0, 300, 600]) {
      await wait(pause)
      ;({ found } = await differencesAt(urls, [...found.keys()], deadline + 10_000))
    }
    for (const [template, own] of addresses) {
      const [first, ...others] = own.flatMap((each) => found.get(each) ?? [])
      if (!first) continue
      const address = own.find((each) => found.has(each))
      console.log(
        `== ${name} ${address}, and ${others.length} more of ${template}\n${await show(first)}`,
      )
    }
    return `${asked} over the ${name}, ${found.size} differ${cut}`
  } finally {
    await Promise.all(services.map(stopService))
  }
}

await runCommand(async (args) => {
  const { values } = readArguments(help, args, { base: text, seconds: text })
  const base = await findBase(values.base)
  if (base === undefined) {
    if (values.base !== undefined) throw new CommandError(`there is no commit ${values.base}`)
    return console.log('answers: nothing was compared, the commit before is not in this clone')
  }
  const folder = join(await temporaryFolder(), 'base')
  const added = await git('worktree', 'add', '--detach', folder, base)
  if (added.code !== 0) throw new CommandError(added.errors.trim())
  try {
    const install = [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts']
    const installed = await runToEnd(install, { cwd: folder })
    if (installed.code !== 0)
      return console.log(`answers: nothing was compared, bun install failed in ${base}`)
    const { tournaments, ...cages } = sampleLeague
    const sites: Site[] = [
      {
        name: 'league',
        snapshot: await leagueSnapshot(),
        addresses: addressesOf(leagueArchive(), 999),
      },
      {
        name: 'sample',
        snapshot: join(projectFolder, 'snapshot/sample.cageside'),
        addresses: addressesOf(archiveWithCages(cages, ...tournaments), mostOfRoute),
      },
    ]
    const deadline = performance.now() + Number(values.seconds ?? 60) * 1000
    for (const site of sites)
      console.log(
        `answers: ${await compareOver(site, [folder, projectFolder], deadline)} from ${base.slice(0, 8)}`,
      )
  } finally {
    await git('worktree', 'remove', '--force', folder)
  }
})
