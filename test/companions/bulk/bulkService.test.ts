import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { temporaryFolder } from '../../process.ts'
import { readUsage } from '../../runningUsage.ts'
import { addressings, type RunningSite, startSite } from '../../site.ts'
import { sizeOf } from '../../smallLeague.ts'

describe.each(addressings)('the files of /bulk with %s', (addressing) => {
  let site: RunningSite
  let folder: string
  let index: { files: { name: string; url: string; rows: number }[] }
  let counts: Record<string, number>
  beforeAll(async () => {
    site = await startSite(addressing, await sizeOf(addressing))
    folder = await temporaryFolder()
    index = JSON.parse(await (await fetch(`${site.url}/bulk`)).text())
    counts = JSON.parse(await (await fetch(`${site.url}/health`)).text()).counts
    for (const { name, url } of index.files) {
      await Bun.write(join(folder, name), await fetch(new URL(url, site.url)))
    }
  })
  afterAll(async () => {
    await site.stop()
    expect(site.service.process.exitCode).toBe(0)
  })

  const rowsOf = (name: string): number =>
    index.files.find((file) => file.name === name)?.rows ?? Number.NaN

  test('gunzip reads the files whole', () => {
    for (const { name, rows } of index.files) {
      const { stdout, stderr, exitCode } = Bun.spawnSync(['gunzip', '-c', join(folder, name)])
      expect([exitCode, stderr.toString()]).toEqual([0, ''])
      // Texts with line ends would have more lines; the league has none.
      const lines = stdout.toString().split('\n').length - 1
      expect(lines).toBe(name.includes('.csv.') ? rows + 1 : rows)
    }
  })

  test('DuckDB finds as many rows as /health counts', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const one = async (sql: string): Promise<unknown[]> => {
      const [row = []] = (await connection.runAndReadAll(sql)).getRows()
      return row.map((value) => (typeof value === 'bigint' ? Number(value) : value))
    }
    const path = (name: string): string => `'${join(folder, name)}'`
    const found = index.files.map(({ name }) => `(SELECT count(*) FROM ${path(name)})`)
    expect(await one(`SELECT ${found.join()}`)).toEqual(index.files.map(({ rows }) => rows))
    expect([rowsOf('fights.ndjson.gz'), rowsOf('recordings.ndjson.gz')]).toEqual([
      counts.fights ?? 0,
      counts.recordings ?? 0,
    ])
    const wins = (from: string) =>
      one(`SELECT count(*), sum(player1wins), sum(matchLength), max(stopTime) FROM ${from}`)
    expect(await wins(path('fights.csv.gz'))).toEqual(await wins(path('fights.ndjson.gz')))
    const [recorded] = await one(
      `SELECT count(*) FROM ${path('recordings.ndjson.gz')} JOIN ${path('fights.ndjson.gz')}
       USING (tournamentID, gameID)`,
    )
    expect(recorded).toBe(rowsOf('recordings.ndjson.gz'))
    connection.closeSync()
    instance.closeSync()
  })

  test('the files of /bulk are counted in /usage with the bytes that were sent', async () => {
    const part = await fetch(`${site.url}/bulk/bots.csv.gz`, { headers: { range: 'bytes=0-9' } })
    expect((await part.bytes()).length).toBe(10)
    const whole = await fetch(`${site.url}/snapshot`)
    const bytes = (await whole.bytes()).length
    const { perEndpoint } = await readUsage(site)
    const endpoint = (name: string) =>
      perEndpoint.find((each: { endpoint: string }) => each.endpoint === name)
    expect(endpoint('/bulk/:file')).toMatchObject({ requests: index.files.length + 1 })
    expect(endpoint('/snapshot')).toMatchObject({ requests: 1, bytes })
  })
})
