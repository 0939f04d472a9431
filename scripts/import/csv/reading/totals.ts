/** First words of a line below a table that adds it up. */
const totals: ReadonlySet<string> = new Set(
  `total totals sum subtotal count average mean summe gesamt gesamtsumme insgesamt anzahl durchschnitt mittelwert suma
   total general totale somme moyenne media totaal gemiddelde razem suma łącznie średnia soma média итого всего сумма
   среднее toplam ortalama 合計 小計 平均 总计 總計 合计 总和 합계 총계`.split(/\s+/),
)

/** What such a line counts. */
const counted =
  'fights|matches|bouts|bots|robots|kämpfe|roboter|combats|combates|lutas|incontri|gevechten|walk|бои|боев'

/** A number, also with a unit or a percent sign, and a length; or what is counted. */
const figure = new RegExp(`^(${counted}|(?=.*\\d)[\\d.,:%+\\s\\u00a0-]+\\p{L}{0,12}\\.?)$`, 'u')

/** True for a line that begins with a word such as `Total` and otherwise has figures. */
export const isTotal = (cells: readonly string[]): boolean => {
  const [first = '', ...others] = cells.filter(Boolean)
  const [, word = '', rest = ''] = /^([^\s:]+):?\s*(.*)$/.exec(first.toLowerCase()) ?? []
  const isFigure = (cell: string): boolean => cell === '' || totals.has(cell) || figure.test(cell)
  return totals.has(word) && [rest, ...others].every(isFigure)
}
