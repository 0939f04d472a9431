import { basename } from 'node:path'
import { parse } from 'csv-parse/sync'
import rateGlicko from 'glicko2-lite'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { loadTournament } from '../../src/data/archive/load.ts'
import { buildDataset, buildTournament } from '../../src/data/league/build.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import { mergeDataset, tournamentChange } from '../../src/data/league/merge.ts'
import type { Dataset, Fight } from '../../src/data/league/types.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { buildBots } from '../../src/derived/careers/bots.ts'
import { boutsAfter, ratingClassOf, scoreOf } from '../../src/derived/ratings/bouts.ts'
import {
  addFight,
  type Calibration,
  calibrationOf,
  newSums,
} from '../../src/derived/ratings/calibration.ts'
import { type Bout, createFilter } from '../../src/derived/ratings/filter.ts'
import { oddsStride, readOdds } from '../../src/derived/ratings/odds.ts'
import { buildRatings, ratingSteps, updateRatings } from '../../src/derived/ratings/ratings.ts'
import { createElo, createWinRate, type Foretell } from '../../src/derived/ratings/simpleRules.ts'
import { emptyState } from '../../src/derived/ratings/state.ts'
import { atOnce } from '../../src/runtime/timeSlice.ts'
import { bandCoverages } from '../knownStrengths.ts'
import { cpuMs, type Extent, type Row, rowsOf, stepsMs, summary } from './stats.ts'

/** A fight to foretell; bots are keyed by class and name. */
interface Meeting extends Omit<Bout, 'red' | 'blue'> {
  readonly red: string
  readonly blue: string
}

/** Columns date, event, winner and loser, in the order of the fights of a day; class and teams where there are any. */
const readCSV = (text: string): readonly Meeting[] => {
  const rows: readonly Readonly<Record<string, string>>[] = parse(text, {
    columns: true,
    bom: true,
    skip_empty_lines: true,
  })
  const meetings = rows.map((row, index): Meeting => {
    const ratingClass = row.class ?? row.weightClass ?? ''
    const playerOf = (name = '', team: string | null = null) => ({
      cleanName: cleanName(name),
      team,
    })
    const winner = playerOf(row.winner, row.winnerTeam)
    const loser = playerOf(row.loser, row.loserTeam)
    const finishUnix = Date.parse(row.date ?? '') / 1000
    if (!Number.isFinite(finishUnix)) throw new Error(`row ${index + 1} has no date`)
    const tournament = { id: row.event ?? '' }
    const place = { momentUnix: finishUnix, playIndex: index, tournament }
    // The first by name is red, so that the corner tells nothing of the result.
    const isRed = winner.cleanName < loser.cleanName
    const [redPlayer, bluePlayer] = isRed ? [winner, loser] : [loser, winner]
    return {
      ratingClass,
      startUnix: null,
      place,
      redPlayer,
      bluePlayer,
      score: isRed ? 1 : 0,
      red: `${ratingClass} ${redPlayer.cleanName}`,
      blue: `${ratingClass} ${bluePlayer.cleanName}`,
    }
  })
  return meetings.sort((a, b) => a.place.momentUnix - b.place.momentUnix)
}

const meetingsOf = (dataset: Dataset): readonly Meeting[] =>
  [...boutsAfter(dataset, undefined)].flat().map((fight: Fight) => {
    const ratingClass = ratingClassOf(fight.tournament)
    return {
      ratingClass,
      red: `${ratingClass} ${fight.red.player.cleanName}`,
      blue: `${ratingClass} ${fight.blue.player.cleanName}`,
      redPlayer: fight.red.player,
      bluePlayer: fight.blue.player,
      score: scoreOf(fight),
      startUnix: fight.startUnix,
      place: fight,
    }
  })

/** Glicko-2 with a period for each fight, which foretells better than one for each event. */
const glicko = (deviation: number): Foretell => {
  const ratings: { rating: number; rd: number; vol: number }[] = []
  const of = (bot: number) => ratings[bot] ?? { rating: 1500, rd: deviation, vol: 0.06 }
  return (red, blue, score) => {
    const [one, other] = [of(red), of(blue)]
    const variance = one.rd ** 2 + other.rd ** 2
    const weight = 1 / Math.sqrt(1 + (3 * (Math.LN10 / 400) ** 2 * variance) / Math.PI ** 2)
    if (score !== null) {
      const update = (own: typeof one, opponent: typeof one, result: number) =>
        rateGlicko(own.rating, own.rd, own.vol, [[opponent.rating, opponent.rd, result]])
      ratings[red] = update(one, other, score)
      ratings[blue] = update(other, one, 1 - score)
    }
    return 1 / (1 + 10 ** ((-weight * (one.rating - other.rating)) / 400))
  }
}

interface Foretold {
  readonly scores: ReadonlyMap<string, Calibration['scores'][number]>
  readonly bins: Calibration['bins']
  /** Fights of bots with fewer than three fights against those with more. */
  readonly newcomers: { readonly fights: number; readonly predicted: number; readonly won: number }
}

const foretell = (meetings: readonly Meeting[]): Foretold => {
  const slots = new Map<string, number>()
  const fights: number[] = []
  const filter = createFilter(emptyState)
  const odds = new Float32Array(oddsStride)
  const rules = new Map<string, Foretell>([
    ['win rate', createWinRate()],
    ['Elo 35/600', createElo()],
    ['Elo 60/400', createElo(60, 400)],
    ['Glicko-2, 350', glicko(350)],
    ['Glicko-2, 200', glicko(200)],
    ['coin', () => 0.5],
  ])
  const sums = new Map(['ratings', ...rules.keys()].map((name) => [name, newSums()]))
  const newcomers = { fights: 0, predicted: 0, won: 0 }
  const slotOf = (name: string): number => slots.getOrInsert(name, slots.size)
  for (const meeting of meetings) {
    const { score } = meeting
    const [red, blue] = [slotOf(meeting.red), slotOf(meeting.blue)]
    filter.take({ ...meeting, red, blue }, odds, 0)
    const { chance } = readOdds(odds, 0)
    for (const [name, own] of sums) {
      const foretold = rules.get(name)?.(red, blue, score) ?? chance
      if (score === 0 || score === 1) addFight(own, [foretold], score === 1)
    }
    const [ofRed = 0, ofBlue = 0] = [fights[red], fights[blue]]
    fights[red] = ofRed + 1
    fights[blue] = ofBlue + 1
    if ((score !== 0 && score !== 1) || ofRed < 3 === ofBlue < 3) continue
    newcomers.fights += 1
    newcomers.predicted += ofRed < 3 ? chance : 1 - chance
    newcomers.won += ofRed < 3 ? score : 1 - score
  }
  return {
    scores: new Map(
      [...sums].flatMap(([name, own]) => {
        const [score] = calibrationOf(own).scores
        return score ? [[name, score] as const] : []
      }),
    ),
    bins: calibrationOf(sums.get('ratings') ?? newSums()).bins,
    newcomers,
  }
}

/** Bins with fewer fights say little. */
const leastFights = 100

const predictionRows = (name: string, scale: Scale, meetings: readonly Meeting[]): Row[] => {
  const { scores, bins, newcomers } = foretell(meetings)
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
    row(`${name}: log loss of ${meetings.length} fights`, '1/1000', loss.ratings, {
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
  const change = tournamentChange(before, new Map([[id, tournament]]))
  const ratings = buildRatings(before)
  const one = Array.from({ length: rounds }, () =>
    cpuMs(() => atOnce(updateRatings(ratings, dataset, change, bots))),
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
 * Accuracy of the chances of fights, each from the fights before it, in the invented league and in `files`: CSV with date, event,
 * winner and loser, or snapshots.
 */
export const benchRatings = async (
  { scale, rounds }: Extent,
  files: readonly string[],
): Promise<Row[]> => {
  const rows: Row[] = []
  for (const path of files) {
    const meetings = path.endsWith('.csv')
      ? readCSV(await Bun.file(path).text())
      : meetingsOf(await datasetOfFile(path))
    rows.push(...predictionRows(basename(path), scale, meetings))
  }
  if (files.length === 0) {
    const dataset = datasetOfScale(scale)
    rows.push(...predictionRows('league', scale, meetingsOf(dataset)))
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
