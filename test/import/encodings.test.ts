import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../process.ts'
import { importHere, sheetLeague } from './imports.ts'

type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>

/** Bytes of the characters of an encoding, from what a decoder reads for one and for two bytes. */
const bytesOf = (encoding: Encoding): ReadonlyMap<string, readonly number[]> => {
  const decoder = new TextDecoder(encoding)
  const found = new Map<string, readonly number[]>()
  const note = (...bytes: readonly number[]): void => {
    const character = decoder.decode(Uint8Array.from(bytes))
    const isOne = [...character].length === 1 && character !== '\ufffd'
    if (isOne && !found.has(character)) found.set(character, bytes)
  }
  for (let byte = 0; byte < 256; byte += 1) note(byte)
  if (/^(shift|euc|big5|gb)/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let trail = 0x40; trail < 0xff; trail += 1) note(lead, trail)
  }
  return found
}

const encode = (text: string, encoding: Encoding): Uint8Array => {
  const table = bytesOf(encoding)
  return Uint8Array.from([...text].flatMap((character) => table.get(character) ?? []))
}

const tournaments = 'tournament,weight,start\ncup,3,2026-03-14 10:00\n'
const sheetOf = (names: readonly string[]) =>
  `red,blue,winner\n${names.map((name) => `${name},Axe,${name}\n`).join('')}`
const botsOf = (content: string | Uint8Array, encoding?: string) => {
  const found = sheetLeague({ 'tournaments.csv': tournaments, 'fights.csv': content }, { encoding })
  const names = found.league.flatMap(({ players = [] }) => players.map(({ name }) => name))
  return { ...found, names: names.filter((name) => name !== 'Axe') }
}

const sheets: readonly (readonly [Encoding, readonly string[]])[] = [
  ['shift_jis', ['ロボ一号', '雷神', 'カブト', '鉄人28号']],
  ['euc-jp', ['ロボ一号', '雷神', 'カブト', 'さくら']],
  ['gb18030', ['铁甲', '闪电', '飞龙', '钢铁侠']],
  ['big5', ['鐵甲', '閃電', '飛龍', '鋼鐵人']],
  ['euc-kr', ['번개', '호랑이', '천둥', '로봇']],
  ['windows-1250', ['Żółw', 'Łoś', 'Błyskawica', 'Příšera']],
  ['windows-1251', ['Молния', 'Гром', 'Медведь', 'Вихрь']],
  ['windows-1252', ['Bläde', 'Édge', 'Größe', 'Señor']],
  ['windows-1253', ['Αστραπή', 'Κεραυνός', 'Λύκος']],
  ['windows-1254', ['Yıldırım', 'Şimşek', 'Ağaç']],
  ['koi8-r', ['Молния', 'Гром', 'Медведь', 'Вихрь']],
  ['macintosh', ['Bläde', 'Édge', 'Größe', 'Señor']],
  ['ibm866', ['Молния', 'Гром', 'Медведь']],
]

describe('a sheet that is not UTF-8', () => {
  test.each(sheets)(
    'names in %s are read as they were typed, and listed with the encoding',
    (encoding, typed) => {
      const { names, problems, notes } = botsOf(encode(sheetOf(typed), encoding))
      expect(names).toEqual([...typed])
      expect(problems).toEqual([])
      expect(notes).toEqual([
        {
          where: 'fights.csv',
          reason: `read as ${encoding}: '${typed[0]}' and '${typed[1]}'; if wrong, add --encoding NAME`,
        },
      ])
    },
  )

  test.each([
    ['windows-1254', ['Müller', 'Çelik', 'Şahin']],
    ['windows-1250', ['Žižka', 'Řeka', 'Šíp']],
    ['windows-1250', ['Müller', 'Źrebak']],
    ['windows-1252', ['Müller']],
    ['windows-1251', ['Молот']],
    ['shift_jis', ['カブト']],
  ] as const)('few names in %s, %p, are read by the letters of one language', (encoding, typed) => {
    expect(botsOf(encode(sheetOf(typed), encoding)).names).toEqual([...typed])
  })

  test('--encoding decides, by any of the names that programs use', () => {
    const bytes = encode(sheetOf(['Žižka']), 'windows-1250')
    for (const name of ['windows-1250', 'CP1250', 'Windows 1250'])
      expect(botsOf(bytes, name).names).toEqual(['Žižka'])
    expect(botsOf(encode(sheetOf(['雷']), 'euc-jp'), 'EUC-JP').names).toEqual(['雷'])
    expect(() => botsOf(bytes, 'klingon')).toThrow(
      '--encoding must be a name such as shift_jis or windows-1251',
    )
  })

  test('bytes that --encoding does not have, and controls, are listed with line and column', () => {
    const bytes = encode(sheetOf(['Żółw']), 'windows-1250')
    expect(botsOf(bytes, 'utf-8').problems).toMatchObject([
      { where: 'fights.csv:2:1', reason: 'bytes that are not UTF-8' },
    ])
    expect(botsOf(encode(sheetOf(['Größe']), 'macintosh'), 'latin1').problems).toEqual([])
    expect(botsOf(Buffer.from(sheetOf(['A\u0085xe']))).problems).toMatchObject([
      { where: 'fights.csv:2:2', reason: expect.stringContaining('--encoding') },
    ])
  })

  test('bytes that are likely text in no encoding are refused, and nothing else is said', async () => {
    const folder = await temporaryFolder()
    await Bun.write(join(folder, 'tournaments.csv'), tournaments)
    const noise = Uint8Array.from({ length: 40 }, (_, at) => 0x80 + ((at * 37) % 0x80))
    await Bun.write(
      join(folder, 'fights.csv'),
      Buffer.concat([Buffer.from('red,blue\n'), noise, Buffer.from(',Axe\n')]),
    )
    const { out, err } = await importHere('csv', folder, '--out', join(folder, 'a.cageside'))
    expect(out).toContain('fights.csv  the encoding of this file cannot be guessed: save it as CSV')
    expect(err).toContain('nothing is written')
  })

  test('the files of a folder are guessed together', () => {
    const { notes } = sheetLeague({
      'tournaments.csv': encode('tournament,name,weight\ncup,雷神,3\n', 'euc-jp'),
      'fights.csv': encode(sheetOf(['ロボ一号', 'カブト', 'さくら']), 'euc-jp'),
    })
    expect(notes.map(({ reason }) => reason.slice(0, 14))).toEqual([
      'read as euc-jp',
      'read as euc-jp',
    ])
  })
})

describe('a name without letters', () => {
  test.each([
    ['★★', "'★★' has no letter and no digit"],
    ['!!!', "'!!!' has no letter and no digit"],
    ['?????', "'?????' has lost letters: save the sheet as CSV UTF-8 again"],
  ])('the bot %s is an error with its line', (name, reason) => {
    const files = { 'tournaments.csv': tournaments, 'fights.csv': `red,blue\nAxe,${name}\n` }
    expect(sheetLeague(files).problems).toMatchObject([
      { where: 'fights.csv:2', reason: expect.stringContaining(reason) },
    ])
    const players = sheetLeague({ ...files, 'players.csv': `name\nAxe\n${name}\n` }).problems
    expect(players[0]).toMatchObject({
      where: 'players.csv:3',
      reason: expect.stringContaining(reason),
    })
  })

  test.each(['Caf\ufffd', 'M?ller', '???? 2', 'BlÃ¤de', 'Å»Ã³Å‚w'])(
    'the letters of the bot %s are doubted',
    (name) => {
      const { doubts, problems } = botsOf(`red,blue\nAxe,${name}\n`)
      expect([problems, doubts.map(({ where }) => where)]).toEqual([[], ['fights.csv:2']])
    },
  )

  test.each(['Who?', 'Größe', 'Ärger', 'Ça', '★ Star', 'Ångström', 'What? No!'])(
    'the letters of the bot %s are not doubted',
    (name) => {
      const { doubts, problems } = botsOf(`red,blue\nAxe,${name}\n`)
      expect([problems, doubts]).toEqual([[], []])
    },
  )
})
