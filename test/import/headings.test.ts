import { expect, test } from 'bun:test'
import { files } from '../../scripts/import/csv/columns.ts'
import { type Columns, readRows } from '../../scripts/import/csv/table.ts'

type File = keyof typeof files

/** Headings of sheets and of exports of bracket software, by meaning. */
const understood: Readonly<Record<File, Readonly<Record<string, string>>>> = {
  'tournaments.csv': { tournament: 'id, Tournament ID', weight: 'Weight class, lb' },
  'players.csv': {
    name: `Player, Bot, Robot, Entrant, Participant, Competitor, Display name, Participant name, Entrant name, Gamertag,
      Short gamertag`,
    seed: 'Seed Num, Initial Seed',
    place: 'Placement, Rank, Final Rank, Final Placement, Standing',
  },
  'fights.csv': {
    red: `Player 1, Bot 1, Robot 1, Entrant 1, Participant 1, Competitor 1, player1_name, Red corner, Red bot, red_bot`,
    blue: `Player 2, Bot 2, Robot 2, Entrant 2, Participant 2, Competitor 2, player2_name, Blue corner, BLUE BOT`,
    winner: 'Winner name',
    method: 'Win type, Result',
    score: 'Scores, scores_csv',
    round: 'Full Round Text, Round name',
    stage: 'Phase, Phase name',
    label: 'Identifier',
    fight: 'Game, id, Fight ID, match_id, Set ID',
    cage: 'Station, Arena',
    start: 'Time, Start time, started_at, underway_at',
    length: 'Duration, Match length',
    scheduled: 'scheduled_time',
    video: 'Film, Videos, Video URL, VOD, VOD URL',
  },
  'recordings.csv': {
    fight: 'Game, Game ID, Fight ID',
    start: 'Time, Start time',
    address: 'URL, Video, s3Path',
  },
  'cages.csv': { fight: 'Match, Now, Current', next: 'Queue, Up next' },
}

/** Headings in other languages, in every file that has the column. */
const translated: Readonly<Record<string, string>> = {
  tournament: 'Turnier, torneo, evento, tournoi, torneio',
  name: 'Roboter, Robotername, nombre, nom, nome, robô, naam, nazwa, Название, ロボット名, 机器人, 로봇',
  weight:
    'Gewicht, Gewichtsklasse, Klasse, peso, categoría, poids, catégorie, categoria, waga, Вес, 階級, 级别, 체급',
  active: 'läuft, aktiv, activo, actif, ativo',
  team: 'Mannschaft, equipo, équipe, equipe',
  driver: 'Fahrer, Pilot, piloto, pilote',
  place: 'Platz, Platzierung, Rang, lugar, puesto, colocação',
  seed: 'Setzplatz',
  red: 'Rot, rote Ecke, rojo, rouge, vermelho, rosso, rood, czerwony, Красный, 赤コーナー, 红方, 홍코너',
  blue: 'Blau, blaue Ecke, azul, bleu, angolo blu, blauw, niebieski, Синий, 青コーナー, 蓝方, 청코너',
  winner:
    'Sieger, Gewinner, ganador, vainqueur, gagnant, vencedor, vincitore, winnaar, zwycięzca, Победитель, 勝者, 胜者, 승자',
  method: 'Siegart, Methode, Art, método, méthode, metodo, metoda, Метод, 決まり手, 방법',
  round: 'Runde, ronda, tour, manche, rodada, runda, Раунд, ラウンド, 라운드',
  stage: 'fase, etapa',
  bracket: 'Baum, llave, tableau, chave',
  cage: 'Käfig, jaula, gaiola',
  start: 'Beginn, Uhrzeit, inicio, hora, début, heure, início',
  end: 'Ende, fin, fim',
  length: 'Dauer, duración, durée, duração',
  scheduled: 'geplant, previsto, prévu',
  notice: 'Bemerkung, remarque, observação',
  camera: 'Kamera, cámara, caméra, câmera',
  address: 'Adresse, dirección, endereço',
}

const all = Object.keys(files)
  .filter((file): file is File => file in files)
  .flatMap((file) =>
    [
      ...Object.entries(understood[file]),
      ...Object.entries(translated).filter(([column]) => column in files[file]),
    ].flatMap(([column, headings]) =>
      headings.split(',').map((heading) => [file, heading.trim(), column] as const),
    ),
  )

test('every translated heading is a column of a file', () => {
  const columns = new Set(Object.values(files).flatMap((each) => Object.keys(each)))
  expect(Object.keys(translated).filter((column) => !columns.has(column))).toEqual([])
})

test.each(all)('the %s heading %j is %s', (file, heading, column) => {
  const columns: Columns = files[file]
  const others = Object.entries(columns)
    .filter(([name, { isRequired }]) => isRequired && name !== column)
    .map(([name]) => name)
  const lines = [
    [heading, ...others],
    ['as written', ...others.map((name) => `some ${name}`)],
  ]
  const text = lines.map((cells) => cells.join(',')).join('\n')
  const found: unknown[] = []
  const refuse = (problem: unknown): unknown => found.push(problem)
  readRows(
    file,
    Buffer.from(`${text}\n`),
    columns,
    { report: refuse, ignore: refuse },
    ({ cells }) => found.push(cells),
  )
  expect(found).toEqual([expect.objectContaining({ [column]: 'as written' })])
})
