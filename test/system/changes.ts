import { afterAll, beforeAll, expect, test } from 'bun:test'
import { EventSource as NodeEventSource } from 'eventsource'
import { insertLeague } from '../../scripts/load.ts'
import type { ChangeEvent } from '../../src/companions/changes/schema.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { openBrowser } from '../browser.ts'
import { disorder } from '../changeReader.ts'
import { runNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { type Running, startService, temporaryFolder } from '../process.ts'
import { fightRows, playersNamed, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

/**
 * Real clients of the stream: the EventSource of Chromium and of npm, through nginx with its defaults,
 * with the service restarted under them. nginx and Chromium are packages of the system.
 */
const restarts = 4

let database: TestDatabase
const browser = openBrowser()
let nginx: Bun.Subprocess
let proxyUrl: string
let servicePort: number

beforeAll(async () => {
  database = await freshDatabase()
  await insertLeague(database.adminUrl, {
    tournaments: [
      tournamentOf({ id: 'cup', name: 'Cup', active: true }, playersNamed('Axe', 'Bolt'), [
        fightRows({ id: 'W-0' }, 'p0', 'p1'),
      ]),
    ],
    cages: [],
    cageQueue: [],
  })
  servicePort = await freePort()
  const proxyPort = await freePort()
  proxyUrl = `http://127.0.0.1:${proxyPort}`
  nginx = await runNginx(
    await temporaryFolder(),
    `access_log off;
     server {
       listen 127.0.0.1:${proxyPort};
       location / { proxy_pass http://127.0.0.1:${servicePort}; }
     }`,
  )
}, 60_000)
afterAll(async () => {
  nginx.kill()
  await nginx.exited
  await database.drop()
})

test('EventSource of Chromium and of npm get every change once over restarts, through nginx', async () => {
  const settings = {
    DATABASE_URL: database.readerUrl,
    DATA_DIR: await temporaryFolder(),
    PORT: String(servicePort),
  }
  const start = async (): Promise<Running> => {
    const started = await startService(settings)
    await until(async () => (await fetch(`${started.url}/changes`)).status === 200)
    return started
  }
  let running = await start()
  // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
  const { cursor }: any = await (await fetch(`${proxyUrl}/changes`)).json()

  const received: Record<string, ChangeEvent[]> = { chromium: [], npm: [] }
  const resets: string[] = []
  const page = await browser.newPage()
  await page.goto(`${proxyUrl}/health`)
  await page.exposeFunction('told', (text: string) => received.chromium?.push(JSON.parse(text)))
  await page.exposeFunction('wasReset', () => resets.push('chromium'))
  await page.evaluate(`
    let last = '${cursor}'
    const follow = () => {
      const source = new EventSource('/changes/stream?since=' + last)
      source.onmessage = ({ data, lastEventId }) => { last = lastEventId; told(data) }
      source.addEventListener('reset', wasReset)
      source.onerror = () => source.readyState === EventSource.CLOSED && setTimeout(follow, 200)
    }
    follow()`)
  let last = cursor
  let source: NodeEventSource | undefined
  const follow = (): void => {
    const opened = new NodeEventSource(`${proxyUrl}/changes/stream?since=${last}`)
    source = opened
    opened.onmessage = ({ data, lastEventId }) => {
      last = lastEventId
      received.npm?.push(JSON.parse(data))
    }
    opened.addEventListener('reset', () => resets.push('npm'))
    opened.onerror = () => {
      if (opened.readyState === opened.CLOSED) setTimeout(follow, 200)
    }
  }
  follow()

  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  let written = 0
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      written += 1
      await pool`UPDATE cageside.games SET notice = ${`notice ${written}`}`
      await Bun.sleep(60)
    }
  })()
  for (let restart = 0; restart < restarts; restart += 1) {
    await Bun.sleep(700)
    running.process.kill(restart % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    await running.process.exited
    running = await start()
  }
  isWriting = false
  await writing
  await pool`UPDATE cageside.games SET notice = 'the end'`
  await pool.end({ timeout: 1 })

  const noticeOf = (change: ChangeEvent | undefined): unknown =>
    change?.type === 'fight.corrected' ? change.after.notice : undefined
  for (const changes of Object.values(received)) {
    await until(() => noticeOf(changes.at(-1)) === 'the end')
    expect(disorder(changes)).toEqual([])
  }
  expect(resets).toEqual([])
  expect(received.chromium).toEqual(received.npm ?? [])
  // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
  const all: any = await (await fetch(`${proxyUrl}/changes?since=${cursor}&limit=1000`)).json()
  expect(all.more).toBe(false)
  expect(received.npm).toEqual(all.changes)
  source?.close()
  running.process.kill('SIGTERM')
  expect(await running.process.exited).toBe(0)
}, 180_000)
