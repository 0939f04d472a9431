import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { playDay } from '../csvDay.ts'
import { projectFolder, temporaryFolder } from '../process.ts'
import { type Extent, summary } from './stats.ts'

/** A folder with events of 16 bots that fight 1,000 times each. */
const writeLeague = async (fights: number): Promise<string> => {
  const folder = await temporaryFolder()
  const events = Array.from({ length: Math.ceil(fights / 1000) }, (_, index) => `event-${index}`)
  await writeFile(
    join(folder, 'tournaments.csv'),
    `tournament,weight,start,format\n${events.map((id) => `${id},3,2026-03-14 10:00,round_robin\n`).join('')}`,
  )
  const lines = Array.from({ length: fights }, (_, index) => {
    const [red, blue] = [index % 16, (index + 1 + (index % 7)) % 16]
    const minute = String(index % 60).padStart(2, '0')
    return `event-${Math.floor(index / 1000)},Bot ${red},Bot ${blue === red ? 16 : blue},red,KO,${index},1,11:${minute},1:35\n`
  })
  await writeFile(
    join(folder, 'fights.csv'),
    `tournament,red,blue,winner,method,fight,cage,start,length\n${lines.join('')}`,
  )
  return folder
}

/** One import in a process of its own. */
const importOnce = async (folder: string) => {
  const out = join(folder, 'out.cageside')
  const command = [process.execPath, 'scripts/import.ts', 'csv', folder, '--out', out]
  const child = Bun.spawn(command, { cwd: projectFolder, stdin: 'ignore', stdout: 'ignore' })
  if ((await child.exited) !== 0) throw new Error('the import failed')
  const { maxRSS = 0, cpuTime } = child.resourceUsage() ?? {}
  return { cpuSeconds: Number(cpuTime?.total ?? 0n) / 1e6, peakMB: maxRSS / 2 ** 20 }
}

type Run = Awaited<ReturnType<typeof importOnce>>

/** A folder of 100,000 fights imported twice, one of half as many, and a day of 60 edits with readers of the stream. */
export const benchCsv = async ({ rounds }: Extent) => {
  const sizes: Record<string, object> = {}
  for (const fights of [50_000, 100_000]) {
    const runs = { first: [] as Run[], second: [] as Run[] }
    for (let round = 0; round < rounds; round += 1) {
      const folder = await writeLeague(fights)
      runs.first.push(await importOnce(folder))
      runs.second.push(await importOnce(folder))
    }
    const figures = (of: readonly Run[]) => ({
      cpuSeconds: summary(of.map(({ cpuSeconds }) => cpuSeconds)),
      peakMB: summary(of.map(({ peakMB }) => peakMB)),
    })
    sizes[`${fights} fights`] = { first: figures(runs.first), second: figures(runs.second) }
  }
  const folder = await temporaryFolder()
  const out = join(folder, 'out.cageside')
  const { delaysMs } = await playDay({
    folder,
    into: ['--out', out],
    settings: { SNAPSHOT: out },
    isWritten: () => Bun.file(out).exists(),
  })
  return { ...sizes, saveToReaderMs: summary(delaysMs) }
}
