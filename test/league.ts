import { join } from 'node:path'
import type { Archive } from '../src/data/archive/archive.ts'
import type { CageRows, GameRow, PlayerRow, TournamentRows } from '../src/data/source/rows.ts'
import { writeSnapshot } from '../src/data/source/snapshot.ts'
import { once } from '../src/runtime/once.ts'
import { archiveWithCages } from './fixtures.ts'
import { temporaryFolder } from './process.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  playerRow,
  recordingRow,
  stillRow,
  tournamentOf,
} from './rows.ts'

/**
 * A small league for stories: twelve bots from Axe to Łoś. Results of an autumn event were typed from a list and have
 * no times; on Saturday, 14 March 2026 the spring event is under way in two cages. Antweights fought there in the
 * morning.
 */

/** A time of the spring event: `at('16:02:07')`. */
export const at = (time: string): number => Date.parse(`2026-03-14T${time}Z`) / 1000

/** A moment of the spring event: the first semifinal is paused, the second one is called. */
export const leagueNow = at('17:05:09')

const created = Date.parse('2025-10-01T12:00:00Z') / 1000

const bots: Readonly<Record<string, Partial<PlayerRow>>> = {
  axe: { name: 'Axe', team: 'Team Iron', driver: 'Ada' },
  blitz: { name: 'Blitz', team: 'Team Iron', driver: 'Ben' },
  claw: { name: 'Claw', team: 'Paws', driver: 'Cleo' },
  dart: { name: 'Dart' },
  ember: { name: 'Ember' },
  fang: { name: 'Fang', team: 'Paws' },
  grip: { name: 'Grip' },
  hammer: { name: 'Hammer & Tongs' },
  igloo: { name: 'Igloo' },
  jolt: { name: 'Jolt' },
  kraken: { name: 'Kraken 2' },
  los: { name: 'Łoś', driver: 'Łucja' },
  bye: { name: '(Bye)', isBye: true },
}

/** Entries of these bots, seeded in this order. */
const entries = (...ids: readonly string[]): PlayerRow[] =>
  ids.map((id, index) => playerRow({ id, seed: bots[id]?.isBye ? null : index + 1, ...bots[id] }))

type Fight = ReturnType<typeof fightRows>

/** The same fight, each corner fed by another one. */
const fedBy = (
  { games, slots: [red, blue] }: Fight,
  ...sources: readonly [string, string]
): Fight => ({
  games,
  slots: [
    { ...red, prevGameId: sources[0] },
    { ...blue, prevGameId: sources[1] },
  ],
})

/** A fight without any known time. */
const typed = (
  id: string,
  name: string,
  red: string,
  blue: string,
  winner: 0 | 1 | null = 0,
  over: Partial<GameRow> = {},
) =>
  fightRows(
    {
      ...{ id, name, bracketId: id.slice(0, 1), position: Number(id.slice(2)) },
      ...{ cage: null, timerDuration: null },
      ...{ startTime: null, stopTime: null, endTime: null },
      ...over,
    },
    red,
    blue,
    winner,
  )

/** Autumn 2025, an event with only results. */
const autumn = tournamentOf(
  {
    ...{
      id: 'autumn_30lb',
      name: 'Autumn 30lb',
      createTime: created,
      updateTime: created + 86_400,
    },
    allowedWinAnnotations: ['KO', 'JD', 'TO', 'FF'],
  },
  entries(
    'axe',
    'blitz',
    'claw',
    'dart',
    'ember',
    'fang',
    'grip',
    'hammer',
    'igloo',
    'jolt',
    'kraken',
    'los',
  ),
  [
    typed('Q-0', 'Q1-01', 'axe', 'kraken'),
    typed('Q-1', 'Q1-02', 'blitz', 'jolt', 0, { winAnnotation: 'JD', timerDuration: 180 }),
    typed('Q-2', 'Q1-03', 'claw', 'igloo', 1, { winAnnotation: 'TO', timerDuration: 65 }),
    typed('Q-3', 'Q1-04', 'dart', 'hammer', null, { winAnnotation: 'TIE' }),
    typed('Q-4', 'Q1-05', 'ember', 'grip', 1, { winAnnotation: 'FF', timerDuration: 0 }),
    typed('Q-5', 'Q1-06', 'fang', 'los', 1),
    typed('W-0', 'W:1-1', 'axe', 'los', 0, { loserPlacement: 3 }),
    typed('W-1', 'W:1-2', 'blitz', 'igloo', 0, { loserPlacement: 3, winAnnotation: 'JD' }),
    fedBy(
      typed('W-2', 'W:2-1', 'axe', 'blitz', 0, { roundIdx: 1, position: 0, loserPlacement: 2 }),
      'W-0',
      'W-1',
    ),
  ],
  {
    brackets: [
      { id: 'Q', position: 0, name: 'Qualifying', isExhibition: false, formatType: 'swiss' },
      { id: 'W', position: 1, name: 'Winners', isExhibition: false, formatType: null },
    ],
    rounds: [
      { bracketId: 'Q', idx: 0, name: 'Opening', scoreToWin: 1 },
      { bracketId: 'W', idx: 0, name: 'Semifinals', scoreToWin: 1 },
      { bracketId: 'W', idx: 1, name: 'Final', scoreToWin: 1 },
    ],
    stills: [
      stillRow({
        id: 1,
        playerId: 'axe',
        isHero: true,
        isCurated: true,
        takenTime: created + 3600,
      }),
    ],
    stillTags: [{ stillId: 1, tag: 'Hero-Bot' }],
  },
)

/** Round, place, label and cage of a game of the spring bracket. */
const place = (id: number, roundIdx: number, position: number, cage: string | null) => ({
  ...{ id: `W-${id}`, roundIdx, position, name: `W:${roundIdx + 1}-${position + 1}`, cage },
})

/** Start, end and seconds on the clock of a fight. */
const fought = (start: string, timerDuration: number, scheduled: string) => ({
  ...{ scheduledTime: at(scheduled), availableSince: at('15:45:00'), calledSince: at(start) - 240 },
  ...{ startTime: at(start), stopTime: at(start) + timerDuration, timerDuration },
  endTime: at(start) + timerDuration + 40,
})

/** Three cameras that follow a fight, one of them without small copies. */
const films = (firstId: number, gameId: string, cage: number, start: string) =>
  ['Overhead-High', 'Red-Corner', 'Blue-Corner'].map((view, index) =>
    recordingRow({
      ...{ id: firstId + index, gameId, cage: `Cage ${cage}`, camera: `Cage-${cage}-${view}` },
      ...{ startMs: at(start) * 1000 - 60_250 + 500 * index, proxy72Url: index < 2 ? true : null },
    }),
  )

/** The event under way. */
const spring = tournamentOf(
  {
    ...{ id: 'spring_30lb', name: 'Spring 30lb', active: true, updateTime: at('17:04:00') },
    ...{
      createTime: at('09:00:00'),
      scheduledStartTime: at('16:00:00'),
      startTime: at('16:02:07'),
    },
    ...{ weightClassName: 'Featherweight', weightGrams: 13_608 },
  },
  entries('axe', 'blitz', 'claw', 'dart', 'ember', 'fang', 'los', 'kraken', 'bye'),
  [
    fightRows(
      {
        id: 'EX-0',
        bracketId: 'EX',
        name: 'EX1-01',
        cage: 'Cage 3',
        ...fought('09:50:00', 100, '09:45:00'),
      },
      'claw',
      'kraken',
      1,
    ),
    fightRows(
      {
        ...place(0, 0, 0, null),
        winAnnotation: 'FF',
        startTime: null,
        stopTime: null,
        endTime: null,
      },
      'axe',
      'bye',
    ),
    fightRows(
      { ...place(1, 0, 1, 'Cage 1'), ...fought('16:02:07', 65, '16:00:00'), loserPlacement: 5 },
      'blitz',
      'claw',
    ),
    fightRows(
      {
        ...place(2, 0, 2, 'Cage 2'),
        ...fought('16:19:30', 180, '16:10:00'),
        winAnnotation: 'JD',
        loserPlacement: 5,
      },
      'dart',
      'ember',
      1,
    ),
    fightRows(
      {
        ...place(3, 0, 3, 'Cage 1'),
        ...fought('16:09:01', 9, '16:05:00'),
        winAnnotation: 'TO',
        loserPlacement: 5,
      },
      'fang',
      'los',
      1,
    ),
    fedBy(
      openFight(
        {
          ...place(4, 1, 0, 'Cage 1'),
          ...{ state: 'active', scheduledTime: at('16:50:00'), availableSince: at('16:25:00') },
          ...{ calledSince: at('16:52:00'), startTime: at('17:03:20'), loserPlacement: 3 },
        },
        'axe',
        'blitz',
      ),
      'W-0',
      'W-1',
    ),
    fedBy(
      openFight(
        {
          ...place(5, 1, 1, null),
          ...{ state: 'called', scheduledTime: at('16:45:00'), availableSince: at('16:25:00') },
          ...{ calledSince: at('17:01:00'), loserPlacement: 3, notice: 'Bring a spare battery' },
        },
        'ember',
        'los',
      ),
      'W-2',
      'W-3',
    ),
    fedBy(
      openFight(
        {
          ...place(6, 2, 0, null),
          state: 'unavailable',
          scheduledTime: at('17:30:00'),
          loserPlacement: 2,
        },
        null,
        null,
      ),
      'W-4',
      'W-5',
    ),
  ],
  {
    brackets: [
      { id: 'EX', position: 0, name: 'Exhibition', isExhibition: true, formatType: null },
      { id: 'W', position: 1, name: 'Winners', isExhibition: false, formatType: null },
    ],
    rounds: [
      { bracketId: 'EX', idx: 0, name: 'Warm-up', scoreToWin: 1 },
      ...['Quarterfinals', 'Semifinals', 'Final'].map((name, idx) => ({
        ...{ bracketId: 'W', idx, name, scoreToWin: 1 },
      })),
    ],
    pauses: [
      { gameId: 'W-2', idx: 0, startTime: at('16:20:00'), stopTime: at('16:20:45') },
      { gameId: 'W-2', idx: 1, startTime: at('16:21:09'), stopTime: at('16:21:15') },
      { gameId: 'W-4', idx: 0, startTime: at('17:04:00'), stopTime: null },
    ],
    judgeLines: [
      { gameId: 'W-2', idx: 0, line: 'Judge 1: Damage 2-3, Control 1-2, Aggression 1-2' },
      { gameId: 'W-2', idx: 1, line: 'Judge 2: Damage 3-2, Control 2-1, Aggression 2-1' },
      { gameId: 'W-2', idx: 2, line: 'Judge 3: Damage 1-4, Control 0-3, Aggression 2-1' },
    ],
    recordings: [
      ...films(1, 'W-1', 1, '16:02:07'),
      ...films(4, 'W-2', 2, '16:19:30'),
      ...films(7, 'W-4', 1, '17:03:20').slice(0, 1),
    ],
    clips: [
      clipRow({
        token: 'claw-flies',
        gameId: 'W-1',
        name: 'Claw flies',
        createdTime: at('16:30:00'),
      }),
      clipRow({
        ...{ token: 'close-call', gameId: 'W-2', name: 'A <close> call', isCurated: true },
        ...{ createdTime: at('16:45:00'), durationMs: 8000, views: 91, likes: 0 },
      }),
      clipRow({
        token: 'not-yet',
        gameId: 'W-1',
        state: 'processing',
        createdTime: at('16:46:00'),
      }),
    ],
    stills: [
      stillRow({
        id: 2,
        playerId: 'blitz',
        isHero: true,
        isCurated: true,
        takenTime: at('15:30:00'),
      }),
      stillRow({ id: 3, playerId: 'los', source: 'Photo-Booth', takenTime: at('15:40:00') }),
      stillRow({ id: 4, width: null, height: null, isCurated: true, takenTime: at('16:21:00') }),
    ],
    stillTags: [
      { stillId: 2, tag: 'Hero-Bot' },
      { stillId: 3, tag: 'Łoś' },
      { stillId: 4, tag: 'Crowd' },
      { stillId: 4, tag: 'Łoś' },
    ],
  },
)

/** The event after Axe has won the semifinal by knockout, at 17:06:30. */
export const semifinalWon: TournamentRows = {
  ...spring,
  games: spring.games.map((game) =>
    game.id === 'W-4'
      ? {
          ...{ ...game, state: 'done', winAnnotation: 'KO', timerDuration: 75 },
          ...{ stopTime: at('17:06:20'), endTime: at('17:06:30') },
        }
      : game,
  ),
  slots: spring.slots.map((slot) => {
    if (slot.gameId === 'W-6' && slot.idx === 0) return { ...slot, playerId: 'axe' }
    if (slot.gameId !== 'W-4') return slot
    const isWinner = slot.playerId === 'axe'
    return { ...slot, score: isWinner ? 1 : 0, state: isWinner ? 'winner' : 'loser' }
  }),
  pauses: spring.pauses.map((pause) => ({ ...pause, stopTime: pause.stopTime ?? at('17:05:30') })),
}

/** A round robin of three antweights, finished on the morning of the spring event. */
const ants = tournamentOf(
  {
    ...{ id: 'spring_150g', name: 'Spring Antweight', formatType: 'round_robin', weightClass: 0 },
    ...{ weightClassName: 'Antweight', weightGrams: 150, createTime: at('08:00:00') },
    ...{ updateTime: at('12:00:00'), scheduledStartTime: at('10:00:00') },
  },
  entries('grip', 'jolt', 'kraken'),
  [
    fightRows(
      { ...place(0, 0, 0, 'Cage 3'), ...fought('10:00:05', 71, '10:00:00') },
      'grip',
      'jolt',
    ),
    fightRows(
      { ...place(1, 0, 1, 'Cage 3'), ...fought('10:07:09', 120, '10:05:00'), winAnnotation: 'JD' },
      'jolt',
      'kraken',
      1,
    ),
    fightRows(
      { ...place(2, 0, 2, 'Cage 3'), ...fought('10:14:30', 33, '10:10:00') },
      'kraken',
      'grip',
    ),
  ],
  { rounds: [{ bracketId: 'W', idx: 0, name: 'Round robin', scoreToWin: 1 }] },
)

/** A practice run, which is not public. */
const practice = tournamentOf(
  { id: 'practice', name: 'Secret practice', privacy: 'private', createTime: created },
  [...entries('axe'), playerRow({ id: 'secret', name: 'Secret' })],
  [
    fightRows(
      { cage: 'Cage 9', startTime: at('09:00:00'), stopTime: at('09:01:00') },
      'axe',
      'secret',
    ),
  ],
  { recordings: [recordingRow({ id: 99 })], clips: [clipRow({ token: 'secret' })] },
)

const leagueCages: CageRows = {
  cages: [
    cageRow({
      ...{ number: 1, status: 'paused', tournamentId: 'spring_30lb', gameId: 'W-4' },
      ...{ pausedSince: at('17:04:00'), updateTime: at('17:04:00') },
    }),
    cageRow({
      ...{ number: 2, status: 'completed', tournamentId: 'spring_30lb', gameId: 'W-2' },
      updateTime: at('16:23:40'),
    }),
    cageRow({ number: 3, updateTime: at('10:15:40') }),
  ],
  cageQueue: [{ cage: 2, position: 0, tournamentId: 'spring_30lb', gameId: 'W-5' }],
}

/** All rows of the league, as a source delivers them. */
export const league: { readonly tournaments: readonly TournamentRows[] } & CageRows = {
  tournaments: [autumn, practice, ants, spring],
  ...leagueCages,
}

/** The archive of the league at the moment after the semifinal. */
export const archiveAfterSemifinal = once(
  (): Archive => archiveWithCages(leagueCages, autumn, ants, semifinalWon),
)
export const leagueArchive = once(
  (): Archive => archiveWithCages(leagueCages, ...league.tournaments),
)

/** A snapshot file of the league. */
export const leagueSnapshot = once(async () => {
  const path = join(await temporaryFolder(), 'league.cageside')
  await writeSnapshot(path, { capturedAt: leagueNow, ...league })
  return path
})
