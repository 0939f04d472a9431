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

  test('they are read in the order of their names, and copies are not', async () => {
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
