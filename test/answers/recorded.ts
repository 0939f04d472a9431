import { join } from 'node:path'
import { bulkNames } from '../../src/companions/bulk/tables.ts'
import { createChanges } from '../../src/companions/changes/changes.ts'
import { cursorOf } from '../../src/companions/changes/entry.ts'
import { createUsage } from '../../src/http/usage/usage.ts'
import { templates } from '../everyAddress.ts'
import { appOf, serviceOf } from '../fixtures.ts'
import { archiveAfterSemifinal, leagueArchive, leagueNow } from '../league.ts'
import { projectFolder } from '../process.ts'
import { answered } from '../usage.ts'
import { recordedAddresses } from './addresses.ts'
import { type Received, readable } from './readable.ts'

export const answersFolder = join(projectFolder, 'test/answers')

/** Routes without a file: their answers are drawn, change with each release, are streams, or depend on the process. */
const unrecorded =
  /^\/(openapi|docs|changes\/stream|snapshot|health|bulk|legacy\/randomClips|favicon.ico|getBotPic)$|^\/(assets|docs|robots-thumb)\/|\.php$/

/** The route that serves an address: one without parameters before others. */
const templateOf = (address: string): string => {
  const path = address.replace(/\?.*/, '')
  const found = templates
    .toSorted((a, b) => a.split('{').length - b.split('{').length)
    .find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
  if (found === undefined) throw new Error(`no route serves ${address}`)
  return found
}

/** `/bots/{bot}/fights` is recorded in `bots.BOT.fights.txt`. */
const fileOf = (template: string): string =>
  `${
    template
      .slice(1)
      .replaceAll(/\{(\w+)\}/g, (_, name) => name.toUpperCase())
      .replaceAll('/', '.') || 'home'
  }.txt`

const browser = { accept: 'text/html,*/*;q=0.8' }

/** Text of each file by its name: the answers over `test/league.ts`. */
export const recordAnswers = async (): Promise<ReadonlyMap<string, string>> => {
  const clock = { ms: (leagueNow - 86_400) * 1000 }
  const usage = createUsage({ now: () => clock.ms })
  for (const [route, count] of [
    ['/fights', 3],
    ['/bots/:bot', 1],
  ] as const)
    for (let each = 0; each < count; each += 1) usage.record(answered({ route }))
  clock.ms = leagueNow * 1000

  const changes = createChanges({ now: () => leagueNow })
  changes.feed.begin(leagueArchive())
  const { epoch } = changes.feed.end()
  const before = cursorOf(changes.feed.end())
  const app = appOf(serviceOf(leagueArchive(), leagueNow), { usage, changes })
  changes.feed.swapped(leagueArchive(), archiveAfterSemifinal())

  const ask = async (address: string): Promise<string> => {
    const url = `http://localhost${address.replace('BEFORE', before)}`
    const response = await app(new Request(url, { headers: browser }))
    const received: Received = {
      status: response.status,
      headers: response.headers,
      bytes: await response.bytes(),
    }
    return `GET ${address}\n${readable(received).replaceAll(epoch, 'EPOCH')}`
  }
  const files = new Map<string, string>()
  const lists = [...recordedAddresses, bulkNames.map((name) => `/bulk/${name}`)]
  for (const addresses of lists) {
    const answers: string[] = []
    for (const address of addresses) answers.push(await ask(address))
    files.set(fileOf(templateOf(addresses[0] ?? '')), answers.join('\n'))
  }
  const missing = templates.filter((each) => !unrecorded.test(each) && !files.has(fileOf(each)))
  if (missing.length > 0)
    throw new Error(`test/answers/addresses.ts has no address of ${missing.join(', ')}`)
  return files
}
