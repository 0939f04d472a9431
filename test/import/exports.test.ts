import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../process.ts'
import { importHere, reading, sheetLeague } from './imports.ts'

const tournaments = 'tournament,weight,format\ncup,3,round_robin\n'
const listOf = (problems: readonly { where: string; reason: string }[]) =>
  problems.map(({ where, reason }) => `${where} ${reason}`)

test('a fight that an export marks as forfeited is won by forfeit, unless it has a method', () => {
  const { league, problems, doubts } = sheetLeague({
    'tournaments.csv': tournaments,
    'fights.csv': [
      'player1_name,player2_name,winner,method,forfeited',
      'Axe,Bolt,Axe,,true',
      'Axe,Club,Axe,,false',
      'Bolt,Club,Bolt,DQ,TRUE',
      'Bolt,Axe,,,',
      'Club,Axe,Axe,,perhaps',
    ],
  })
  expect(league[0]?.games?.map(({ winAnnotation }) => winAnnotation)).toEqual([
    'FF',
    null,
    'DQ',
    null,
  ])
  expect([listOf(problems), doubts]).toEqual([["fights.csv:6 'perhaps' is neither yes nor no"], []])
})

describe('a folder with several files of fights', () => {
  const folderOf = async (files: Readonly<Record<string, string>>) => {
    const folder = await temporaryFolder()
    await Bun.write(join(folder, 'tournaments.csv'), tournaments)
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text)
    return folder
  }
  const head = 'red,blue,winner\n'

  test('several files of fights are read in the order of their names, and copies are not', async () => {
    const folder = await folderOf({
      'fights.csv': `${head}Axe,Bolt,Axe\n`,
      'fights-10.csv': `${head}Bolt,Club,Bolt\n`,
      'fights-2.csv': `blue,red,winner\nClub,Axe,Axe\n`,
      'fights (1).csv': `${head}Axe,Bolt,Axe\n`,
      'fights - Copy.csv': `${head}Axe,Bolt,Axe\n`,
      'fights.csv.bak': `${head}Axe,Bolt,Axe\n`,
    })
    const out = join(folder, 'a.cageside')
    const run = await importHere('csv', folder, '--out', out)
    expect(run).toMatchObject({ status: 0, err: '' })
    expect(run.out).toContain('fights-2.csv')
    expect(run.out).toContain('fights (1).csv     not read, as its name is that of a copy')
    await reading(out, async (read) => {
      const { fights } = await read('/tournaments/cup/fights')
      const names = fights.map(({ id, player1, player2 }: Record<string, string>) => [
        id,
        player1,
        player2,
      ])
      expect(names.sort()).toEqual([
        ['RR-1', 'Axe', 'Bolt'],
        ['RR-2', 'Axe', 'Club'],
        ['RR-3', 'Bolt', 'Club'],
      ])
    })
  })

  test('mistakes are listed with the file, and fights.csv itself can be missing', async () => {
    const folder = await folderOf({
      'Fights Day 1.csv': `${head}Axe,Bolt,Axe\n`,
      'Fights Day 2.csv': `${head}Axe,Club,Claw\n`,
    })
    const { out } = await importHere('csv', folder, '--out', join(folder, 'a.cageside'))
    expect(out).toContain("Fights Day 2.csv:2  the winner 'Claw' is in neither corner")
  })
})

describe('a sheet with columns of the event and the class', () => {
  const fights = [
    'Event,Class,Red,Blue,Winner',
    'Spring Bash,Beetleweight,Axe,Bolt,Axe',
    'Spring Bash,150 g,Club,Dart,Dart',
    'Fall Brawl,Beetleweight,Axe,Bolt,Bolt',
    'Spring Bash,Beetleweight,Axe,Edge,Edge',
  ]
  const leagueOf = (files: Readonly<Record<string, readonly string[] | string>>) => {
    const { league, problems, doubts } = sheetLeague(files)
    const events = league.map(({ tournament: { id, name, weightGrams }, games = [] }) =>
      [id, name, weightGrams, games.length].join(' | '),
    )
    return { events, problems: listOf(problems), doubts: listOf(doubts) }
  }

  test('each pair is a tournament, which is said once', () => {
    const { events, problems, doubts } = leagueOf({ 'fights.csv': fights })
    expect(problems).toEqual([])
    expect(events).toEqual([
      'spring-bash-beetleweight | Spring Bash, Beetleweight | 1361 | 2',
      'spring-bash-150-g | Spring Bash, 150 g | 150 | 1',
      'fall-brawl-beetleweight | Fall Brawl, Beetleweight | 1361 | 1',
    ])
    expect(doubts.filter((each) => each.includes('is the tournament'))).toEqual([
      "fights.csv:2 'Spring Bash, Beetleweight' is the tournament 'spring-bash-beetleweight': " +
        'a line of tournaments.csv can give its start and format',
      expect.stringContaining('fights.csv:3'),
      expect.stringContaining('fights.csv:4'),
    ])
  })

  test('lines of tournaments.csv with these ids are taken, and players have the same columns', () => {
    const { events, problems } = leagueOf({
      'tournaments.csv': [
        'tournament,name,weight',
        'spring-bash-beetleweight,Bash!,3',
        'fall-brawl-beetleweight,Brawl!,3',
      ],
      'players.csv': [
        'event,class,name,place',
        'Spring Bash,150 g,Dart,1',
        'Spring Bash,150 g,Club,2',
      ],
      'fights.csv': fights,
    })
    expect(problems).toEqual([])
    expect(events).toEqual([
      'spring-bash-beetleweight | Bash! | 1361 | 2',
      'fall-brawl-beetleweight | Brawl! | 1361 | 1',
      'spring-bash-150-g | Spring Bash, 150 g | 150 | 1',
    ])
  })

  test('other words for the event and the class are understood', () => {
    const { events, problems } = leagueOf({
      'fights.csv': ['Turnier;Gewichtsklasse;Rot;Blau', 'Größe 26;1,5 kg;Axe;Bolt'],
    })
    expect([problems, events]).toEqual([[], ['größe-26-1-5-kg | Größe 26, 1,5 kg | 1500 | 1']])
  })

  test('a class that is no weight is an error of its line', () => {
    expect(
      leagueOf({ 'fights.csv': ['event,class,red,blue', 'Bash,Open,Axe,Bolt'] }),
    ).toMatchObject({
      events: [],
      problems: [expect.stringContaining("fights.csv:2 'Open' is no weight")],
    })
  })

  test('several pairs are doubted where tournaments.csv has one line, which has them all', () => {
    const one = { 'tournaments.csv': 'tournament,weight,active\ncup,3,yes\n', 'fights.csv': fights }
    const { events, doubts } = leagueOf(one)
    expect(events).toEqual(['cup | cup | 1361 | 4'])
    expect(doubts).toContainEqual(expect.stringContaining('name 3 tournaments'))
    expect(leagueOf({ ...one, 'fights.csv': fights.slice(0, 2) }).doubts).toEqual([])
  })

  test('a folder without tournaments.csv and without these columns is refused', async () => {
    const folder = await temporaryFolder()
    await Bun.write(join(folder, 'fights.csv'), 'tournament,red,blue\ncup,Axe,Bolt\n')
    const { out, status } = await importHere('csv', folder, '--out', join(folder, 'a.cageside'))
    expect(status).toBe(1)
    expect(out).toContain('tournaments.csv  there is no such file, and fights.csv has no columns')
    expect(out).toContain('Lines that cannot be used (1)')
  })
})
