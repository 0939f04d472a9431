import { readId } from './cells.ts'
import { isOneLetterApart } from './names.ts'

/** A word in any script without signs: only letters and digits, `Judges’ Décision` is `judgesdecision`. */
const plain = (cell: string): string =>
  cell
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC')

/** Meanings by word, from the words of each meaning, separated by spaces. */
const meanings = <Meaning extends string>(
  words: Readonly<Record<Meaning, string>>,
): ReadonlyMap<string, Meaning> => {
  const isMeaning = (each: string): each is Meaning => each in words
  return new Map(
    Object.keys(words)
      .filter(isMeaning)
      .flatMap((each) => words[each].split(/\s+/).map((word) => [plain(word), each] as const)),
  )
}

/**
 * Words in English, German, Spanish, French, Italian, Dutch, Polish, Portuguese, Russian, Chinese, Japanese and Korean,
 * like all words here.
 */
const outcomes = meanings({
  red: `red rot rojo roja rouge rosso rossa rood czerwony vermelho vermelha красный 红 红方 紅 紅方 赤 赤コーナー
    홍 홍코너`,
  blue: 'blue blau azul bleu blu blauw niebieski синий 蓝 蓝方 藍 藍方 青 青コーナー 청 청코너',
  draw: `draw tie unentschieden empate nul égalité pareggio pari gelijk gelijkspel remis ничья 平局 平手 平 引き分け 引分
    引分け 무승부`,
})

const corners = meanings({
  open: `TBD TBA TBC tobedecided tobedetermined offen unbekannt adefinir pordefinir àdéterminer dadefinire nogonbekend
    doustalenia неизвестно 待定 未定 미정`,
  bye: 'bye freilos exempt exento folga vrijloting wolnylos 轮空 輪空 不戦 부전승',
})

/** First word of a corner that is named after another fight: `Winner of 3`, `Sieger Kampf W-2`. */
const origins = new Set(
  `winner loser sieger gewinner verlierer vencedor perdedor ganador vainqueur gagnant perdant vincitore
    perdente`.split(/\s+/),
)
/** Words between it and the number of that fight, besides those of one or two letters. */
const originWords = new Set(
  `of from the fight match game bout battle round semi semifinal final quarter quarterfinal heat group pool set
    kampf duell spiel runde halbfinale viertelfinale von vom aus des der dem combate pelea lucha luta partida jogo
    ronda del las los combat tour demi finale dell della incontro lotta`.split(/\s+/),
)

const comesFrom = (cell: string): boolean => {
  const [origin = '', ...rest] = cell.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
  const number = rest.pop() ?? ''
  return (
    origins.has(origin) &&
    /^\d{1,3}$/.test(number) &&
    rest.every((word) => word.length <= 2 || originWords.has(word))
  )
}

/** Kind of a corner that is a bye, or open until its bot is known; undefined for a name. */
export const cornerOf = (cell: string): 'open' | 'bye' | undefined =>
  /^(\?{0,3}|[.–—-]*)$/.test(cell) || comesFrom(cell)
    ? 'open'
    : corners.get(plain(cell).replace(/\d{1,3}$/, ''))

/**
 * Headings of the columns in German, Spanish, French, Portuguese, Italian, Dutch, Polish, Russian, Japanese, Chinese and
 * Korean.
 */
const headings: ReadonlyMap<string, string> = meanings({
  tournament: `Turnier torneo tournoi torneio evento toernooi turniej турнир соревнование событие 大会 トーナメント 比赛 比賽 赛事
    賽事 대회`,
  name: 'Roboter Robotername nombre nom nome robô naam nazwa имя название робот ロボット ロボット名 机体名 名前 机器人 機器人 名称 이름 로봇',
  weight: `class Klasse Gewicht Gewichtsklasse peso poids categoria categoría catégorie gewichtsklasse klasa waga класс
    вес 階級 重量 级别 級別 체급`,
  active: 'läuft aktiv activo actif ativo attivo actief aktywny активен',
  team: 'Mannschaft equipo équipe equipe squadra ploeg drużyna команда チーム 队伍 隊伍 팀',
  driver:
    'Fahrer Pilot piloto pilote pilota bestuurder kierowca operator пилот оператор 操縦者 操手 조종사',
  place:
    'Platz Platzierung Rang lugar puesto rang colocação posto plaats miejsce место 順位 名次 排名 순위',
  seed: 'Setzplatz посев シード 种子 種子 시드',
  red: 'Rot roteEcke rojo rouge vermelho rosso rood czerwony красный красныйугол 赤 赤コーナー 红 红方 紅 紅方 홍 홍코너',
  blue: 'Blau blaueEcke azul bleu angoloblu blauw niebieski синий синийугол 青 青コーナー 蓝 蓝方 藍 藍方 청 청코너',
  winner:
    'Sieger Gewinner ganador vainqueur gagnant vencedor vincitore winnaar zwycięzca победитель 勝者 胜者 승자',
  loser: `losername Verlierer perdedor perdedora vencido perdant perdente verliezer przegrany проигравший 敗者 败者 輸家
    패자`,
  method:
    'Art Siegart Methode método méthode metodo wijze metoda метод способ 決まり手 勝ち方 方式 방법',
  round: 'Runde ronda tour manche rodada turno runda раунд тур ラウンド 回戦 轮次 輪次 라운드',
  stage: 'fase etapa этап ステージ 阶段 階段',
  bracket: 'Baum chave llave tableau tabellone drabinka сетка',
  cage: 'Käfig jaula gaiola gabbia kooi klatka арена клетка アリーナ 场地 場地 경기장',
  start: `Beginn Uhrzeit hora inicio heure début início ora inizio tijd aanvang czas godzina начало время 開始 開始時刻
    时间 時間 开始 시작`,
  end: 'Ende fin fim fine einde koniec конец 終了 结束 結束 종료',
  length: 'Dauer duración durée duração durata duur długość длительность 試合時間 时长 時長',
  scheduled: 'geplant previsto prévu gepland planowany план 予定',
  notice: 'Bemerkung remarque observação nota opmerking uwaga примечание 備考 备注 備註 비고',
  camera: 'Kamera cámara caméra câmera telecamera камера カメラ 相机',
  address: 'Adresse dirección endereço indirizzo adres адрес',
})
/** The column of a heading in another language. */
export const columnOf = (heading: string): string | undefined => headings.get(plain(heading))

export type Outcome = 'red' | 'blue' | 'draw' | 'none' | undefined

/** The corner that a word names, or a draw. */
export const outcomeOf = (cell: string): Outcome => outcomes.get(plain(cell))

const methods = meanings({
  KO: `KO knockout nocaute nocaut noqueo noqueado nokaut horscombat misehorscombat kampfunfähig нокаут 击倒 击倒胜 擊倒
    ノックアウト 녹아웃`,
  TKO: `TKO technicalknockout technicalko technischerknockout technischerko kotechnique kotecnico nocautetécnico
    nocauttécnico nokauttechniczny technicznynokaut техническийнокаут 技术击倒 技術擊倒 テクニカルノックアウト`,
  TO: `TO tap tapout tappedout surrender submission desistência desistiu desistio desistimiento rendición rendicion
    abandono abandon abbandono resa aufgabe aufgegeben opgave opgegeven poddanie poddałsię сдался сдача отказ 认输 認輸 投降 ギブアップ
    タップアウト タップ 降参 기권`,
  JD: `JD decision judges judgedecision judgesdecision unanimousdecision splitdecision majoritydecision
    unanimous judged points onpoints
    decisão decisãodosjuízes decisãodosjurados decisãounânime decisãodividida pontos porpontos juízes decisión
    decisióndelosjueces decisiónunánime decisióndividida puntos porpuntos jueces jury juryentscheid juryentscheidung
    jurywertung richterentscheid richterentscheidung kampfrichterentscheid schiedsrichterentscheid entscheidung
    punkte nachpunkten punktsieg décisiondesjuges décisiondujury auxpoints juges decisione decisionedeigiudici
    giudici aipunti jurybeslissing beslissing oppunten decyzjasędziów decyzja sędziowie napunkty 判定 判定胜 判定勝 判定勝ち
    裁判判定 评委判定 点数 點數 решениесудей судьи поочкам 판정`,
  FF: `FF forfeit forfeited walkover WO noshow nãocompareceu ausência incomparecencia nopresentado
    ausencia kampflos nichtangetreten verzicht forfait nonpresentato assenza nietopgekomen walkower неявка 弃权 棄權 缺席
    不戦勝 不戦敗 棄権`,
  DQ: `DQ disqualification disqualified desclassificação desclassificado desclassificada descalificación descalificado
    descalificada disqualifikation disqualifiziert disqualifié disqualifiée squalifica squalificato diskwalificatie
    gediskwalificeerd dyskwalifikacja дисквалификация дисквалифицирован 取消资格 取消資格 犯规 犯規 失格 反則 실격`,
})

/** Shorter words are one letter from words with another meaning. */
const minMistyped = 4

/** Meaning of a word of which one letter is wrong, if all such words mean the same. */
const mistyped = (word: string): string | undefined => {
  if (word.length < minMistyped) return undefined
  const found = methods
    .entries()
    .filter(([known]) => known.length >= minMistyped && isOneLetterApart(known, word))
  const codes = new Set(found.map(([, code]) => code))
  return codes.size === 1 ? [...codes][0] : undefined
}

/** Meaning of the words within a text such as `Judges 2-1` or `win by KO`, if all of them mean the same. */
const within = (cell: string): string | undefined => {
  const words = cell.split(/[^\p{L}\p{M}’']+/u).filter((word) => word !== '' && word !== 'to')
  const codes = new Set<string>()
  for (let start = 0; start < words.length; ) {
    const lengths = words.map((_, index) => words.length - index)
    const length = lengths.find((each) =>
      methods.has(plain(words.slice(start, start + each).join(''))),
    )
    const code = length && methods.get(plain(words.slice(start, start + length).join('')))
    if (code) codes.add(code)
    start += length ?? 1
  }
  return codes.size === 1 ? [...codes][0] : undefined
}

/** How a fight was won: `isExact` for a known word, `isKnown` also for one that is probably meant. */
export const understandMethod = (cell: string) => {
  const exact = cell === '' ? null : methods.get(plain(cell))
  if (exact !== undefined) return { code: exact, isExact: true, isKnown: true }
  const meant = mistyped(plain(cell)) ?? within(cell)
  return { code: meant ?? cell.toUpperCase(), isExact: false, isKnown: meant !== undefined }
}

/** How a fight was won, abbreviated as in statistics; unknown words in capitals; null for an empty cell. */
export const readMethod = (cell: string): string | null => understandMethod(cell).code

const brackets = meanings({
  W: `winners winner upper main WB gewinner gewinnerrunde siegerrunde ganadores vencedores gagnants vincitori winnaars
    wygrani 胜者组 勝者組 勝者側`,
  L: `losers loser lower LB verlierer verliererrunde hoffnungsrunde perdedores repescagem repechaje perdants repêchage
    perdenti ripescaggio verliezers przegrani 败者组 敗者組 敗者側 敗者復活`,
  RR: 'roundrobin group',
})

/** Id of a bracket: `Losers` and `Lower bracket` are `L`; other names stay. */
export const readBracket = (cell: string): string =>
  brackets.get(plain(cell.replace(/[\s_-]*brackets?$/i, ''))) ?? readId(cell)
