import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import type { TournamentRows } from '../src/source/rows.ts'
import { writeSnapshot } from '../src/source/snapshot.ts'
import { generateLeague, type League, type Scale } from './league/league.ts'

const usage = `Usage: bun scripts/generate.ts --out PATH [--seed N] [--scale sample|1|10|100]

Simulates a league and writes it as a snapshot. The same seed and scale give the same file.

  --out PATH     file to write; one that exists is replaced
  --seed N       whole number from 0 to 4294967295 (default 1)
  --scale SCALE  sample: 24 tournaments; 1, 10, 100: times a league of 133 (default sample)
  --help         show this text
`

interface Options {
  readonly out: string
  readonly seed: number
  readonly scale: Scale
}

const scales: ReadonlyMap<string, Scale> = new Map<string, Scale>([
  ['sample', 'sample'],
  ['1', 1],
  ['10', 10],
  ['100', 100],
])

/** The options, `help`, or an `Error` that says what is wrong with the arguments. */
const readOptions = (args: readonly string[]): Options | 'help' => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string' },
      seed: { type: 'string', default: '1' },
      scale: { type: 'string', default: 'sample' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const seed = /^\d{1,10}$/.test(values.seed) ? Number(values.seed) : Number.NaN
  const scale = scales.get(values.scale)
  if (!(seed < 2 ** 32)) {
    throw new Error(`--seed must be a whole number from 0 to 4294967295, not '${values.seed}'`)
  }
  if (scale === undefined) {
    throw new Error(`--scale must be sample, 1, 10 or 100, not '${values.scale}'`)
  }
  if (!values.out) throw new Error('--out PATH is required')
  return { out: values.out, seed, scale }
}

/** The same tournaments, with a bar on stderr when it is a terminal and a second has gone by. */
function* withProgress({ tournaments, tournamentCount }: League): Generator<TournamentRows> {
  const bar = new SingleBar({
    format: '{bar} {value}/{total} tournaments, {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  })
  const started = performance.now()
  let done = 0
  let isShown = false
  try {
    for (const tournament of tournaments) {
      yield tournament
      done++
      if (!isShown && process.stderr.isTTY && performance.now() - started > 1000) {
        isShown = true
        bar.start(tournamentCount, done)
      }
      if (isShown) bar.update(done)
    }
  } finally {
    bar.stop()
  }
}

const main = async () => {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(usage)
    return
  }
  const league = generateLeague(options)
  const { capturedAt, cages, cageQueue, tournamentCount } = league
  const { digest, sizeBytes } = await writeSnapshot(options.out, {
    capturedAt,
    cages,
    cageQueue,
    tournaments: withProgress(league),
  })
  process.stdout.write(
    `${options.out}: ${tournamentCount} tournaments, ${sizeBytes} bytes, SHA-256 ${digest}\n`,
  )
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`generate: ${message.split('\n', 1)[0]}\n`)
  process.exitCode = 1
})
