import { hiddenMarker } from './names.ts'
import type { Random } from './random.ts'

/** Size of a league: the committed sample, or a multiple of a real league. */
export type Scale = 'sample' | number
const maxScale = 100
export const scaleNames = `sample or a whole number from 1 to ${maxScale}`

/** Reads a scale; undefined for a text that is none of {@link scaleNames}. */
export const parseScale = (text: string): Scale | undefined => {
  if (text === 'sample') return text
  const leagues = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  return leagues <= maxScale ? leagues : undefined
}

/** The league ends here: Saturday 2026-03-14, 20:30 UTC, in Unix seconds. */
export const capturedAt = Date.UTC(2026, 2, 14, 20, 30) / 1000

/** Smallest, median and largest number of entrants. */
interface Field {
  readonly min: number
  readonly median: number
  readonly max: number
}

const sample = {
  tournaments: 24,
  /** Each with a 30 lb, a 12 lb and a 3 lb tournament, some with a fourth one. */
  events: 6,
  bots: 400,
  /** Number of fourth tournaments that are private, unlisted or a test; the others are freestyle. */
  hidden: 3,
  roundRobins: 1,
  /** Days between events; null is every second Saturday of a month. */
  gapDays: null,
  small: { min: 36, median: 94, max: 150 },
  freestyle: { min: 16, median: 24, max: 32 },
  /** Weights of 13, 12, 11, 3 and no cameras at a fight. */
  cameras: [40, 28, 14, 9, 9],
}

/** Most entrants of more than ten leagues have entered before. */
const botsOf = (leagues: number): number =>
  1800 * Math.min(leagues, 10) + 800 * Math.max(leagues - 10, 0)

export const proportionsOf = (scale: Scale) =>
  scale === 'sample'
    ? sample
    : {
        small: { min: 8, median: 112, max: 194 },
        freestyle: { min: 8, median: 84, max: 190 },
        cameras: [70, 20, 6, 2, 2],
        tournaments: 133 * scale,
        events: 37 * scale,
        bots: botsOf(scale),
        hidden: 7 * scale,
        roundRobins: 2 * scale,
        // More events than months in twenty years are closer together.
        gapDays: scale < 7 ? null : scale <= 10 ? 7 : 2,
      }

const heavy: Field = { min: 10, median: 16, max: 37 }
const middle: Field = { min: 12, median: 28, max: 40 }

export interface EventPlan {
  readonly index: number
  readonly phase: 'past' | 'underWay' | 'upcoming'
  readonly startTime: number
  /** Qualifying on the first day, brackets on the second. */
  readonly isTwoDays: boolean
  /** Extra cages for 3 lb fights. */
  readonly extraCages: readonly number[]
  readonly tournaments: readonly TournamentPlan[]
}

const day = 86_400
const opening = 15 * 3600

const secondSaturday = (monthsFromCapture: number): number => {
  const first = Date.UTC(2026, 2 + monthsFromCapture, 1)
  const weekday = new Date(first).getUTCDay()
  return first / 1000 + (7 + ((6 - weekday + 7) % 7)) * day
}

/** Midnight before the event `distance` events after the one under way. */
const eventDay = (distance: number, gapDays: number | null): number =>
  gapDays === null ? secondSaturday(distance) : secondSaturday(0) + distance * gapDays * day

/** Quantile function of the field sizes: linear through minimum, median and maximum. */
const quantile = ({ min, median, max }: Field, share: number): number =>
  Math.round(
    share < 0.5 ? min + (median - min) * 2 * share : median + (max - median) * (2 * share - 1),
  )

/** A field size per event, spread over the whole range; a medium one for the last. */
const spread = (field: Field, events: number, random: Random): readonly number[] => {
  const shares = Array.from({ length: events - 1 }, (_, index) => (index + 0.5) / (events - 1))
  return [...random.shuffle(shares), 0.55].map((share) => quantile(field, share))
}

interface Entry {
  readonly weightClass: 30 | 12 | 3
  readonly isFreestyle: boolean
  readonly fieldSize: number
  readonly hidden: 'private' | 'unlisted' | 'test' | null
  readonly isRoundRobin: boolean
}

/** Made once, because one per date takes 80 µs. */
const months = (month: 'short' | 'long') =>
  new Intl.DateTimeFormat('en-US', { month, timeZone: 'UTC' })
const [shortMonth, longMonth] = [months('short'), months('long')]

const createIds = (random: Random, hasDays: boolean) => {
  const taken = new Set<string>()
  return (start: number, label: string, hidden: string | null): string => {
    const date = new Date(start * 1000)
    const iso = date.toISOString()
    const month = shortMonth.format(date).toLowerCase()
    const stamp = `${hasDays ? iso.slice(8, 10) : ''}${month}${iso.slice(2, 4)}`
    const marker = hidden === null ? '' : `${hiddenMarker}_${hidden}_`
    const shapes = [
      `cg_${marker}${stamp}_${label}`,
      `cg_${marker}${stamp}_${label}_`,
      `${marker}${random.hex(16)}`,
      `cageside-${marker}${iso.slice(0, hasDays ? 10 : 7)}-${label.replace('_', '-')}`,
    ]
    const wanted = shapes[random.weighted([55, 12, 20, 13])] ?? ''
    const id = taken.has(wanted) ? `${marker}${random.hex(16)}` : wanted
    taken.add(id)
    return id
  }
}

/** A tournament without entrants. */
const planTournament = (
  entry: Entry,
  phase: EventPlan['phase'],
  start: number,
  hasDays: boolean,
  id: ReturnType<typeof createIds>,
  random: Random,
) => {
  const { weightClass, isFreestyle, fieldSize, hidden, isRoundRobin } = entry
  const date = new Date(start * 1000)
  const when = `${hasDays ? `${date.getUTCDate()} ` : ''}${longMonth.format(date)} ${date.getUTCFullYear()}`
  const isBusy = phase !== 'past'
  const hasQualifying =
    isBusy || (!isRoundRobin && fieldSize >= 12 && random.chance(weightClass === 30 ? 0.7 : 0.94))
  const isDouble = !isBusy && random.chance(hasQualifying ? 0.12 : 0.6)
  return {
    id: id(start, `${weightClass}lb${isFreestyle ? '_freestyle' : ''}`, hidden),
    name: `Cageside ${when} ${weightClass}lb${isFreestyle ? ' Freestyle' : ''}${hidden ? ` Zzhidden ${hidden}` : ''}`,
    weightClass,
    isFreestyle,
    privacy: hidden === 'private' || hidden === 'unlisted' ? hidden : 'public',
    isTest: hidden === 'test',
    /** True if it is private, unlisted or a test. */
    isHidden: hidden !== null,
    fieldSize,
    formatType: isRoundRobin
      ? 'round_robin'
      : isDouble
        ? 'double_elimination'
        : 'single_elimination',
    hasQualifying,
    hasThirdPlace: random.chance(0.2),
    finalScoreToWin: random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 3]),
    /** Seconds after the start of the event at which its first fights may be called. */
    opensAfter: random.int(0, 8) * 300,
  } as const
}
export type TournamentPlan = ReturnType<typeof planTournament>

/** One of six past events has a cage 3, and one has the cages 7 and 8. */
const extraCages: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [3]],
  [3, [7, 8]],
])

/** Every event of the league, oldest first; the last is upcoming, the one before it under way. */
export const planEvents = (scale: Scale, random: Random): readonly EventPlan[] => {
  const { tournaments, events, hidden, roundRobins, gapDays, small, freestyle } =
    proportionsOf(scale)
  const hasDays = gapDays !== null
  const fields = {
    heavy: spread(heavy, events, random),
    middle: spread(middle, events, random),
    small: spread(small, events, random),
  }
  const extras = tournaments - 1 - 3 * events
  const past = Array.from({ length: events - 1 }, (_, index) => index)
  const hosts = random.shuffle(past).slice(0, extras - 1)
  const fourth = new Map<number, Entry>()
  const extraFields = spread(freestyle, extras, random)
  for (const [position, host] of [...hosts, events - 1].entries()) {
    const isHidden = position < hidden
    const isRoundRobin = !isHidden && position < hidden + roundRobins
    const kinds = ['private', 'unlisted', 'test'] as const
    fourth.set(host, {
      weightClass: 3,
      isFreestyle: true,
      fieldSize: isHidden
        ? random.int(10, 18)
        : isRoundRobin
          ? random.int(6, 9)
          : (extraFields[position] ?? freestyle.median),
      hidden: isHidden ? (kinds[position % kinds.length] ?? 'private') : null,
      isRoundRobin,
    })
  }
  const ids = createIds(random, hasDays)
  const usual = { isFreestyle: false, hidden: null, isRoundRobin: false }
  return Array.from({ length: events + 1 }, (_, index): EventPlan => {
    const distance = index - (events - 1)
    const phase = distance < 0 ? 'past' : distance === 0 ? 'underWay' : 'upcoming'
    const date = eventDay(distance, gapDays)
    const isTwoDays = phase === 'past' && (fields.small[index] ?? 0) > 100 && random.chance(0.4)
    const extra = fourth.get(index)
    const entries: readonly Entry[] =
      phase === 'upcoming'
        ? [{ ...usual, weightClass: 12, fieldSize: 24 }]
        : [
            { ...usual, weightClass: 30, fieldSize: fields.heavy[index] ?? heavy.median },
            { ...usual, weightClass: 12, fieldSize: fields.middle[index] ?? middle.median },
            { ...usual, weightClass: 3, fieldSize: fields.small[index] ?? small.median },
            ...(extra ? [extra] : []),
          ]
    return {
      index,
      phase,
      startTime: date + opening - (isTwoDays ? day : 0),
      isTwoDays,
      extraCages: phase === 'past' ? (extraCages.get(index % 6) ?? []) : [7],
      tournaments: entries.map((entry) => planTournament(entry, phase, date, hasDays, ids, random)),
    }
  })
}
