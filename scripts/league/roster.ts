import { cleanName } from '../../src/data/league/cleanName.ts'
import { cast, createNames, type NameSource, teamName } from './names.ts'
import type { EventPlan, TournamentPlan } from './plan.ts'
import { createRandom, type Random } from './random.ts'

export const botNameAt = (bot: Bot, eventIndex: number): string =>
  bot.formerName !== null && eventIndex < bot.renamedAt ? bot.formerName : bot.name

/** Entrants of each tournament of an event, in the order of the plan. */
export interface EventRoster {
  readonly event: EventPlan
  readonly entries: readonly (readonly Bot[])[]
}

const identity = (name: string): string => cleanName(name) || name

/** A simulated bot with its hidden properties. */
const buildBot = (
  weightClass: 30 | 12 | 3,
  name: string,
  eventIndex: number,
  random: Random,
  formerName: string | null = null,
  renamedAt = 0,
) => {
  const keenness = Math.max(0.02, random.next() ** 2)
  return {
    name,
    /** The name it had before the event `renamedAt`. */
    formerName,
    renamedAt,
    weightClass,
    team: teamName(random),
    /** Around 0; a difference of 1 is three wins to one. Frequent entrants improve. */
    skill: random.bell() + 1.5 * (keenness - 1 / 3),
    /** Probability of entering when invited: small for most, near 1 for few. */
    keenness,
    /** Win method if it wins before the bell. */
    style: random.pick(['striker', 'gripper', 'wrecker'] as const),
    /** The last event that it may enter. */
    retiresAfter: eventIndex + random.int(8, 80),
  }
}
export type Bot = Readonly<ReturnType<typeof buildBot>>

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
    ? buildBot(
        weightClass,
        name,
        eventIndex,
        random,
        name.replace(' ', '-'),
        eventIndex + random.int(1, 4),
      )
    : buildBot(weightClass, name, eventIndex, random)
}

/** Bots of the permanent cast and the recent events that they enter. */
const castMembers = (lastEvent: number, random: Random) =>
  cast.map((member, position) => ({
    bot: buildBot(
      member.weightClass,
      member.name,
      lastEvent + 1,
      random,
      'formerName' in member ? member.formerName : null,
      lastEvent - 1,
    ),
    isAt: (eventIndex: number) =>
      eventIndex > lastEvent - 40 &&
      // Bots with the same name alternate: one name cannot be in two fights at a time.
      (position < 4 || eventIndex % 2 === position % 2),
  }))

/**
 * Draws the entrants of successive events. Returning bots are drawn from all former entries, in
 * proportion to their number (Simon's process), so entries by rank follow Zipf's law. New bots
 * arrive at a rate that gives `botCount` in total.
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
  const regulars = new Set(members.map(({ bot }) => bot))
  /** The bot of each former entry, until it retires. */
  const pools: Record<30 | 12 | 3, Bot[]> = { 30: [], 12: [], 3: [] }
  let botsLeft = botCount - members.length
  let entriesLeft = events
    .flatMap(({ tournaments }) => tournaments)
    .reduce((sum, { fieldSize, isHidden }) => sum + (isHidden ? 0 : fieldSize), 0)
  let hiddenBots = 0

  for (const event of events) {
    for (const weightClass of [30, 12, 3] as const) {
      pools[weightClass] = pools[weightClass].filter((bot) => bot.retiresAfter >= event.index)
    }
    const present = new Set<string>()
    // Two spellings of a clean name are one bot, which enters an event once.
    const isFree = (name: string) => !present.has(identity(name))
    const enter = (field: Bot[], bot: Bot) => {
      present.add(identity(bot.name))
      field.push(bot)
    }

    const drawReturning = (field: Bot[], pool: readonly Bot[], wanted: number) => {
      let found = 0
      for (let tries = wanted * 30; tries > 0 && found < wanted && pool.length > 0; tries--) {
        const bot = random.pick(pool)
        if (!isFree(bot.name) || !random.chance(bot.keenness)) continue
        enter(field, bot)
        found++
      }
    }

    const buildPrototype = (weightClass: 30 | 12 | 3) =>
      buildBot(weightClass, `Zzhidden Prototype ${++hiddenBots}`, event.index, random)

    const drawField = (plan: TournamentPlan): readonly Bot[] => {
      const { weightClass, fieldSize, isHidden, isFreestyle } = plan
      const field: Bot[] = []
      const pool = pools[weightClass]
      if (isHidden) {
        for (let number = 0; number < 3; number++) {
          enter(field, buildPrototype(weightClass))
        }
        drawReturning(field, pool, fieldSize - field.length)
        while (field.length < fieldSize) {
          enter(field, buildPrototype(weightClass))
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
      }
      entriesLeft -= fieldSize
      for (const bot of field) if (!regulars.has(bot)) pools[bot.weightClass].push(bot)
      return random.shuffle(field)
    }

    yield { event, entries: event.tournaments.map(drawField) }
  }
}
