import type { Columns } from './table.ts'

/** Headings of a corner in spreadsheets and exports of bracket software. */
const cornerWords = [
  ...['player', 'bot', 'robot', 'entrant', 'participant', 'competitor', 'fighter', 'machine'],
] as const

const ifCornerIsMissing =
  "each corner has a column of its own, so split cells such as 'Axe v Blade'"

/** Columns of sheets that name the event and the class instead of a tournament of `tournaments.csv`. */
const eventColumns = {
  event: {
    meaning: 'name of the event in sheets without a tournament: each event and class is one',
    isExport: true,
    aliases: ['event name', 'competition'],
  },
  class: {
    meaning: 'weight class in sheets with an event, as `weight` of tournaments.csv',
    isExport: true,
    aliases: ['weight', 'weight class', 'division'],
  },
} as const satisfies Columns

export const tournamentColumns = {
  tournament: {
    meaning: 'id of the tournament, used in addresses and in the other files',
    isRequired: true,
    example: 'spring-2026-3lb',
    aliases: ['id', 'tournament id'],
  },
  name: { meaning: 'display name; empty: the id', example: 'Spring Bash 2026, 3 lb' },
  weight: {
    meaning:
      'weight class: pounds, `150 g`, `1,5 kg`, `Beetleweight`, `Antweight (UK)`, `Open 5 kg`',
    isRequired: true,
    example: '3',
    aliases: ['weight class', 'lb'],
  },
  start: { meaning: 'when it begins or began', example: '2026-03-14 10:00' },
  end: { meaning: 'when it ended; empty: with its last fight', example: '2026-03-14 18:30' },
  active: { meaning: '`yes` while it is under way', example: 'no' },
  freestyle: { meaning: '`yes` for a freestyle tournament', example: 'no' },
  format: {
    meaning: '`single_elimination` (when empty), `double_elimination`, `round_robin` or `swiss`',
    example: 'single_elimination',
  },
  privacy: { meaning: '`public` (when empty), `unlisted` or `private`', example: 'public' },
} as const satisfies Columns

/** The columns have no example, because users would have to remove unneeded parts of it. */
export const playerColumns = {
  tournament: { meaning: 'id of the tournament; may be missing where there is one' },
  name: {
    meaning: 'display name of the bot',
    isRequired: true,
    aliases: [
      ...cornerWords,
      'display name',
      'participant name',
      'entrant name',
      'gamertag',
      'short gamertag',
    ],
  },
  seed: { meaning: 'seed, from 1', aliases: ['seed num', 'initial seed'] },
  disqualified: { meaning: '`yes` if it was disqualified' },
  place: {
    meaning: 'final place; if one of an event is there, no place follows from its fights',
    aliases: ['placement', 'rank', 'final rank', 'final placement', 'standing'],
  },
  team: { meaning: 'who built the bot' },
  driver: { meaning: 'who drives it' },
  ...eventColumns,
} as const satisfies Columns

export const fightColumns = {
  tournament: {
    meaning: 'id of the tournament; may be missing where there is one',
    example: 'spring-2026-3lb',
  },
  red: {
    meaning:
      'name of the bot in the red corner; `TBD` or `?`: not known yet; `BYE`: blue goes on without a fight',
    isRequired: true,
    ifMissing: ifCornerIsMissing,
    canBeEmpty: true,
    fallback: ['winner'],
    example: 'Sir Spins-a-Lot, the 3rd',
    aliases: [
      ...cornerWords.flatMap((word) => [`${word} 1`, `${word} a`]),
      'player 1 name',
      'red corner',
      'red bot',
    ],
  },
  blue: {
    meaning: 'name of the bot in the blue corner, likewise',
    isRequired: true,
    ifMissing: ifCornerIsMissing,
    canBeEmpty: true,
    fallback: ['loser'],
    example: 'Wedge Wood',
    aliases: [
      ...cornerWords.flatMap((word) => [`${word} 2`, `${word} b`]),
      'player 2 name',
      'blue corner',
      'blue bot',
    ],
    refused: [
      new RegExp(
        `^((${cornerWords.join('|')})[3-9](name)?|(green|yellow|white|black)(corner|bot)?)$`,
      ),
      'is a third corner: write a melee as place in players.csv, or as a fight of each two in bracket EX',
    ],
  },
  winner: {
    meaning: 'a name, or `red`, `blue` or `draw`, also in other languages; empty: not decided',
    example: 'red',
    aliases: ['winner name'],
    near: ['winning', 'winners', 'victor', 'victorious', 'won', 'who won'],
  },
  method: {
    meaning:
      'how it was won: `KO`, `TKO`, `JD`, `TO`, `FF`, `DQ`, or words such as `Tap out`, also in other languages',
    example: 'KO',
    aliases: ['win type', 'result'],
    near: [
      'how',
      'how won',
      'how did it end',
      'how it ended',
      'by',
      'win by',
      'won by',
      'finish',
      'decision',
      'ergebnis',
      'resultado',
      'victory',
    ],
  },
  forfeited: {
    meaning: '`yes` in exports: the method is `FF` if it is empty',
    isExport: true,
    aliases: ['forfeit', 'is forfeit', 'walkover'],
  },
  score: {
    meaning: 'points of red and blue, such as `2-1`; without a winner, more points win',
    aliases: ['scores', 'scores csv'],
  },
  round: {
    meaning:
      'number of the round from 1, or its name, in the order of the file; empty: as in the line before',
    example: 'Final',
    aliases: ['full round text', 'round name'],
  },
  stage: {
    meaning:
      'stage of the tournament, such as `Group A`, `Swiss` and `Finals`, or with its format: `Day 1: swiss`',
    aliases: ['phase', 'phase name'],
    others: ['state'],
  },
  bracket: {
    meaning:
      '`W` (when empty; `RR` of a round robin), `L` or `Losers`, `EX` for exhibitions, or other',
  },
  label: {
    meaning: 'printed name of the fight; empty: its number in the bracket',
    aliases: ['identifier'],
  },
  fight: {
    meaning: 'id of the fight; empty: its bracket and its number there in the file, such as `W-3`',
    aliases: ['game', 'id', 'fight id', 'match id', 'set id'],
  },
  cage: { meaning: 'number or name of the cage', example: '1', aliases: ['station', 'arena'] },
  start: {
    meaning: 'start of the fight; a time alone is the first one after `start` of the tournament',
    example: '2026-03-14 10:05',
    aliases: ['time', 'start time', 'started at', 'underway at'],
  },
  length: {
    meaning: 'seconds fought, or `1:35`',
    example: '1:35',
    aliases: ['duration', 'match length'],
    near: [
      'time s',
      'time sec',
      'time in s',
      'time in seconds',
      'time mm ss',
      'time m ss',
      'zeit s',
      'zeit in s',
      'seconds',
    ],
  },
  scheduled: { meaning: 'planned start of a fight to come', aliases: ['scheduled time'] },
  judges: {
    meaning: 'lines of the judges, separated by a vertical bar or a line break',
  },
  notice: { meaning: 'remark on the fight' },
  video: {
    meaning: 'address of its film as in recordings.csv; of several, separated by spaces',
    aliases: ['film', 'videos', 'video url', 'vod', 'vod url'],
    near: ['link', 'links', 'url', 'youtube', 'stream', 'film link', 'enlace', 'lien', 'watch'],
  },
  ...eventColumns,
} as const satisfies Columns

/** The columns have no example, because users would have to remove it. */
export const recordingColumns = {
  tournament: { meaning: 'id of the tournament; may be empty with cage and start' },
  fight: {
    meaning: 'id of the fight; empty: the one in the cage at that time',
    aliases: ['game', 'game id', 'fight id'],
  },
  cage: { meaning: 'number or name of the cage' },
  start: {
    meaning: 'start of the recording, if wanted to the millisecond',
    aliases: ['time', 'start time'],
  },
  camera: { meaning: 'name of the camera', isRequired: true },
  address: {
    meaning:
      'http(s) address of the video: a file, or a page of YouTube, Vimeo or Twitch with its start, such as `?t=95`',
    isRequired: true,
    aliases: ['url', 'video', 's3path'],
  },
  proxy720: { meaning: 'address of a 720p version' },
  proxy360: { meaning: 'address of a 360p version' },
  proxy72: { meaning: 'address of a 72p version' },
} as const satisfies Columns

/** The columns have no example, because users would have to remove it. */
export const cageColumns = {
  cage: { meaning: 'number of the cage', isRequired: true },
  status: {
    meaning:
      '`active`, `paused`, `assigned` (when empty, with a fight), `completed` or `idle`, or words such as `fighting`',
  },
  fight: {
    meaning: 'the fight in it: its id, or both names as in `Axe v Blade`',
    aliases: ['match', 'now', 'current'],
  },
  next: {
    meaning: 'fights that wait for it, likewise, separated by a vertical bar or a line break',
    aliases: ['queue', 'up next'],
  },
  tournament: { meaning: 'id of the tournament, where several have such a fight' },
} as const satisfies Columns

/** Columns of each file of a folder. */
export const files = {
  'tournaments.csv': tournamentColumns,
  'players.csv': playerColumns,
  'fights.csv': fightColumns,
  'recordings.csv': recordingColumns,
  'cages.csv': cageColumns,
} as const satisfies Readonly<Record<string, Columns>>
