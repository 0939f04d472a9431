/** Errors of formulas without a final `!` or `?`, in the languages of Excel, LibreOffice and Google Sheets. */
const errors: ReadonlySet<string> = new Set(
  `#N/A #NV #N/D #N/B #I/T #Н/Д #YOK #HIÁNYZIK #NENÍ_K_DISPOZICI #SAKNAS #PUUTTUU #BRAK #ND #NULO #NULL #NUL
   #GETTING_DATA #DATEN_ABRUFEN #OBTENIENDO_DATOS #CHARGEMENT_DONNEES #OBTENTION_DONNEES #OBTENDO_DADOS
   #RECUPERO_DATI #GEGEVENS_OPHALEN #POBIERANIE_DANYCH #ПОЛУЧЕНИЕ_ДАННЫХ #ОЖИДАНИЕ_ДАННЫХ #VERI_ALINIYOR #BUSY`.split(
    /\s+/,
  ),
)

/** `#REF!` and `#NAME?` in every language: `#¡REF!`, `#BEZUG!`, `#ИМЯ?`, `#DIV/0!`. */
const errorSign = /^#[¡¿]?\p{Lu}[\p{Lu}\p{M}\d/_]*[!?]$/u

/** LibreOffice numbers other errors: `Err:508`, `Fehler:508`. */
const numberedError =
  /^(err|error|fehler|erreur|errore|erro|fout|błąd|ошибка|chyba|hiba|fel|feil|fejl|virhe|hata|エラー|错误|錯誤)[.:：\s]{1,3}[5-9]\d\d$/iu

/** What cells show while a sheet still computes, before the dots. */
const waiting: ReadonlySet<string> = new Set(
  `loading|wird geladen|lädt|laden|bezig met laden|cargando|chargement|chargement en cours|caricamento
   |caricamento in corso|carregando|a carregar|ładowanie|wczytywanie|trwa ładowanie|načítání|načítava sa|betöltés
   |загрузка|идет загрузка|завантаження|yükleniyor|indlæser|laster inn|läser in|ladataan|se încarcă|φόρτωση
   |読み込み中|読み込んでいます|正在加载|加载中|正在載入|載入中|로드 중|로딩 중|calculating|computing|berechnung
   |wird berechnet|calculando|calcul en cours|retrieving data|fetching data`
    .split('|')
    .map((words) => words.trim()),
)

const isError = (cell: string): boolean =>
  errors.has(cell.toUpperCase()) || errorSign.test(cell) || numberedError.test(cell)

const isFormula = (cell: string): boolean => /^=.+$/.test(cell)

/** The hashes that a spreadsheet shows for a number in a narrow column. */
const isTooNarrow = (cell: string): boolean => /^#{2,}$/.test(cell)

const isWaiting = (cell: string): boolean => {
  const [, words] = /^(.+?)\s*(?:\.{2,}|。{2,})$/.exec(cell) ?? []
  return words !== undefined && waiting.has(words.toLowerCase())
}

const kinds: readonly (readonly [isKind: (cell: string) => boolean, remedy: string])[] = [
  [isError, 'mend its formula'],
  [isFormula, 'mend its formula'],
  [isTooNarrow, 'make its column wider and save the file again'],
  [isWaiting, 'wait until the sheet has computed it, then save the file again'],
]

/** What to do about a cell that shows an error or a formula instead of a value; undefined for a value. */
export const remedyOf = (cell: string): string | undefined => {
  // Full-width signs and `…` have plain forms.
  const plain = cell.normalize('NFKC')
  return kinds.find(([isKind]) => isKind(plain))?.[1]
}
