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
 * Words in English, German, Spanish, French, Italian, Dutch, Polish, Portuguese, Chinese and Japanese, like all words
 * here.
 */
const outcomes = meanings({
  red: 'red rot rojo roja rouge rosso rossa rood czerwony vermelho vermelha 红 红方 紅 紅方 赤 赤コーナー',
  blue: 'blue blau azul bleu blu blauw niebieski 蓝 蓝方 藍 藍方 青 青コーナー',
  draw: `draw tie unentschieden empate nul égalité pareggio pari gelijk gelijkspel remis 平局 平手 平 引き分け 引分
    引分け`,
})

const corners = meanings({
  open: `TBD TBA TBC tobedecided tobedetermined offen unbekannt adefinir pordefinir àdéterminer dadefinire nogonbekend
    doustalenia 待定 未定`,
  bye: 'bye freilos exempt exento folga vrijloting wolnylos 轮空 輪空',
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

/** Headings of the columns in German, Spanish, French and Portuguese. */
const headings: ReadonlyMap<string, string> = meanings({
  tournament: 'Turnier torneo tournoi torneio evento',
  name: 'Roboter Robotername nombre nom nome robô',
  weight: 'class Klasse Gewicht Gewichtsklasse peso poids categoria categoría catégorie',
  active: 'läuft aktiv activo actif ativo',
  team: 'Mannschaft equipo équipe equipe',
  driver: 'Fahrer Pilot piloto pilote',
  place: 'Platz Platzierung Rang lugar puesto rang colocação',
  seed: 'Setzplatz',
  red: 'Rot roteEcke rojo rouge vermelho',
  blue: 'Blau blaueEcke azul bleu',
  winner: 'Sieger Gewinner ganador vainqueur gagnant vencedor',
  method: 'Art Siegart Methode método méthode',
  round: 'Runde ronda tour manche rodada',
  stage: 'fase etapa',
  bracket: 'Baum chave llave tableau',
  cage: 'Käfig jaula gaiola',
  start: 'Beginn Uhrzeit hora inicio heure début início',
  end: 'Ende fin fim',
  length: 'Dauer duración durée duração',
  scheduled: 'geplant previsto prévu',
  notice: 'Bemerkung remarque observação',
  camera: 'Kamera cámara caméra câmera',
  address: 'Adresse dirección endereço',
})
/** The column of a heading in another language. */
export const columnOf = (heading: string): string | undefined => headings.get(plain(heading))

export type Outcome = 'red' | 'blue' | 'draw' | 'none' | undefined

/** The corner that a word names, or a draw. */
export const outcomeOf = (cell: string): Outcome => outcomes.get(plain(cell))

const methods = meanings({
  KO: `KO knockout nocaute nocaut noqueo noqueado nokaut horscombat misehorscombat kampfunfähig 击倒 击倒胜 擊倒
    ノックアウト`,
  TKO: `TKO technicalknockout technicalko technischerknockout technischerko kotechnique kotecnico nocautetécnico
    nocauttécnico nokauttechniczny technicznynokaut 技术击倒 技術擊倒 テクニカルノックアウト`,
  TO: `TO tap tapout tappedout surrender submission desistência desistiu desistio desistimiento rendición rendicion
    abandono abandon abbandono resa aufgabe aufgegeben opgave opgegeven poddanie poddałsię 认输 認輸 投降 ギブアップ
    タップアウト タップ 降参`,
  JD: `JD decision judges judgedecision judgesdecision unanimousdecision splitdecision majoritydecision points onpoints
    decisão decisãodosjuízes decisãodosjurados decisãounânime decisãodividida pontos porpontos juízes decisión
    decisióndelosjueces decisiónunánime decisióndividida puntos porpuntos jueces jury juryentscheid juryentscheidung
    jurywertung richterentscheid richterentscheidung kampfrichterentscheid schiedsrichterentscheid entscheidung
    punkte nachpunkten punktsieg décisiondesjuges décisiondujury auxpoints juges decisione decisionedeigiudici
    giudici aipunti jurybeslissing beslissing oppunten decyzjasędziów decyzja sędziowie napunkty 判定 判定胜 判定勝 判定勝ち
    裁判判定 评委判定 点数 點數`,
  FF: `FF forfeit forfeited walkover WO noshow nãocompareceu ausência incomparecencia nopresentado
    ausencia kampflos nichtangetreten verzicht forfait nonpresentato assenza nietopgekomen walkower 弃权 棄權 缺席
    不戦勝 不戦敗 棄権`,
  DQ: `DQ disqualification disqualified desclassificação desclassificado desclassificada descalificación descalificado
    descalificada disqualifikation disqualifiziert disqualifié disqualifiée squalifica squalificato diskwalificatie
    gediskwalificeerd dyskwalifikacja 取消资格 取消資格 犯规 犯規 失格 反則`,
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
