import { expect, test } from 'bun:test'
import { sheetLeague } from './imports.ts'

const readCorner = (cell: string) => {
  const { league, problems } = sheetLeague({
    'tournaments.csv': 'tournament,weight\ncup,3\n',
    'fights.csv': `red,blue,winner,method\nAxe,"${cell}",Axe,KO\n`,
  })
  return { games: league.flatMap(({ games = [] }) => games), problems }
}

test.each([
  ['Spanish', '#¡REF! #¿NOMBRE? #¡VALOR! #¡DIV/0! #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #¡CALC!'],
  ['German', '#BEZUG! #WERT! #NAME? #NV #ZAHL! #ÜBERLAUF! #KALK! #DATEN_ABRUFEN'],
  ['French', '#NOM? #VALEUR! #NOMBRE! #NUL! #PROPAGATION! #CHAMP! #N/A'],
  ['Italian and Dutch', '#NOME? #RIF! #VALORE! #N/D #NAAM? #VERW! #WAARDE! #GETAL! #N/B #DEEL/0!'],
  ['Polish and Czech', '#ADR! #ARG! #NAZWA? #LICZBA! #N/D! #DĚLENÍ_NULOU! #NENÍ_K_DISPOZICI'],
  ['Russian and Turkish', '#ИМЯ? #ССЫЛКА! #ЗНАЧ! #Н/Д #ДЕЛ/0! #AD? #BAŞV! #DEĞER! #YOK'],
  ['Nordic and Hungarian', '#SAKNAS! #VÄRDEFEL! #I/T #VÆRDI! #PUUTTUU! #ARVO! #HIV! #ÉRTÉK!'],
  ['any', '#SPILL! #CALC! #FIELD! #CONNECT! #BLOCKED! #GETTING_DATA #BUSY! #NULL! ＃REF！ #MACRO?'],
  ['LibreOffice', 'Err:508 Err:522 err:502 Fehler:508 Erreur:504 Ошибка:508 ###'],
  ['waiting', 'Loading... Loading… Cargando... Chargement… 読み込み中… 正在加载... Загрузка...'],
])('the %s errors %s are no bots', (_, cells) => {
  for (const cell of cells.split(' ')) {
    const { games, problems } = readCorner(cell)
    expect([cell, games, problems.map(({ where }) => where)]).toEqual([cell, [], ['fights.csv:2']])
    expect(problems[0]?.reason).toStartWith(`'${cell}' in 'blue' is no value: `)
  }
})

test('a cell that still computes is an error that says to wait', () => {
  for (const cell of ['Wird geladen…', 'Bezig met laden...', 'A carregar …'])
    expect(readCorner(cell).problems).toMatchObject([
      { where: 'fights.csv:2', reason: expect.stringContaining('wait until the sheet') },
    ])
})

test.each(['#1', '#Winning!', 'Loading', 'Err 5', 'Ref!', 'N/A Racing', 'Number #9!', 'Wait…'])(
  'the bot %s is no error of a formula',
  (cell) => {
    expect(readCorner(cell).problems).toEqual([])
  },
)
