import { CommandError, readArguments, runCommand } from '../scripts/command.ts'
import { text } from '../scripts/option.ts'
import { fuzz } from './fuzz.ts'
import { startService, stopService } from './process.ts'

const help = `Usage: bun run fuzz [--runs N] [--seed N] [--origin URL]

Sends requests made from /openapi, valid, nearly valid and hostile ones, and holds every answer against
it: status, headers, content type, schema. Ends at the first that breaks it, made as small as it can be, or
that has no answer in 20 s.

  --runs N       requests (default: 200000)
  --seed N       the same seed sends the same requests (default: by the clock)
  --origin URL   a service on this machine, base path included (default: a new one, with the sample)
  --help         this text`

const naturalNumber = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`--${name} must be a whole number`)
  return Number(text)
}

await runCommand(async (args) => {
  const { values } = readArguments(help, args, {
    runs: { ...text, default: '200000' },
    seed: { ...text, default: String(Math.floor(Date.now() / 1000) % 1e9) },
    origin: text,
  })
  const runs = naturalNumber('runs', values.runs)
  const seed = naturalNumber('seed', values.seed)
  const service = values.origin === undefined ? await startService() : undefined
  try {
    await fuzz(values.origin ?? service?.url ?? '', { runs, seed })
    console.log(`${runs} requests, seed ${seed}: all answered as described`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    if (error instanceof Error && error.cause) console.error(String(error.cause))
    process.exitCode = 1
  } finally {
    if (service) await stopService(service)
  }
})
