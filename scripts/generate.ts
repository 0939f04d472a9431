import type { TournamentRows } from '../src/data/source/rows.ts'
import { writeSnapshot } from '../src/data/source/snapshot.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { generateLeague, type League, parseScale, type Scale, scaleNames } from './league/league.ts'
import { text } from './option.ts'
import { createProgress } from './progress.ts'

const help = `Usage: ${program} generate --out PATH [--seed N] [--scale SCALE]

Simulates a league and writes it as a snapshot. The same seed and scale give the same file.

  --out PATH     file to write; one that exists is replaced
  --seed N       whole number from 0 to 4294967295 (default 1)
  --scale SCALE  sample: 24 tournaments; 1 to 100: times a league of 133 (default sample)
  --help         this text`

interface Options {
  readonly out: string
  readonly seed: number
  readonly scale: Scale
}

const readOptions = ({ seed, scale, out }: Readonly<Record<string, unknown>>): Options => {
  const seedNumber = /^\d{1,10}$/.test(String(seed)) ? Number(seed) : Number.NaN
  const knownScale = parseScale(String(scale))
  if (!(seedNumber < 2 ** 32)) {
    throw new CommandError('--seed must be a whole number from 0 to 4294967295')
  }
  if (knownScale === undefined) throw new CommandError(`--scale must be ${scaleNames}`)
  if (typeof out !== 'string' || out === '') throw new CommandError('--out PATH is required')
  return { out, seed: seedNumber, scale: knownScale }
}

function* withProgress({ tournaments, tournamentCount }: League): Generator<TournamentRows> {
  const progress = createProgress('tournaments')
  progress.add(tournamentCount)
  try {
    for (const rows of tournaments) {
      yield rows
      progress.step(rows.tournament.id)
    }
  } finally {
    progress.stop()
  }
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, {
    out: text,
    seed: { ...text, default: '1' },
    scale: { ...text, default: 'sample' },
  })
  if (positionals.length > 0) throw new CommandError('only options are expected (see --help)')
  const options = readOptions(values)
  const league = generateLeague(options)
  const { digest, sizeBytes } = await writeSnapshot(options.out, {
    ...league,
    tournaments: withProgress(league),
  })
  console.log(
    `${options.out}: ${league.tournamentCount} tournaments, ${sizeBytes} bytes, SHA-256 ${digest}`,
  )
}

if (import.meta.main) await runCommand(main)
