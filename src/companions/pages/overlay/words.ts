import { type Static, Type } from '@sinclair/typebox'
import { fightWords } from '../../../api/fights/words.ts'
import type { Fight } from '../../../data/league/types.ts'

/** A language of the words over the film. */
export const Language = Type.Union([
  Type.Literal('en'),
  Type.Literal('de'),
  Type.Literal('es'),
  Type.Literal('fr'),
  Type.Literal('it'),
  Type.Literal('ja'),
  Type.Literal('nl'),
  Type.Literal('pl'),
  Type.Literal('pt'),
])
export type Language = Static<typeof Language>

export const languages: readonly Language[] = Language.anyOf.map((each) => each.const)

const texts = {
  en: ['Up next', 'Now fighting', 'Paused', 'Result', 'Over', 'Winner', 'Cage'],
  de: ['Als Nächstes', 'Im Kampf', 'Pause', 'Ergebnis', 'Vorbei', 'Sieg', 'Käfig'],
  es: ['A continuación', 'En combate', 'En pausa', 'Resultado', 'Terminado', 'Ganador', 'Jaula'],
  fr: ['À suivre', 'En combat', 'En pause', 'Résultat', 'Terminé', 'Vainqueur', 'Cage'],
  it: ['Prossimo', 'In corso', 'In pausa', 'Risultato', 'Finito', 'Vincitore', 'Gabbia'],
  ja: ['次の試合', '試合中', '中断', '結果', '終了', '勝者', 'ケージ'],
  nl: ['Straks', 'Nu bezig', 'Pauze', 'Uitslag', 'Afgelopen', 'Winnaar', 'Kooi'],
  pl: ['Następna walka', 'Teraz walczą', 'Przerwa', 'Wynik', 'Koniec', 'Wygrana', 'Klatka'],
  pt: ['A seguir', 'Em combate', 'Em pausa', 'Resultado', 'Terminado', 'Vencedor', 'Gaiola'],
} as const satisfies Readonly<Record<Language, readonly string[]>>

/** Texts of an overlay besides names. */
export const wordsOf = (language: Language) => {
  const [next, now, paused, result, over, winner, cage] = texts[language]
  return { language, next, now, paused, result, over, winner, cage } as const
}
export type Words = ReturnType<typeof wordsOf>

/** Name of a fight, with words if the language is English. */
export const fightName = (fight: Fight, { language }: Words): string =>
  language === 'en' ? fightWords(fight) : fight.name

/** `Cage 2` in another language; names that a league gave its cages stay. */
export const cageName = (cage: string, words: Words): string =>
  cage.replace(/^Cage (?=\d+$)/, `${words.cage} `)
