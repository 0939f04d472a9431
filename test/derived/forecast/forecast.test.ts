import { describe, expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import { isOver } from '../../../src/data/league/stages.ts'
import type { Tournament } from '../../../src/data/league/types.ts'
import { historyOf } from '../../../src/data/replay/history.ts'
import type { TournamentRow, TournamentRows } from '../../../src/data/source/rows.ts'
import { calculate } from '../../../src/derived/forecast/calculate.ts'
import { type Forecast, forecastOf, forecastSteps } from '../../../src/derived/forecast/forecast.ts'
import { buildPlan, type Plan } from '../../../src/derived/forecast/plan.ts'
import { simulate } from '../../../src/derived/forecast/simulate.ts'
import type { Strength } from '../../../src/derived/ratings/state.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import {
  bracketOf,
  doubleOfFour,
  everyPair,
  fourBots,
  type GameSpec,
  knockout,
} from '../../brackets.ts'

const unknown = 'the bots of its first fights are not known yet'

const strengths: readonly Strength[] = [
  { mean: 1.1, variance: 0.3 },
  { mean: 0.4, variance: 0.9 },
  { mean: -0.2, variance: 0.1 },
  { mean: -0.7, variance: 0.6 },
]

const planOf = (rows: TournamentRows): Plan => {
  const plan = buildPlan(buildTournament(rows))
  if ('reason' in plan) throw new Error(plan.reason)
  return plan
}

/** Strengths by the number in the id of a player. */
const forecast = (rows: TournamentRows, given = strengths): Forecast => {
  const plan = planOf(rows)
  const own = plan.bots.map(({ id }) => given[Number(id.slice(1))] ?? { mean: 0, variance: 1 })
  return atOnce(forecastSteps(plan, own))
}

/** Result of one course of a bracket: each bot's share of the win, and the bots of each round. */
interface Course {
  readonly champions: readonly number[]
  readonly reached: readonly (readonly [round: string, bot: number])[]
}

type Fight = (red: number, blue: number) => number

/** Winner of each fight of a course, and its result. */
interface Enumerated extends Course {
  readonly fights: readonly (readonly [winner: number, loser: number])[]
}

/** All courses of a bracket: both outcomes of each fight are tried. */
const enumerate = (
  play: (fight: Fight) => Course,
  prefix: readonly boolean[] = [],
): Enumerated[] => {
  const fights: [number, number][] = []
  const course = play((red, blue) => {
    const isRed = prefix[fights.length] ?? true
    fights.push(isRed ? [red, blue] : [blue, red])
    return isRed ? red : blue
  })
  const others = fights.slice(prefix.length).flatMap((_, index) => {
    const before = Array<boolean>(index).fill(true)
    return enumerate(play, [...prefix, ...before, false])
  })
  return [{ ...course, fights }, ...others]
}

/** Nodes and weights for means over a normal distribution (Gauss and Hermite). */
const nodes = [
  [0, 0.4571428571428571],
  ...[
    [1.154405394739968, 0.2401231786050127],
    [2.366759410734541, 0.03075712396758651],
    [3.750439717725742, 0.000548268855972217],
  ].flatMap(([node = 0, weight = 0]) => [
    [node, weight],
    [-node, weight],
  ]),
]

const draws = (bots: readonly Strength[]): { strengths: readonly number[]; weight: number }[] =>
  bots.reduce<{ strengths: readonly number[]; weight: number }[]>(
    (all, { mean, variance }) =>
      all.flatMap(({ strengths, weight }) =>
        (variance === 0 ? [[0, 1]] : nodes).map(([node = 0, share = 0]) => ({
          strengths: [...strengths, mean + node * Math.sqrt(variance)],
          weight: weight * share,
        })),
      ),
    [{ strengths: [], weight: 1 }],
  )

/** Chances by full enumeration of the courses, over the strengths of the bots. */
const enumerated = (play: (fight: Fight) => Course, bots: readonly Strength[]) => {
  const all = draws(bots).map(({ strengths, weight }) => ({
    weight,
    chance: strengths.map((own) => strengths.map((other) => 1 / (1 + Math.exp(other - own)))),
  }))
  const chances = new Map<string, number>()
  for (const { fights, champions, reached } of enumerate(play)) {
    const probability = all.reduce(
      (sum, { weight, chance }) =>
        sum +
        fights.reduce(
          (product, [winner, loser]) => product * (chance[winner]?.[loser] ?? 0),
          weight,
        ),
      0,
    )
    const add = (key: string, share = 1) =>
      chances.set(key, (chances.get(key) ?? 0) + probability * share)
    for (const bot of champions) add(`win ${bot}`, 1 / champions.length)
    for (const [round, bot] of reached) add(`${round} ${bot}`)
  }
  return chances
}

const other = (pair: readonly [number, number], one: number): number =>
  pair[0] === one ? pair[1] : pair[0]

const playSingle = (fight: Fight): Course => {
  const [first, second] = [fight(0, 3), fight(1, 2)]
  const [third, fourth] = [other([0, 3], first), other([1, 2], second)]
  fight(third, fourth)
  return {
    champions: [fight(first, second)],
    reached: [
      ...[0, 1, 2, 3].map((bot) => ['W0', bot] as const),
      ['W1', first],
      ['W1', second],
      ['T0', third],
      ['T0', fourth],
    ],
  }
}

const playDouble = (fight: Fight): Course => {
  const [first, second] = [fight(0, 3), fight(1, 2)]
  const upper = fight(first, second)
  const pair = [other([0, 3], first), other([1, 2], second)] as const
  const survivor = fight(...pair)
  const dropped = other([first, second], upper)
  const lower = fight(survivor, dropped)
  const winner = fight(upper, lower)
  return {
    champions: [winner === upper ? upper : fight(upper, lower)],
    reached: [
      ...[0, 1, 2, 3].map((bot) => ['W0', bot] as const),
      ...[first, second].map((bot) => ['W1', bot] as const),
      ...[upper, lower].map((bot) => ['W2', bot] as const),
      ...pair.map((bot) => ['L0', bot] as const),
      ...[survivor, dropped].map((bot) => ['L1', bot] as const),
    ],
  }
}

const roundRobin: readonly GameSpec[] = [
  ['W-0', 0, 'p0', 'p1'],
  ['W-1', 0, 'p2', 'p3'],
  ['W-2', 1, 'p0', 'p2'],
  ['W-3', 1, 'p1', 'p3'],
  ['W-4', 2, 'p0', 'p3'],
  ['W-5', 2, 'p1', 'p2'],
]

const playRoundRobin = (fight: Fight): Course => {
  const wins = [0, 0, 0, 0]
  const beaten = new Set<string>()
  for (const [red, blue] of [
    [0, 1],
    [2, 3],
    [0, 2],
    [1, 3],
    [0, 3],
    [1, 2],
  ] as const) {
    const winner = fight(red, blue)
    wins[winner] = (wins[winner] ?? 0) + 1
    beaten.add(`${winner} ${winner === red ? blue : red}`)
  }
  const first = (bots: readonly number[], value: (bot: number) => number): number[] =>
    bots.filter((bot) => value(bot) === Math.max(...bots.map(value)))
  const most = first([0, 1, 2, 3], (bot) => wins[bot] ?? 0)
  // Some bots have the same number of losses.
  const champions = first(
    most,
    (bot) => most.filter((other) => beaten.has(`${bot} ${other}`)).length,
  )
  return { champions, reached: [] }
}

/** Chances by the same keys. */
const keyed = ({ plan, winning, reaching }: Forecast): ReadonlyMap<string, number> =>
  new Map([
    ...plan.bots.map(({ id }, bot) => [`win ${id.slice(1)}`, winning[bot] ?? 0] as const),
    ...plan.rounds.flatMap(({ bracketID, idx }, round) =>
      plan.bots.map(
        ({ id }, bot) =>
          [
            `${bracketID}${idx} ${id.slice(1)}`,
            reaching[round * plan.bots.length + bot] ?? 0,
          ] as const,
      ),
    ),
  ])

const known = strengths.map(({ mean }) => ({ mean, variance: 0 }))

/** The fight for third place is in the round of the final. */
const playInOneRound = (fight: Fight): Course => {
  const { champions, reached } = playSingle(fight)
  return { champions, reached: reached.map(([round, bot]) => [round === 'W0' ? round : 'W1', bot]) }
}

/** The second grand final, the seventh fight, is a round of its own. */
const playDoubleWithSecond = (fight: Fight): Course => {
  const fights: (readonly [number, number])[] = []
  const { champions, reached } = playDouble((red, blue) => {
    fights.push([red, blue])
    return fight(red, blue)
  })
  return {
    champions,
    reached: [...reached, ...(fights[6] ?? []).map((bot) => ['W3', bot] as const)],
  }
}

/** The winner of the losers' bracket has one chance in the grand final. */
const playDoubleWithoutSecond = (fight: Fight): Course => {
  let fights = 0
  const { champions, reached } = playDouble((red, blue) => {
    fights++
    return fights === 7 ? blue : fight(red, blue)
  })
  return { champions, reached }
}

/** The same bracket after both fights of its first round; other rounds are one per bracket. */
const playInFewRounds = (fight: Fight): Course => {
  let fights = 0
  const { champions, reached } = playDoubleWithoutSecond((red, blue) => {
    fights++
    return fights <= 2 ? red : fight(red, blue)
  })
  const places = reached.map(([round, bot]) =>
    JSON.stringify([round.replace(/[12]/, round.startsWith('W') ? '1' : '0'), bot]),
  )
  return { champions, reached: [...new Set(places)].map((place) => JSON.parse(place)) }
}

const inFewRounds: readonly GameSpec[] = [
  ['W-0', 0, 'p0', 'p3', { won: 0 }],
  ['W-1', 0, 'p1', 'p2', { won: 0 }],
  ['W-2', 1, 'W-0 p0', 'W-1 p1'],
  ['W-3', 1, 'W-2', 'L-1', { loserPlacement: 2 }],
  ['L-0', 0, 'W-0 p3', 'W-1 p2', { loserPlacement: 4 }],
  ['L-1', 0, 'L-0', 'W-2', { loserPlacement: 3 }],
]

const doubleWithSecond: readonly GameSpec[] = [
  ...doubleOfFour,
  ['W-4', 3, 'W-3', 'W-3', { loserPlacement: 2 }],
]

const doubleElimination = { formatType: 'double_elimination' } as const

const formats = {
  'single elimination with a fight for third place': [bracketOf(4, fourBots), playSingle, 4],
  'single elimination whose last fights are in one round': [
    bracketOf(4, [...fourBots.slice(0, 3), ['W-3', 1, 'W-0', 'W-1', { loserPlacement: 4 }]]),
    playInOneRound,
    4,
  ],
  'double elimination whose second grand final is not listed': [
    bracketOf(4, doubleOfFour, doubleElimination),
    playDouble,
    7,
  ],
  'the same before it has begun': [
    bracketOf(4, doubleOfFour, { ...doubleElimination, active: false }),
    playDouble,
    7,
  ],
  'double elimination with its second grand final': [
    bracketOf(4, doubleWithSecond, doubleElimination),
    playDoubleWithSecond,
    7,
  ],
  'two losses without a second grand final': [
    bracketOf(4, doubleOfFour),
    playDoubleWithoutSecond,
    6,
  ],
  'the same in few rounds': [bracketOf(4, inFewRounds), playInFewRounds, 4],
  'a round robin': [bracketOf(4, roundRobin, { formatType: 'round_robin' }), playRoundRobin, 6],
} as const

describe.each(Object.entries(formats))('chances in %s', (_, [rows, play, openFights]) => {
  test('a plan has only the open fights', () => {
    expect(planOf(rows).games).toHaveLength(openFights)
  })

  test.each([
    ['known', known],
    ['uncertain', strengths],
  ])('a forecast equals full enumeration with %s strengths', (_, given) => {
    const result = forecast(rows, given)
    const chances = keyed(result)
    for (const [key, probability] of enumerated(play, given)) {
      const error = Math.sqrt(
        Math.max(0, probability * (1 - probability)) / (result.runs || Number.POSITIVE_INFINITY),
      )
      expect({
        key,
        off: Math.abs((chances.get(key) ?? 0) - probability) < 3.5 * error + 1e-4,
      }).toEqual({ key, off: true })
    }
  })

  test('the chances of a forecast sum to one winner', () => {
    const { winning } = forecast(rows)
    expect(winning.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9)
  })
})

/** Number of bots in each round, byes left out. */
const placesOf = ({ plan }: Forecast, { brackets }: Tournament): readonly number[] =>
  plan.rounds.map(({ bracketID, idx }) =>
    brackets
      .filter(({ id }) => id === bracketID)
      .flatMap(({ games }) => games.filter(({ round }) => round === idx))
      .reduce(
        (sum, { red, blue }) => sum + [red, blue].filter(({ player }) => !player?.isBye).length,
        0,
      ),
  )

const sum = (values: Iterable<number>): number =>
  [...values].reduce((total, each) => total + each, 0)

describe('forecasts in the course of generated brackets', () => {
  const { tournaments, capturedAt } = generateLeague({ seed: 3, scale: 'sample' })
  const even: Strength = { mean: 0, variance: 0.6 }

  test('forecasts of generated brackets add up, agree with decided fights and foresee every course', () => {
    let [calculated, simulated] = [0, 0]
    for (const rows of tournaments) {
      const { instants, rowsAt } = historyOf(rows, capturedAt)
      const atEnd = buildTournament(rows)
      const games = atEnd.brackets.flatMap(({ games }) => games)
      const cameTo = new Set(
        games.flatMap(({ bracketID, round, red, blue }) =>
          [red, blue].map(({ player }) => JSON.stringify([bracketID, round, player?.id])),
        ),
      )
      for (let part = 1; part <= 4; part++) {
        const rowsThen = rowsAt(instants[Math.floor((part / 4) * (instants.length - 1))] ?? 0)
        if (!rowsThen) continue
        const tournament = buildTournament(rowsThen)
        const plan = buildPlan(tournament)
        if ('reason' in plan) continue
        const result = atOnce(
          forecastSteps(
            plan,
            plan.bots.map(() => even),
          ),
        )
        const { winning, reaching, runs } = result
        if (runs === 0) calculated += 1
        else simulated += 1
        const count = plan.bots.length
        expect(sum(winning)).toBeCloseTo(1, 9)
        const sums = plan.rounds.map((_, round) =>
          sum(reaching.subarray(round * count, (round + 1) * count)),
        )
        expect(sums.map((each) => each.toFixed(6))).toEqual(
          placesOf(result, tournament).map((each) => each.toFixed(6)),
        )
        for (const [bot, { id }] of plan.bots.entries()) {
          const placement = tournament.playersByID.get(id)?.placement
          if (placement) expect(winning[bot]).toBeCloseTo(placement === 1 ? 1 : 0, 9)
          if (!isOver(atEnd)) continue
          if (atEnd.playersByID.get(id)?.placement === 1) expect(winning[bot]).toBeGreaterThan(0)
          for (const [round, { bracketID, idx }] of plan.rounds.entries()) {
            const chance = reaching[round * count + bot] ?? 0
            const came = cameTo.has(JSON.stringify([bracketID, idx, id]))
            if (came ? chance === 0 : chance === 1)
              throw new Error(`chance ${chance} of ${id} in round ${idx} of ${bracketID}`)
          }
        }
      }
    }
    expect(Math.min(calculated, simulated)).toBeGreaterThan(10)
  })
})

describe('forecast', () => {
  /** Strengths of 16 bots with few fights. */
  const wide = Array.from({ length: 16 }, (_, bot) => ({ mean: 1 - bot / 8, variance: 0.5 }))

  test('a forecast does not oversell the favourite of 16, as strengths without their error would', () => {
    const rows = bracketOf(16, knockout(16))
    const fixed = wide.map(({ mean }) => ({ mean, variance: 0 }))
    const [uncertain, certain] = [forecast(rows, wide), forecast(rows, fixed)]
    expect([certain, uncertain].map(({ winning }) => winning[0]?.toFixed(3))).toEqual([
      '0.211',
      '0.179',
    ])
  })

  test.each([
    ['a second grand final in the round of the first', doubleWithSecond, 4, 2],
    ['a final in the round of the semi-finals', knockout(8), 8, 1],
  ] as const)('a forecast counts a bot once in a round with %s', (_, specs, bots, last) => {
    const inOneRound = specs.map(
      ([id, round, ...rest]): GameSpec => [id, Math.min(round, last), ...rest],
    )
    const { reaching, winning } = forecast(
      bracketOf(bots, inOneRound, {
        formatType: bots === 4 ? 'double_elimination' : 'single_elimination',
      }),
    )
    expect(Math.max(...reaching)).toBe(1)
    expect(sum(winning)).toBeCloseTo(1, 9)
  })

  test('a forecast is the same calculated and simulated, also for bots that meet nobody later', () => {
    const rows = bracketOf(5, [...fourBots.slice(0, 3), ['T-0', 0, 'W-0', 'p4']])
    const players = rows.players.map((each) => ({ ...each, isBye: each.id === 'p4' }))
    for (const plan of [planOf(bracketOf(16, knockout(16))), planOf({ ...rows, players })]) {
      const simulated = atOnce(simulate(plan, wide))
      const calculated = atOnce(calculate(plan, wide))
      for (const kind of ['winning', 'reaching'] as const)
        for (const [place, chance] of simulated[kind].entries())
          expect(Math.abs(chance - (calculated?.[kind][place] ?? 0))).toBeLessThan(0.018)
      expect(atOnce(simulate(plan, wide))).toEqual(simulated)
    }
  })

  test.each([
    ['2,000 simulated fights', bracketOf(40, everyPair(40), { formatType: 'round_robin' }), 5],
    ['outcome of a calculated fight', bracketOf(16, knockout(16)), 4],
  ])('a forecast pauses with each %s', (_, rows, perFight) => {
    const plan = planOf(rows)
    const steps = forecastSteps(
      plan,
      plan.bots.map(() => ({ mean: 0, variance: 1 })),
    )
    let pauses = 0
    while (!steps.next().done) pauses += 1
    expect(pauses).toBeGreaterThanOrEqual(plan.games.length * perFight)
  })

  test.each([
    ['without a bracket', [], {}, 'it has no bracket yet'],
    [
      'before its draw',
      [
        ['W-0', 0, 'p0', ''],
        ['W-1', 0, 'p1', 'p2'],
        ['W-2', 1, 'W-0', 'W-1'],
      ],
      {},
      unknown,
    ],
    [
      'fed by qualifying',
      [
        ['EX-0', 0, 'p0', 'p1'],
        ['W-0', 0, 'EX-0', 'p2'],
      ],
      {},
      unknown,
    ],
    [
      'whose links fork',
      [...fourBots.slice(0, 3), ['W-4', 1, 'W-0', 'W-1'], ['W-5', 1, 'W-0', 'p1']],
      {},
      'its links do not say where the winners go',
    ],
    [
      'with two last fights',
      [
        ['W-0', 0, 'p0', 'p1'],
        ['W-1', 0, 'p2', 'p3'],
      ],
      {},
      'more than one of its fights could be the final',
    ],
    [
      'whose fights feed each other',
      [
        ['W-0', 0, 'W-1', 'p0'],
        ['W-1', 0, 'W-0', 'p1'],
      ],
      {},
      'its fights lead back to each other',
    ],
    [
      'with four of six pairings',
      roundRobin.slice(0, 4),
      { formatType: 'round_robin' },
      'not all of its pairings are known',
    ],
    [
      'with several groups',
      [...roundRobin, ['G-0', 0, 'p0', 'p1']],
      { formatType: 'round_robin' },
      'it has several groups',
    ],
    [
      'with one of two pairings twice, with the corners changed, and without the other one',
      [...roundRobin.slice(0, 5), ['W-5', 2, 'p1', 'p0']],
      { formatType: 'round_robin' },
      'not all of its pairings are known',
    ],
    [
      'with all pairings and one fight whose bots are not known',
      [...roundRobin, ['W-6', 3, '', '']],
      { formatType: 'round_robin' },
      unknown,
    ],
  ] satisfies [string, readonly GameSpec[], Partial<TournamentRow>, string][])(
    'the forecast of a tournament %s is refused with a reason',
    (_, specs, row, reason) => {
      expect(buildPlan(buildTournament(bracketOf(4, specs, row)))).toEqual({ reason })
    },
  )

  test('the forecast of a Swiss system is refused with its own reason', () => {
    const rows = bracketOf(4, roundRobin)
    const brackets = rows.brackets.map((each) => ({ ...each, formatType: 'swiss' }) as const)
    expect(buildPlan(buildTournament({ ...rows, brackets }))).toEqual({
      reason: 'the pairings of a Swiss system follow from its results',
    })
  })

  test('a stage that is a double elimination has a second grand final, whatever the tournament is', () => {
    const rows = bracketOf(4, doubleOfFour, { formatType: 'round_robin' })
    const stages = rows.brackets.map((row) => ({
      ...row,
      formatType: 'double_elimination' as const,
    }))
    const own = forecast({ ...rows, brackets: stages })
    const whole = forecast(bracketOf(4, doubleOfFour, { formatType: 'double_elimination' }))
    expect(own.winning).toEqual(whole.winning)
  })

  test.each([
    ['', 0, [1 / 3, 1 / 3, 1 / 3, 0]],
    [', or gives it to the winner of their fight, as a draw counts for nobody', null, [0, 1, 0, 0]],
  ] as const)(
    'the forecast of a finished round robin shares the win%s, without a run',
    (_, first, shares) => {
      const results: Readonly<Record<string, 0 | 1 | null>> = { 'W-0': first, 'W-2': 1 }
      const won = ([id, ...rest]: GameSpec): GameSpec => {
        const [round, red, blue] = rest
        return [id, round, red, blue, { won: id in results ? (results[id] ?? null) : 0 }]
      }
      const { winning, runs } = forecast(
        bracketOf(4, roundRobin.map(won), { formatType: 'round_robin' }),
      )
      expect([runs, ...winning]).toEqual([0, ...shares])
    },
  )

  test('the forecast of a round robin does not need a fight of every bot', () => {
    expect(planOf(bracketOf(5, roundRobin, { formatType: 'round_robin' })).games).toHaveLength(6)
  })

  test('a bot goes on without a fight past a bye, and past a fight that both lost', () => {
    const rows = bracketOf(4, fourBots.slice(0, 3))
    const players = rows.players.map((each) => ({ ...each, isBye: each.id === 'p3' }))
    const byes = forecast({ ...rows, players })
    expect(keyed(byes).get('W1 0')).toBe(1)
    const [first, ...others] = fourBots.slice(0, 3)
    if (!first) throw new Error('no first fight')
    const lost = bracketOf(4, [[first[0], first[1], first[2], first[3], { won: null }], ...others])
    const slots = lost.slots.map((slot) => ({
      ...slot,
      ...(slot.gameId === 'W-0' && { state: 'loser' as const }),
    }))
    const result = keyed(forecast({ ...lost, slots }))
    expect([0, 3].map((bot) => result.get(`win ${bot}`))).toEqual([0, 0])
    expect(result.get('win 1')).toBe(result.get('W1 1'))
  })

  test('a loser comes to a fight for third place against a bye', () => {
    const rows = bracketOf(5, [...fourBots.slice(0, 3), ['T-0', 0, 'W-0', 'p4']])
    const players = rows.players.map((each) => ({ ...each, isBye: each.id === 'p4' }))
    const result = keyed(forecast({ ...rows, players }))
    for (const bot of [0, 3])
      expect(result.get(`T0 ${bot}`)).toBeCloseTo(1 - (result.get(`W1 ${bot}`) ?? 0), 9)
    expect(result.get('T0 1')).toBe(0)
  })

  test('a bot that won against nobody goes on', () => {
    const [, ...others] = fourBots.slice(0, 3)
    const result = forecast(bracketOf(3, [['W-0', 0, 'p0', '', { won: 0 }], ...others]))
    expect(keyed(result).get('W1 0')).toBe(1)
  })

  test.each([
    ['', ['W-3', 'W-3', {}]],
    [', whichever corners they have', ['W-3 p1', 'W-3 p0', {}]],
    [', nor one that ended without a winner', ['W-3 p0', 'W-3 p1', { won: null }]],
  ] as const)(
    'a forecast has no second grand final if the unbeaten bot won the first%s',
    (_, [red, blue, second]) => {
      const { plan, winning, reaching } = forecast(
        bracketOf(
          4,
          [
            ['W-0', 0, 'p0', 'p3', { won: 0 }],
            ['W-1', 0, 'p1', 'p2', { won: 0 }],
            ['W-2', 1, 'W-0 p0', 'W-1 p1', { won: 0 }],
            ['W-3', 2, 'W-2 p0', 'L-1 p1', { won: 0, loserPlacement: 2 }],
            ['W-4', 3, red, blue, { ...second, loserPlacement: 2 }],
            ['L-0', 0, 'W-0 p3', 'W-1 p2', { won: 1, loserPlacement: 4 }],
            ['L-1', 1, 'L-0 p2', 'W-2 p1', { won: 1, loserPlacement: 3 }],
          ],
          { ...doubleElimination, active: !('won' in second) },
        ),
      )
      expect([plan.games.length, ...winning]).toEqual([0, 1, 0, 0, 0])
      const round = plan.rounds.findIndex(({ bracketID, idx }) => bracketID === 'W' && idx === 3)
      expect([...reaching.subarray(4 * round, 4 * round + 4)]).toEqual([0, 0, 0, 0])
    },
  )

  test('the loss of a fight that leads to no other does not count', () => {
    const winningOf = (...others: readonly GameSpec[]) =>
      forecast(bracketOf(4, [...doubleOfFour, ...others], doubleElimination)).winning
    expect(winningOf(['S-0', 0, 'p0', 'p2', { won: 1 }])).toEqual(winningOf())
  })

  test('the forecast of a drawn fight follows its repetition', () => {
    const [first, ...others] = fourBots.slice(0, 3)
    if (!first) throw new Error('no first fight')
    const [id, round, red, blue] = first
    const withRepetition = (repeated: GameSpec) =>
      keyed(forecast(bracketOf(4, [[id, round, red, blue, { won: null }], ...others, repeated])))
    for (const from of ['', 'W-0 ']) {
      const open = withRepetition(['W-9', 0, from + red, from + blue])
      expect(open.get('W1 0')).toBeCloseTo(0.82, 1)
      expect((open.get('W1 0') ?? 0) + (open.get('W1 3') ?? 0)).toBeCloseTo(1, 9)
    }
    expect(withRepetition(['W-9', 0, red, blue, { won: 1 }]).get('W1 3')).toBe(1)
  })

  test('the forecast of a repeated final has one final', () => {
    const { plan } = forecast(
      bracketOf(4, [
        ['W-0', 0, 'p0', 'p3', { won: 0 }],
        ['W-1', 0, 'p1', 'p2', { won: 0 }],
        ['W-2', 1, 'W-0 p0', 'W-1 p1', { won: null, loserPlacement: 2 }],
        ['W-3', 1, 'p0', 'p1', { loserPlacement: 2 }],
      ]),
    )
    expect(plan.games).toHaveLength(1)
  })

  test('the forecast of a round robin leaves out fights against a bye', () => {
    const rows = bracketOf(5, [...roundRobin, ['W-6', 2, 'p0', 'p4']], {
      formatType: 'round_robin',
    })
    const players = rows.players.map((each) => ({ ...each, isBye: each.id === 'p4' }))
    expect(planOf({ ...rows, players }).games).toHaveLength(6)
  })

  test('a forecast has up to 2,000 open fights', () => {
    const all = everyPair(63)
    const again = all.map(([id, round, red, blue]): GameSpec => [`${id}-2`, round + 1, red, blue])
    const planned = (fights: number) => {
      const specs = [...all, ...again].slice(0, fights)
      return buildPlan(buildTournament(bracketOf(63, specs, { formatType: 'round_robin' })))
    }
    expect(planned(2000)).toHaveProperty('games')
    expect(planned(2001)).toEqual({ reason: 'more than 2000 of its fights are open' })
  })

  test('a forecast is reused for the same strengths, and made again for others', async () => {
    const tournament = buildTournament(bracketOf(4, fourBots))
    const first = await forecastOf(tournament, strengths)
    expect(await forecastOf(tournament, [...strengths])).toBe(first)
    expect(await forecastOf(tournament, known)).not.toBe(first)
  })
})
