import { expect } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Running } from './process.ts'

export const readUsage = async ({ url }: Pick<Running, 'url'>, query = '') => {
  // biome-ignore lint/suspicious/noExplicitAny: the schema is checked elsewhere.
  const body: any = await (await fetch(`${url}/usage${query}`)).json()
  return body.usage
}
export const readLog = async ({ url }: Running) => {
  // biome-ignore lint/suspicious/noExplicitAny: the schema is checked elsewhere.
  const body: any = await (await fetch(`${url}/health`)).json()
  return body.usageLog
}

export interface LoggedEvent {
  readonly time: number
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly client: string
  readonly key?: string
}

/** Every line of every day; throws for invalid JSON. */
export const readEvents = async (dataDir: string): Promise<LoggedEvent[]> => {
  const folder = join(dataDir, 'usage')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  )
}

/** Sends requests, which must all be answered with 200; returns their times in ms, ascending. */
export const ask = async ({ url }: Running, times: number): Promise<number[]> => {
  const took: number[] = []
  for (let each = 0; each < times; each += 1) {
    const started = performance.now()
    const response = await fetch(`${url}/fights/recent`)
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    took.push(performance.now() - started)
  }
  return took.toSorted((one, other) => one - other)
}
