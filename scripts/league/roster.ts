import { cleanName } from '../../src/dataset/cleanName.ts'
import { cast, createNames, type NameSource, teamName } from './names.ts'
import type { EventPlan, TournamentPlan } from './plan.ts'
import { createRandom, type Random } from './random.ts'

/** A bot as its builders know it; spectators see only the name and the results. */
export interface Bot {
  readonly name: string
  /** The name it had before the event `renamedAt`. */
  readonly formerName: string | null
  readonly renamedAt: number
  readonly weightClass: 30 | 12 | 3
  readonly team: string
  /** Around 0; a difference of 1 is three wins to one. */
  readonly skill: number
  /** How it wins when it wins before the bell. */
  readonly style: 'striker' | 'gripper' | 'wrecker'
  /** Likely to enter again: 0 to 1. */
  readonly loyalty: number
}

export const botNameAt = (bot: Bot, eventIndex: number): string =>
  bot.formerName !== null && eventIndex < bot.renamedAt ? bot.formerName : bot.name

/** Who is in each tournament of an event, in the order of the plan. */
export interface EventRoster {
  readonly event: EventPlan
  readonly entries: readonly (readonly Bot[])[]
}

/** A bot that may come again, and at how many more events. */
interface Career {
  readonly bot: Bot
  eventsLeft: number
}

const identity = (name: string): string => cleanName(name) || name

const buildBot = (
  weightClass: 30 | 12 | 3,
  name: string,
  random: Random,
  formerName: string | null = null,
  renamedAt = 0,
): Bot => ({
  name,
  formerName,
  renamedAt,
  weightClass,
  team: teamName(random),
  skill: random.bell() * 1.2,
  style: random.pick(['striker', 'gripper', 'wrecker'] as const),
  loyalty: random.pick([0.15, 0.15, 0.3, 0.3, 0.3, 0.6, 1]),
})

/** Events after the first: two in five bots have one at most, one in eight stays for years. */
const careerLength = (random: Random): number =>
  [random.pick([0, 0, 1]), random.int(2, 6), random.int(7, 16), random.int(22, 34)][
    random.weighted([41, 28, 18, 13])
  ] ?? 0

const buildNewcomer = (
  weightClass: 30 | 12 | 3,
  isLate: boolean,
  eventIndex: number,
  names: NameSource,
  isFree: (name: string) => boolean,
  random: Random,
): Bot => {
  const odd = isLate && random.chance(0.35) ? names.odd(isFree) : undefined
  const name = odd ?? names.next(random)
  const isRenamed = odd === undefined && name.includes(' ') && random.chance(0.015)
  return isRenamed
    ? buildBot(weightClass, name, random, name.replace(' ', '-'), eventIndex + random.int(1, 4))
    : buildBot(weightClass, name, random)
}

/** Bots of the league's regulars, and the events of the last years at which they are. */
const castMembers = (lastEvent: number, random: Random) =>
  cast.map((member, position) => ({
    bot: buildBot(
      member.weightClass,
      member.name,
      random,
      'formerName' in member ? member.formerName : null,
      lastEvent - 1,
    ),
    isAt: (eventIndex: number) =>
      eventIndex > lastEvent - 40 &&
      // The namesakes take turns: one name cannot be in two fights at a time.
      (position < 4 || eventIndex % 2 === position % 2),
  }))

/**
 * Draws the fields of one event after the other. Bots come back until their career is over, and
 * newcomers arrive at the pace that makes `botCount` of them in the whole league.
 */
export function* drawRosters(
  events: readonly EventPlan[],
  botCount: number,
  seed: number,
): Generator<EventRoster> {
  const random = createRandom(seed)
  const names = createNames()
  const lastEvent = events.length - 2
  const members = castMembers(lastEvent, random)
  const pools: Readonly<Record<30 | 12 | 3, Career[]>> = { 30: [], 12: [], 3: [] }
  let botsLeft = botCount - members.length
  let entriesLeft = events
    .flatMap(({ tournaments }) => tournaments)
    .reduce((sum, { fieldSize, isHidden }) => sum + (isHidden ? 0 : fieldSize), 0)
  let hiddenBots = 0

  for (const event of events) {
    const present = new Set<string>()
    // Two spellings of one name are one bot, which cannot be at an event twice.
    const isFree = (name: string) => !present.has(identity(name))
    const enter = (field: Bot[], bot: Bot) => {
      present.add(identity(bot.name))
      field.push(bot)
    }

    const drawReturning = (field: Bot[], pool: Career[], wanted: number) => {
      let found = 0
      for (let tries = wanted * 30; tries > 0 && found < wanted && pool.length > 0; tries--) {
        const index = random.int(0, pool.length - 1)
        const career = pool[index]
        if (!career || !isFree(career.bot.name) || !random.chance(career.bot.loyalty)) continue
        enter(field, career.bot)
        found++
        career.eventsLeft--
        const last = pool.at(-1)
        if (career.eventsLeft <= 0 && last) {
          pool[index] = last
          pool.pop()
        }
      }
    }

    const drawField = (plan: TournamentPlan): readonly Bot[] => {
      const { weightClass, fieldSize, isHidden, isFreestyle } = plan
      const field: Bot[] = []
      const pool = pools[weightClass]
      if (isHidden) {
        for (let number = 0; number < 3; number++) {
          enter(field, buildBot(weightClass, `Zzhidden Prototype ${++hiddenBots}`, random))
        }
        drawReturning(field, pool, fieldSize - field.length)
        while (field.length < fieldSize) {
          enter(field, buildBot(weightClass, `Zzhidden Prototype ${++hiddenBots}`, random))
        }
        return field
      }
      if (!isFreestyle) {
        for (const { bot, isAt } of members) {
          if (bot.weightClass === weightClass && isAt(event.index) && isFree(bot.name))
            enter(field, bot)
        }
      }
      const newcomers = Math.round((fieldSize * Math.max(0, botsLeft)) / Math.max(1, entriesLeft))
      const returning = Math.max(0, fieldSize - field.length - newcomers)
      const guests = random.chance(0.3) ? 1 : 0
      drawReturning(field, pools[weightClass === 12 ? 30 : 12], Math.min(guests, returning))
      drawReturning(field, pool, fieldSize - newcomers - field.length)
      while (field.length < fieldSize) {
        const isLate = event.index > lastEvent - 6
        const bot = buildNewcomer(weightClass, isLate, event.index, names, isFree, random)
        enter(field, bot)
        botsLeft--
        const eventsLeft = careerLength(random)
        if (eventsLeft > 0) pool.push({ bot, eventsLeft })
      }
      entriesLeft -= fieldSize
      return random.shuffle(field)
    }

    yield { event, entries: event.tournaments.map(drawField) }
  }
}
