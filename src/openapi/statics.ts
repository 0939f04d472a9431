/**
 * Static examples of live, usage, health and search responses, so that the document depends on the
 * data only. All names are invented.
 */

const cage = (cageNumber: number) => ({
  cage: `Cage ${cageNumber}`,
  cageNumber,
  status: 'idle',
  match: null,
  player1: null,
  player2: null,
  startTime: 0,
  stopTime: 0,
  matchTime: 0,
  pausedSince: 0,
  queue: [],
  updatedTime: 1_773_519_900,
})

const busyCage = {
  ...cage(5),
  status: 'active',
  match: {
    tournamentID: '178ab73621cc8f62',
    id: 'EX-e42aaa9634628032',
    gameID: 'EX-e42aaa9634628032',
    player1: 'Electric Bagel',
    player1clean: 'electricbagel',
    player2: 'Ferret-860',
    player2clean: 'ferret860',
    name: 'Q1-40',
    round: -1,
    cage: 'Cage 5',
    player1wins: 0,
    player2wins: 0,
    winAnnotation: '',
    startTime: 1_773_520_088,
    stopTime: 0,
    matchLength: 0,
    cams: 0,
    endTime: 0,
    weightClass: 3,
    tournamentName: 'Cageside March 2026 3lb',
    state: 'active',
  },
  player1: { name: 'Electric Bagel', cleanName: 'electricbagel', isReady: 1, tapped: 0 },
  player2: { name: 'Ferret-860', cleanName: 'ferret860', isReady: 1, tapped: 0 },
  startTime: 1_773_520_088,
  matchTime: 114,
  queue: [
    {
      tournamentID: '178ab73621cc8f62',
      gameID: 'EX-6e5705e433f4fe5f',
      name: 'Q1-41',
      player1: 'Jortidle',
      player2: 'Feathered Toaster',
      status: 'Called',
    },
  ],
  updatedTime: 1_773_520_088,
}

const cages = { cage1: cage(1), cage2: cage(2), cage4: cage(4), cage5: busyCage, cage6: cage(6) }

const stream = {
  name: 'overhead',
  location: 'Cage 1',
  path: 'cage-1/overhead',
  hlsUrl: 'https://media.example/hls/cage-1/overhead/index.m3u8',
  readyTime: 1_773_500_400,
  viewers: 12,
  tracks: ['H264', 'MPEG-4 Audio'],
}

const health = {
  status: 'ok',
  problems: [],
  source: 'postgres',
  follows: 'notifications',
  version: '430317e2a74e160b',
  ageSeconds: 1,
  counts: {
    tournaments: 21,
    fights: 1447,
    completedFights: 1391,
    players: 905,
    recordings: 14_232,
    clips: 149,
    stills: 602,
    badRows: 0,
  },
  lastRefresh: { at: 1_773_520_200, ms: 14, changedRows: 2, error: null },
  heldBack: [],
  usageLog: { written: 51_820, dropped: 0, badLines: 0, bytes: 6_736_600, removedBytes: 0 },
}

const usage = {
  days: 1,
  from: '2026-03-14',
  to: '2026-03-14',
  endpoint: null,
  totalRequests: 51_820,
  totalErrors: 12,
  errorRate: 0.0002,
  uniqueClients: 418,
  totalBytes: 48_201_337,
  responseTimeMs: { average: 0.094, p50: 0.041, p95: 0.31, p99: 0.88, max: 14.2 },
  perDay: [
    {
      date: '2026-03-14',
      requests: 51_820,
      errors: 12,
      uniqueClients: 418,
      averageMs: 0.094,
      bytes: 48_201_337,
    },
  ],
  perEndpoint: [
    {
      endpoint: '/cages',
      requests: 30_411,
      errors: 0,
      errorRate: 0,
      averageMs: 0.052,
      p95Ms: 0.12,
      bytes: 9_104_220,
    },
  ],
  statusCodes: { '200': 20_107, '304': 31_701, '404': 12 },
  topClients: [{ client: '9f2c1e07ab34d5c6', requests: 8420 }],
  consumers: [{ name: 'arena overlay', requests: 17_280, lastSeen: 1_773_520_199 }],
}

const foundBot = {
  cleanName: 'clumsyzipper',
  name: 'Clumsy Zipper',
  totalFights: 1,
  totalWins: 0,
  totalLosses: 1,
  winRate: 0,
  totalTournaments: 1,
  weightClasses: [3],
  lastFightTime: 1_773_519_734,
  score: 1,
}

const suggestion = {
  cleanName: 'clumsyzipper',
  name: 'Clumsy Zipper',
  score: 1,
  totalFights: 1,
  weightClasses: [3],
  match: [[0, 13]],
}

const { state: _state, ...busyFight } = busyCage.match
const fightEnded = {
  id: '7d3f0c9a51be-1842',
  type: 'fight.ended',
  time: 1_773_520_271,
  tournamentID: busyFight.tournamentID,
  gameID: busyFight.gameID,
  bots: [busyFight.player1clean, busyFight.player2clean],
  url: `/tournaments/${busyFight.tournamentID}/fights/${busyFight.gameID}`,
  before: { state: 'active', winAnnotation: '' },
  after: {
    ...busyFight,
    state: 'done',
    waitsAs: '',
    bracketID: 'EX',
    player1wins: 1,
    winAnnotation: 'KO',
    stopTime: 1_773_520_268,
    endTime: 1_773_520_270,
    matchLength: 180,
    scheduledTime: 1_773_520_000,
    calledSince: 1_773_519_800,
    availableSince: 1_773_519_000,
    judgesString: '',
    notice: '',
    slots: [
      {
        slotIdx: 0,
        playerID: 'p17',
        prevGameID: null,
        score: '1',
        isWinner: 1,
        slotState: 'winner',
      },
      { slotIdx: 1, playerID: 'p4', prevGameID: null, score: '0', isWinner: 0, slotState: 'loser' },
    ],
  },
}

/** Examples by operationId: live ones, and searches, whose results change with their indexes. */
export const staticExamples: Readonly<Record<string, unknown>> = {
  search: { query: 'clumsyzipper', bots: [foundBot], tournaments: [], fights: [] },
  autocomplete: { query: 'clumsy zipper', suggestions: [suggestion] },
  legacyBotAutocomplete: [
    { label: 'Clumsy Zipper', value: 'Clumsy Zipper', cleanName: 'clumsyzipper' },
  ],
  getCages: { cages },
  getCage: { cage: busyCage },
  legacyCageJSON: cages,
  listChanges: { changes: [fightEnded], cursor: fightEnded.id, more: false },
  streamChanges: `id: ${fightEnded.id}\ndata: ${JSON.stringify(fightEnded)}\n\n`,
  getBulkIndex: {
    files: [
      {
        name: 'fights.ndjson.gz',
        url: '/bulk/fights.ndjson.gz',
        rows: 1447,
        bytes: 157_000,
        sha256: '3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b',
        version: '1l8wlx6m7qksz',
        updated: 1_773_520_271,
      },
    ],
  },
  getBulkFile: 'H4sIAAAAAAAAA…',
  getSnapshot: 'CAGESIDE…',
  getLiveStreams: { groups: { 'Cage 1': [stream] } },
  getHealth: health,
  getUsage: { usage },
}
