import { Type } from '@sinclair/typebox'
import { isOfClass, type WeightClass, weightClassKey } from '../data/league/weightClass.ts'
import type { Settable } from '../http/htmlPage.ts'
import { ignore } from '../http/parameters.ts'
import type { Data } from '../http/trackedArchive.ts'

/** A class by pounds or name; handlers get its key. */
export const weightClassParameter = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 0, maximum: 1_000_000, 'x-read': 'pounds' }),
        Type.String({ 'x-read': 'className' }),
      ],
      {
        description: `${description}: in pounds (\`30\`, \`30lb\`), by its metric weight (\`150 g\`) or by its name, if the league has one`,
      },
    ),
  )

/** The class of a parameter; {@link isOfClass} finds its fights. */
export interface WantedClass extends WeightClass {
  readonly key: string | number
}

const metric = /^(\d+(?:\.\d+)?)(k?g)$/
const gramsPerPound = 453.592_37

/**
 * The class that a parameter names; undefined without a parameter, or if the text is neither a weight nor a class name.
 */
export const findClass = (
  { dataset }: Pick<Data, 'dataset'>,
  key: string | number | undefined,
): WantedClass | undefined => {
  if (key === undefined) return undefined
  if (typeof key === 'number') return { key, weightClassPounds: key, weightClassName: null }
  const [, amount, unit] = metric.exec(key) ?? []
  const grams = Math.round(Number(amount) * (unit === 'kg' ? 1000 : 1))
  const named =
    dataset.tournaments.find(({ info }) => isOfClass(info, key))?.info ??
    dataset.tournaments.find(({ info }) => info.weightGrams === grams)?.info
  if (!named && amount !== undefined) {
    const weightClassPounds = Math.max(1, Math.round(grams / gramsPerPound))
    return { key, weightClassPounds, weightClassName: key }
  }
  return (
    named && {
      key: weightClassKey(named),
      weightClassPounds: named.weightClassPounds,
      weightClassName: named.weightClassName,
    }
  )
}

/** Class parameter of a route that reports an ignored parameter in its response. */
export const classOrIgnored = (
  archive: Pick<Data, 'dataset'>,
  key: string | number | undefined,
  set: Settable,
): WantedClass | undefined => {
  const wanted = findClass(archive, key)
  if (key !== undefined && !wanted) ignore(set, 'weightClass')
  return wanted
}
