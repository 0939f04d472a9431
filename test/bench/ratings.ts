import { basename } from 'node:path'
import { parse } from 'csv-parse/sync'
import rateGlicko from 'glicko2-lite'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { loadTournament } from '../../src/data/archive/load.ts'
import { buildDataset, buildTournament } from '../../src/data/league/build.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import { mergeDataset, tournamentChange } from '../../src/data/league/merge.ts'
import type { Dataset } from '../../src/data/league/types.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { buildBots } from '../../src/derived/careers/bots.ts'
import { type Bout, boutOf, boutsOf } from '../../src/derived/ratings/bouts.ts'
import {
  type Calibration,
  calibrationOf,
  type Foretold as FightForetold,
} from '../../src/derived/ratings/calibration.ts'
import { createFilter } from '../../src/derived/ratings/filter.ts'
import type { Score } from '../../src/derived/ratings/odds.ts'
import { buildRatings, ratingSteps, updateRatings } from '../../src/derived/ratings/ratings.ts'
import {
  eloChance,
  noRecord,
  recordsAfter,
  type SimpleRecord,
  winRateChance,
} from '../../src/derived/ratings/simpleRules.ts'
import { emptyState } from '../../src/derived/ratings/state.ts'
import { atOnce } from '../../src/runtime/timeSlice.ts'
import { bandCoverages } from '../knownStrengths.ts'
import { cpuMs, type Extent, type Row, rowsOf, stepsMs, summary } from './stats.ts'

/** Columns date, event, winner and loser, in the order of the fights of a day; class and teams if there are any. */
const readCSV = (text: string): readonly Bout[] => {
  const rows: readonly Readonly<Record<string, string>>[] = parse(text, {
    columns: true,
    bom: true,
    skip_empty_lines: true,
  })
  const bouts = rows.map((row, index): Bout => {
    const playerOf = (name = '', team: string | null = null) => ({
      cleanName: cleanName(name),
      team,
    })
    const winner = playerOf(row.winner, row.winnerTeam)
    const loser = playerOf(row.loser, row.loserTeam)
    const endUnix = Date.parse(row.date ?? '') / 1000
    if (!Number.isFinite(endUnix)) throw new Error(`row ${index + 1} has no date`)
    // The first by name is red, so that the corner tells nothing about the result.
    const isRed = winner.cleanName < loser.cleanName
    const [red, blue] = isRed ? [winner, loser] : [loser, winner]
    const ratingClass = row.class ?? row.weightClass ?? ''
    return { ratingClass, startUnix: null, endUnix, red, blue, score: isRed ? 1 : 0 }
  })
  return bouts.sort((a, b) => a.endUnix - b.endUnix)
}

const boutsIn = (dataset: Dataset): readonly Bout[] => boutsOf(dataset).map(boutOf)

/** Chance of red before a fight between two bots; then learns from its result. */
type Foretell = (red: string, blue: string, score: Score) => number

const simpleRule = (chanceBy: typeof winRateChance, k = 35, scale = 600): Foretell => {
  const records = new Map<string, SimpleRecord>()
  return (red, blue, score) => {
    const [own, other] = [records.get(red) ?? noRecord, records.get(blue) ?? noRecord]
    const after = recordsAfter(own, other, score, eloChance(own, other, scale), k)
    records.set(red, after.red)
    records.set(blue, after.blue)
    return chanceBy(own, other)
  }
}
const elo = (k: number, scale: number): Foretell =>
  simpleRule((red, blue) => eloChance(red, blue, scale), k, scale)

/** Glicko-2 with a period for each fight, which predicts better than one for each event. */
const glicko = (deviation: number): Foretell => {
  const ratings = new Map<string, { rating: number; rd: number; vol: number }>()
  const of = (bot: string) => ratings.get(bot) ?? { rating: 1500, rd: deviation, vol: 0.06 }
  return (red, blue, score) => {
    const [one, other] = [of(red), of(blue)]
    const variance = one.rd ** 2 + other.rd ** 2
    const weight = 1 / Math.sqrt(1 + (3 * (Math.LN10 / 400) ** 2 * variance) / Math.PI ** 2)
    if (score !== null) {
      const update = (own: typeof one, opponent: typeof one, result: number) =>
        rateGlicko(own.rating, own.rd, own.vol, [[opponent.rating, opponent.rd, result]])
      ratings.set(red, update(one, other, score))
      ratings.set(blue, update(other, one, 1 - score))
    }
    return 1 / (1 + 10 ** ((-weight * (one.rating - other.rating)) / 400))
  }
}

interface Foretold {
  readonly scores: ReadonlyMap<string, Calibration['scores'][number]>
  readonly bins: Calibration['bins']
  /** Fights of bots with fewer than three fights against bots with more. */
  readonly newcomers: { readonly fights: number; readonly predicted: number; readonly won: number }
}

const foretell = (bouts: readonly Bout[]): Foretold => {
  const fights = new Map<string, number>()
  const filter = createFilter(emptyState, [])
  const rules = new Map<string, Foretell>([
    ['win rate', simpleRule(winRateChance)],
    ['Elo 35/600', elo(35, 600)],
    ['Elo 60/400', elo(60, 400)],
    ['Glicko-2, 350', glicko(350)],
    ['Glicko-2, 200', glicko(200)],
    ['coin', () => 0.5],
  ])
  const names = ['ratings', ...rules.keys()]
  const foretold = new Map(names.map((name) => [name, [] as FightForetold[]]))
  const newcomers = { fights: 0, predicted: 0, won: 0 }
  for (const bout of bouts) {
    const { score, ratingClass } = bout
    const [red, blue] = [bout.red, bout.blue].map(({ cleanName }) => `${ratingClass} ${cleanName}`)
    if (red === undefined || blue === undefined) continue
    const { chance } = filter.take(bout)
    for (const [name, own] of foretold) {
      const byRule = rules.get(name)?.(red, blue, score) ?? chance
      if (score === 0 || score === 1) own.push({ chances: [byRule], redWon: score === 1 })
    }
    const [ofRed, ofBlue] = [fights.get(red) ?? 0, fights.get(blue) ?? 0]
    fights.set(red, ofRed + 1)
    fights.set(blue, ofBlue + 1)
    if ((score !== 0 && score !== 1) || ofRed < 3 === ofBlue < 3) continue
    newcomers.fights += 1
    newcomers.predicted += ofRed < 3 ? chance : 1 - chance
    newcomers.won += ofRed < 3 ? score : 1 - score
  }
  return {
    scores: new Map(
      [...foretold].flatMap(([name, own]) => {
        const [score] = calibrationOf(own).scores
        return score ? [[name, score] as const] : []
      }),
    ),
    bins: calibrationOf(foretold.get('ratings') ?? []).bins,
    newcomers,
  }
}

/** Bins with fewer fights mean little. */
const leastFights = 100

const predictionRows = (name: string, scale: Scale, bouts: readonly Bout[]): Row[] => {
  const { scores, bins, newcomers } = foretell(bouts)
  const row = rowsOf(scale)
  const of = (kind: 'logLoss' | 'brier') => {
    const { ratings = 0, ...beside } = Object.fromEntries(
      [...scores].map(([rule, score]) => [rule, 1000 * score[kind]]),
    )
    return { ratings, beside }
  }
  const [loss, brier] = [of('logLoss'), of('brier')]
  const misses = [
    ...bins.map(({ fights, predicted, observed }) => ({ fights, miss: predicted - observed })),
    {
      fights: newcomers.fights,
      miss: (newcomers.predicted - newcomers.won) / (newcomers.fights || 1),
    },
  ].filter(({ fights }) => fights >= leastFights)
  return [
    row(`${name}: log loss of ${bouts.length} fights`, '1/1000', loss.ratings, {
      beside: loss.beside,
      judged: loss.ratings / (loss.beside['win rate'] ?? 1),
      atMost: 1,
    }),
    row(`${name}: Brier score`, '1/1000', brier.ratings, { beside: brier.beside }),
    row(
      `${name}: largest difference of chance and result, in bins of ${leastFights} fights, newcomers one`,
      '1',
      Math.max(0, ...misses.map(({ miss }) => Math.abs(miss))),
      { atMost: 0.05 },
    ),
  ]
}

const datasetOfScale = (scale: Scale): Dataset =>
  buildDataset(
    [...generateLeague({ seed: 1, scale }).tournaments]
      .filter(({ tournament }) => isPublic(tournament))
      .map(buildTournament),
  )

const datasetOfFile = async (path: string): Promise<Dataset> => {
  const snapshot = await readSnapshot(path)
  const loaded = [...snapshot.tournaments()].map((rows) => loadTournament(rows, () => undefined))
  return buildDataset(loaded.flatMap((each) => each?.tournament ?? []))
}

/** Cost of all ratings, of one more fight, and of the longest step of a correction of the first one. */
const costRows = (scale: Scale, rounds: number, dataset: Dataset): Row[] => {
  const row = rowsOf(scale)
  const bots = buildBots(dataset.tournaments)
  const all = Array.from({ length: 3 }, () => cpuMs(() => buildRatings(dataset, bots)))
  const newest = dataset.fights.find(({ isCompleted }) => isCompleted)
  const tournament = newest && dataset.tournamentsByID.get(newest.tournament.id)
  if (!newest || !tournament) return []
  const { id } = tournament.info
  const without = { ...tournament, fights: tournament.fights.filter((fight) => fight !== newest) }
  const before = mergeDataset(dataset, tournamentChange(dataset, new Map([[id, without]])))
  const ratings = buildRatings(before)
  const one = Array.from({ length: rounds }, () =>
    cpuMs(() => atOnce(updateRatings(ratings, dataset, bots))),
  )
  const steps = stepsMs(ratingSteps(dataset, bots))
  return [
    row('all ratings, CPU time', 'ms', summary(all)),
    row('one more fight, CPU time', 'ms', summary(one), { atMost: 2 }),
    row('a correction of the first fight: CPU time of its steps', 'ms', summary(steps), {
      judged: summary(steps).p99,
      atMost: 5,
    }),
  ]
}

/**
 * Accuracy of the chances of fights, each from the fights before it, in the invented league and in `files`: CSV with
 * date, event, winner and loser, or snapshots.
 */
export const benchRatings = async (
  { scale, rounds }: Extent,
  files: readonly string[],
): Promise<Row[]> => {
  const rows: Row[] = []
  for (const path of files) {
    const bouts = path.endsWith('.csv')
      ? readCSV(await Bun.file(path).text())
      : boutsIn(await datasetOfFile(path))
    rows.push(...predictionRows(basename(path), scale, bouts))
  }
  if (files.length === 0) {
    const dataset = datasetOfScale(scale)
    rows.push(...predictionRows('league', scale, boutsIn(dataset)))
    rows.push(...costRows(scale, rounds, dataset))
    rows.push(
      rowsOf(scale)(
        'known strengths within their 95 % bands, mean of leagues of each kind',
        '%',
        bandCoverages().map((share) => 100 * share),
        { atLeast: 93 },
      ),
    )
  }
  return rows
}
