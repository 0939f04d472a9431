import { setImmediate } from 'node:timers/promises'
import { createUsage } from '../../src/http/usage/usage.ts'
import { answered } from '../usage.ts'

/** Counts requests of distinct clients and keys, and prints memory and time. */
const [folder = '', count = '0'] = Bun.argv.slice(2)
const usage = createUsage({
  kept: { dataDir: folder, usageLogBytes: 1e9, log: () => undefined },
})
await usage.opened

const count1000 = async (from: number, isCrowd: boolean): Promise<void> => {
  for (let each = from; each < from + 1000; each += 1) {
    const who = isCrowd ? each : 0
    usage.record(
      answered({
        sender: `10.${(who >> 16) & 255}.${(who >> 8) & 255}.${who & 255}`,
        userAgent: `agent ${who}`,
        key: each % 2 ? `caller no ${who}` : null,
        route: `/route${each % 40}`,
        status: each % 2 ? 200 : 404,
        durationUs: each % 90_000,
      }),
    )
  }
  await setImmediate()
  if (from % 20_000 === 0) await usage.flush()
}
/** Resident memory after garbage collections. */
const residentBytes = async (): Promise<number> => {
  for (let round = 0; round < 3; round += 1) {
    Bun.gc(true)
    await Bun.sleep(200)
  }
  return process.memoryUsage.rss()
}
const report = async () => {
  const started = process.cpuUsage()
  const { totals, topClients, callers, endpoints } = await usage.report(365, undefined)
  const { user, system } = process.cpuUsage(started)
  return {
    ms: (user + system) / 1000,
    requests: totals.requests,
    topClients: topClients.length,
    callers: callers.length,
    endpoints: endpoints.length,
  }
}

// Requests of one client come first, so that the growth is only due to distinct clients.
const one = 50_000
for (let from = 0; from < one; from += 1000) await count1000(from, false)
await report()
const before = await residentBytes()
for (let from = 0; from < Number(count); from += 1000) await count1000(from, true)
const growthMB = ((await residentBytes()) - before) / 2 ** 20
const reports: Awaited<ReturnType<typeof report>>[] = []
for (let round = 0; round < 5; round += 1) reports.push(await report())
reports.sort((one, other) => one.ms - other.ms)
const { ms, ...rest } = reports[2] ?? (await report())
await usage.stop()
console.log(JSON.stringify({ growthMB, reportCpuMs: ms, ...rest, ...usage.logCounts() }))
