import { describe, expect, test } from 'bun:test'
import { sheetLeague } from './imports.ts'

/** The league of fights.csv with these lines, and of the other files. */
const leagueOf = (fights: string, others: Readonly<Record<string, string>> = {}) => {
  const files = {
    'tournaments.csv': 'tournament,weight,active\ncup,3,yes\n',
    'fights.csv': `red,blue,winner,bracket,round,start,length\n${fights}\n`,
    ...others,
  }
  const { league, problems, doubts, cages } = sheetLeague(files)
  const [{ games = [], slots = [], players = [] } = {}] = league
  const lines = games.map(({ id, state }, index) => {
    const corners = slots.slice(2 * index, 2 * index + 2).map((slot) => {
      const player = players.find((each) => each.id === slot.playerId)
      return `${player?.isBye ? 'bye' : (player?.name ?? 'open')} ${slot.state}`
    })
    return `${id} ${state}: ${corners.join(', ')}`
  })
  return { lines, problems, doubts, cages, slots, players }
}

describe('corners of fights.csv', () => {
  test.each([
    'TBD',
    'tba',
    '?',
    '???',
    '-',
    '–',
    'T.B.D.',
    'offen',
    'a definir',
    'por definir',
    'Winner of 3',
    'loser 3',
    'Sieger 3',
    'Gewinner 3',
    'Verlierer Kampf W-2',
    'Vencedor L-2',
    'Perdedor 3',
    'Ganador 3',
    'Vainqueur 3',
    'Gagnant 3',
    'Perdant 3',
    'Vincitore 3',
    'Perdente 3',
    'Winner of fight 12',
    'Winner SF1',
    'winner3',
    'Ganador de la pelea 4',
    "Vincitore dell'incontro 3",
    'TBC',
  ])("the corner '%s' is a bot that is not known yet", (cell) => {
    const { lines, problems, players } = leagueOf(`Axe,${cell},,,,,\n`)
    expect(problems).toEqual([])
    expect(lines).toEqual(['W-1 unavailable: Axe pending, open pending'])
    expect(players.map(({ name }) => name)).toEqual(['Axe'])
  })

  test.each(['BYE', 'bye 2', '(Bye)', 'Freilos', 'exempt'])(
    "the corner '%s' is a bye, which the other one wins without a fight",
    (cell) => {
      const { lines, problems, doubts } = leagueOf(
        `${cell},Axe,,,,10:00,60\nBlade,${cell},Blade,,,10:00,60`,
        { 'tournaments.csv': 'tournament,weight,active,start\ncup,3,yes,2026-03-14 10:00\n' },
      )
      expect([problems, doubts]).toEqual([[], []])
      expect(lines).toEqual([
        'W-1 done: bye loser_by_default, Axe winner_by_default',
        'W-2 done: Blade winner_by_default, bye loser_by_default',
      ])
    },
  )

  test('both corners can be open, and a bye can wait for its bot', () => {
    const { lines, problems } = leagueOf('TBD,TBD,,,,,\nTBD,BYE,,,,,')
    expect(problems).toEqual([])
    expect(lines).toEqual([
      'W-1 unavailable: open pending, open pending',
      'W-2 unavailable: open pending, bye pending',
    ])
  })

  test('open corners are refused if a result needs a bot, and so are empty ones', () => {
    const { problems } = leagueOf(
      'Axe,TBD,Axe,,,,\nAxe,BYE,blue,,,,\nAxe,,red,,,,\n,,,W,,,\nBYE,BYE,,,,,',
    )
    expect(problems.map(({ where, reason }) => `${where} ${reason}`)).toEqual([
      "fights.csv:2 'TBD' is a corner that is open: write who fought, or no result",
      "fights.csv:3 a bye cannot win: write 'Axe', or leave the winner empty",
      "fights.csv:4 'blue' is empty: write TBD for a bot that is not known yet",
      "fights.csv:5 'red' is empty: write TBD for a bot that is not known yet",
      'fights.csv:6 a bye is in both corners',
    ])
  })

  test('a bot of players.csv can be named TBD', () => {
    const { lines } = leagueOf('TBD,Axe,TBD,,,,', { 'players.csv': 'name\nTBD\nAxe\n' })
    expect(lines).toEqual(['W-1 done: TBD winner, Axe loser'])
  })

  test('byes and open corners take no place', () => {
    const { lines, slots, doubts } = leagueOf(
      'Axe,BYE,,,1,,\nBlade,Club,red,,1,,\nAxe,Blade,red,,2,,',
      { 'tournaments.csv': 'tournament,weight,active\ncup,3,no\n' },
    )
    expect(doubts).toEqual([])
    expect(lines).toHaveLength(3)
    expect(slots.map(({ prevGameId }) => prevGameId)).toEqual([
      null,
      null,
      null,
      null,
      'W-1',
      'W-2',
    ])
  })

  test('a cage can wait for a fight with open corners', () => {
    const { cages, problems } = leagueOf('Axe,TBD,,,,,\nTBD,TBD,,,,,', {
      'cages.csv': 'cage,next\n1,Axe v TBD | ? v tba\n',
    })
    expect(problems).toEqual([])
    expect(cages?.[0]?.queue.map(({ gameId }) => gameId)).toEqual(['W-1', 'W-2'])
  })
})

test('a bad line keeps its number, so that a correction moves no URL', () => {
  const bad = ['Axe,Axe,,,,,', 'Axe,#REF!,,,,,', 'Axe,Blade,,,,,,,7', 'Axe,Blade,Zed,,,,']
  for (const line of bad) {
    const { lines, problems } = leagueOf(`Axe,Blade,,L,,,\n${line}\nClub,Dart,,,,,`)
    expect(problems).toHaveLength(1)
    expect(lines.map((each) => each.split(' ', 1)[0])).toEqual(['L-1', 'W-2'])
  }
})

test.each(['Winnerbot 3000', 'Winner 3000', 'Loserbot 3', 'Sieger Maschine 3', 'TBD 3000'])(
  "the corner '%s' is a bot",
  (cell) => {
    const { lines, problems } = leagueOf(`Axe,${cell},${cell},,,,\n`)
    expect([problems, lines]).toEqual([[], [`W-1 done: Axe loser, ${cell} winner`]])
  },
)
