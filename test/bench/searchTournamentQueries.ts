import type { Random } from '../../scripts/league/random.ts'
import type { TournamentInfo } from '../../src/league/types.ts'
import type { Kind } from './searchQuery.ts'

const monthNames =
  'january february march april may june july august september october november december'.split(' ')
const classNames = new Map([
  [3, 'beetleweight'],
  [12, 'hobbyweight'],
  [30, 'featherweight'],
])

interface TournamentText {
  readonly text: string
  /** Whether a tournament is expected. */
  readonly isWanted: (info: TournamentInfo) => boolean
}

type MakeText = (info: TournamentInfo, month: string, year: string) => TournamentText | null

const tournamentTexts: readonly (readonly [string, MakeText])[] = [
  ['name', ({ name }) => ({ text: name, isWanted: (other) => other.name === name })],
  ['id', ({ id }) => ({ text: id, isWanted: (other) => other.id === id })],
  ...(['3 lb', '3lb', '3 lbs', '3 pounds'] as const).map(
    (spelling): readonly [string, MakeText] => [
      `class as ${spelling}`,
      ({ weightClassPounds }) => ({
        text: spelling.replace('3', String(weightClassPounds)),
        isWanted: (other) => other.weightClassPounds === weightClassPounds,
      }),
    ],
  ),
  [
    'class by name',
    ({ weightClassPounds }) => {
      const text = classNames.get(weightClassPounds)
      const isWanted = (other: TournamentInfo) => other.weightClassPounds === weightClassPounds
      return text === undefined ? null : { text, isWanted }
    },
  ],
  ['month', (_, month) => ({ text: month, isWanted: isIn(month) })],
  [
    'month and year',
    (_, month, year) => ({ text: `${month} 20${year}`, isWanted: isIn(month, year) }),
  ],
  ['march 26', (_, month, year) => ({ text: `${month} ${year}`, isWanted: isIn(month, year) })],
  [
    'mar 26',
    (_, month, year) => ({ text: `${month.slice(0, 3)} ${year}`, isWanted: isIn(month, year) }),
  ],
  [
    'mar26',
    (_, month, year) => ({ text: `${month.slice(0, 3)}${year}`, isWanted: isIn(month, year) }),
  ],
  [
    'march 26 3lb',
    ({ weightClassPounds }, month, year) => ({
      text: `${month} ${year} ${weightClassPounds}lb`,
      isWanted: (other) =>
        isIn(month, year)(other) && other.weightClassPounds === weightClassPounds,
    }),
  ],
]

const dateOf = ({ startUnix, scheduledStartUnix, createUnix }: TournamentInfo): Date =>
  new Date(1000 * (startUnix ?? scheduledStartUnix ?? createUnix))
const monthOf = (info: TournamentInfo): string => monthNames[dateOf(info).getUTCMonth()] ?? ''
const yearOf = (info: TournamentInfo): string => String(dateOf(info).getUTCFullYear()).slice(2)
const isIn = (month: string, year?: string) => (info: TournamentInfo) =>
  monthOf(info) === month && (year === undefined || yearOf(info) === year)

/** At most `count` queries of each kind, about tournaments drawn by chance. */
export const drawTournamentQueries = (
  tournaments: readonly { readonly info: TournamentInfo }[],
  random: Random,
  count: number,
): readonly Kind[] => {
  const named = tournaments.filter(({ info }) => info.name.toLowerCase().includes(monthOf(info)))
  return tournamentTexts.map(([name, makeText]) => ({
    name,
    isGibberish: false,
    queries: random
      .shuffle(named)
      .slice(0, count)
      .flatMap(({ info }) => {
        const made = makeText(info, monthOf(info), yearOf(info))
        if (!made) return []
        const wanted = tournaments.flatMap((other) =>
          made.isWanted(other.info) ? [other.info.id] : [],
        )
        return [{ text: made.text, wanted, needsAll: false, source: info.name }]
      }),
  }))
}
