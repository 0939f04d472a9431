import { cleanName } from '../../data/league/cleanName.ts'
import { newestFirst, tournamentsNewestFirst } from '../../data/league/order.ts'
import { positionAfter, replaceSorted, toSorted } from '../../data/league/sortedList.ts'
import type { Fight, FightCorner, Player, Tournament } from '../../data/league/types.ts'
import {
  distinctClasses,
  isOfClass,
  lightestFirst,
  type WeightClass,
  weightClassKey,
} from '../../data/league/weightClass.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'

/** Sums over completed fights. */
export interface Totals {
  readonly fights: number
  readonly wins: number
  /** Fights that the opponent won; a draw or double forfeit is neither a win nor a loss. */
  readonly losses: number
  /** Completed fights without a winner. */
  readonly draws: number
  /** Wins by KO or TKO. */
  readonly koWins: number
  /** Number of fights that took time, see {@link fightSeconds}. */
  readonly measured: number
  readonly seconds: number
}

/** Totals in one class. */
interface ClassTotals {
  readonly weightClass: WeightClass
  readonly totals: Totals
}

/** A bot in one tournament. */
interface BotEntry {
  readonly tournament: Tournament
  readonly player: Player
  /** Completed fights, newest first. */
  readonly fights: readonly Fight[]
  readonly totals: Totals
}

/** All entries of one clean name in the public tournaments. */
export interface Bot {
  readonly cleanName: string
  /** The display name of the newest tournament. */
  readonly name: string
  /** Team in the newest tournament that has it. */
  readonly team: string | null
  /** Clean name of the team; empty without one. */
  readonly teamKey: string
  readonly driver: string | null
  /** Completed fights, newest first; every number is computed from them. */
  readonly fights: readonly Fight[]
  readonly totals: Totals
  /** Totals per weight class of the fights, lightest first. */
  readonly classes: readonly ClassTotals[]
  readonly tournamentCount: number
  /** Entries, newest first. */
  readonly entries: readonly BotEntry[]
}

/** Bots sorted by clean name. */
export type Bots = readonly Bot[]

const noTotals: Totals = {
  fights: 0,
  wins: 0,
  losses: 0,
  draws: 0,
  koWins: 0,
  measured: 0,
  seconds: 0,
}

/** Seconds from start to stop, pauses included; null when zero or unknown. */
export const fightSeconds = ({ startUnix, stopUnix }: Fight): number | null =>
  startUnix !== null && stopUnix !== null && stopUnix > startUnix ? stopUnix - startUnix : null

const isOf = ({ player }: FightCorner, cleanName: string): boolean => player.cleanName === cleanName

/** True if the bot won; a fight between two entries of one clean name is won and lost at once. */
export const wonBy = ({ red, blue }: Fight, cleanName: string): boolean =>
  (red.isWinner && isOf(red, cleanName)) || (blue.isWinner && isOf(blue, cleanName))

/** True if the bot's opponent won. */
export const lostBy = ({ red, blue }: Fight, cleanName: string): boolean =>
  (red.isWinner && isOf(blue, cleanName)) || (blue.isWinner && isOf(red, cleanName))

/** The corner against the bot; the blue one if a bot fought itself. */
export const opponentOf = ({ red, blue }: Fight, cleanName: string): FightCorner =>
  isOf(red, cleanName) ? blue : red

const isKnockout = ({ winAnnotation }: Fight): boolean =>
  winAnnotation === 'KO' || winAnnotation === 'TKO'

/** Shares a single value. */
const sumTotals = (all: readonly Totals[]): Totals => {
  const [only] = all
  if (only && all.length === 1) return only
  const sum = { ...noTotals }
  for (const totals of all) {
    sum.fights += totals.fights
    sum.wins += totals.wins
    sum.losses += totals.losses
    sum.draws += totals.draws
    sum.koWins += totals.koWins
    sum.measured += totals.measured
    sum.seconds += totals.seconds
  }
  return sum
}

const classKey = (weightClass: WeightClass): string =>
  `${weightClass.weightClassPounds} ${weightClassKey(weightClass)}`

/** Classes of the fights, each as written at its newest fight. */
const classesOf = (entries: readonly BotEntry[], fights: readonly Fight[]): ClassTotals[] => {
  const classes: ClassTotals[] = []
  let left = entries.filter((entry) => entry.fights.length > 0)
  for (const { tournament: weightClass } of fights) {
    if (left.length === 0) break
    const key = classKey(weightClass)
    const own = left.filter(({ tournament }) => classKey(tournament.info) === key)
    if (own.length === 0) continue
    classes.push({ weightClass, totals: sumTotals(own.map(({ totals }) => totals)) })
    left = left.filter((entry) => !own.includes(entry))
  }
  return classes.sort((a, b) => lightestFirst(a.weightClass, b.weightClass))
}

const buildBot = (name: string, unsorted: readonly BotEntry[]): Bot | undefined => {
  const entries = toSorted(unsorted, (a, b) => tournamentsNewestFirst(a.tournament, b.tournament))
  const [newest] = entries
  if (!newest) return undefined
  const all = entries.flatMap((entry) => entry.fights)
  const fights = toSorted(all, newestFirst)
  const classes = classesOf(entries, fights)
  const team = entries.find(({ player }) => player.team)?.player.team ?? null
  return {
    cleanName: name,
    name: newest.player.name,
    team,
    teamKey: team === null ? '' : cleanName(team),
    driver: entries.find(({ player }) => player.driver)?.player.driver ?? null,
    fights,
    totals: sumTotals(classes.map(({ totals }) => totals)),
    classes,
    tournamentCount: entries.filter((entry) => entry.fights.length > 0).length,
    entries,
  }
}

/** Totals in the selected classes, see {@link isOfClass}; undefined without a fight in them. */
export const totalsIn = ({ classes }: Bot, wanted: string | number): Totals | undefined => {
  const own = classes.filter(({ weightClass }) => isOfClass(weightClass, wanted))
  return own.length === 0 ? undefined : sumTotals(own.map(({ totals }) => totals))
}

/** Classes of the fights as payloads have them: pounds, ascending, and names, lightest first. */
export const classFields = ({
  classes,
}: Bot): { readonly weightClasses: number[]; readonly weightClassNames: string[] } => {
  const distinct = distinctClasses(classes.map(({ weightClass }) => weightClass))
  return {
    weightClasses: [...new Set(classes.map(({ weightClass }) => weightClass.weightClassPounds))],
    weightClassNames: distinct.flatMap(({ weightClassName }) => weightClassName ?? []),
  }
}

/** An entry to which fights are added. */
const openEntry = (tournament: Tournament, player: Player) => {
  const fights: Fight[] = []
  return { tournament, player, fights, totals: { ...noTotals } }
}
type OpenEntry = ReturnType<typeof openEntry>

const addFight = ({ player: { cleanName }, fights, totals }: OpenEntry, fight: Fight): void => {
  const won = wonBy(fight, cleanName)
  const lost = lostBy(fight, cleanName)
  const seconds = fightSeconds(fight)
  fights.push(fight)
  totals.fights += 1
  totals.wins += Number(won)
  totals.losses += Number(lost)
  totals.draws += Number(!won && !lost)
  totals.koWins += Number(won && isKnockout(fight))
  totals.measured += Number(seconds !== null)
  totals.seconds += seconds ?? 0
}

/** The bots of one tournament, without byes, placeholders and empty clean names. */
const entriesOf = (tournament: Tournament): ReadonlyMap<string, BotEntry> => {
  const entries = new Map<string, OpenEntry>()
  for (const { player } of tournament.players) {
    if (!player.isBot || player.cleanName === '' || entries.has(player.cleanName)) continue
    entries.set(player.cleanName, openEntry(tournament, player))
  }
  for (const fight of tournament.fights) {
    if (!fight.isCompleted) continue
    const red = entries.get(fight.red.player.cleanName)
    const blue = entries.get(fight.blue.player.cleanName)
    if (red) addFight(red, fight)
    if (blue && blue !== red) addFight(blue, fight)
  }
  return entries
}

const byCleanName = (a: { cleanName: string }, b: { cleanName: string }): number =>
  compareTexts(a.cleanName, b.cleanName)

export function* botSteps(tournaments: readonly Tournament[]): Steps<Bots> {
  const entries = new Map<string, BotEntry[]>()
  for (const tournament of tournaments) {
    for (const [cleanName, entry] of entriesOf(tournament)) {
      entries.getOrInsertComputed(cleanName, () => []).push(entry)
    }
    yield
  }
  const bots: Bot[] = []
  for (const cleanName of [...entries.keys()].sort()) {
    const bot = buildBot(cleanName, entries.get(cleanName) ?? [])
    if (bot) bots.push(bot)
    yield
  }
  return bots
}

export const buildBots = (tournaments: readonly Tournament[]): Bots => atOnce(botSteps(tournaments))

/** Index of the bot, or the index where it would be inserted. */
export const positionOf = (bots: Bots, cleanName: string): number =>
  positionAfter(bots, (bot) => bot.cleanName < cleanName)

/** The bot with exactly this clean name. */
export const findBot = (bots: Bots, cleanName: string): Bot | undefined => {
  const bot = bots[positionOf(bots, cleanName)]
  return bot?.cleanName === cleanName ? bot : undefined
}

/**
 * The bots after a change, equal to {@link buildBots} of all tournaments; builds only the bots of the
 * removed and added ones. In the real league that takes 1 ms for a tournament, and 15 ms for all.
 */
export function* updateBots(
  bots: Bots,
  removed: readonly Tournament[],
  added: readonly Tournament[],
): Steps<Bots> {
  const gone = new Set(removed)
  const newEntries: ReadonlyMap<string, BotEntry>[] = []
  for (const tournament of added) {
    newEntries.push(entriesOf(tournament))
    yield
  }
  const names = new Set([
    ...removed.flatMap(({ players }) => players.map(({ player }) => player.cleanName)),
    ...newEntries.flatMap((entries) => [...entries.keys()]),
  ])
  const before: Bot[] = []
  const after: Bot[] = []
  for (const cleanName of names) {
    const known = findBot(bots, cleanName)
    if (known) before.push(known)
    const kept = known?.entries.filter(({ tournament }) => !gone.has(tournament)) ?? []
    const bot = buildBot(cleanName, [
      ...kept,
      ...newEntries.flatMap((entries) => entries.get(cleanName) ?? []),
    ])
    if (bot) after.push(bot)
    yield
  }
  return replaceSorted(bots, before, after, byCleanName)
}
