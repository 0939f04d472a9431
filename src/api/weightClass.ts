import { Type } from '@sinclair/typebox'
import type { Data } from '../http/trackedArchive.ts'
import { isOfClass, type WeightClass } from '../league/weightClass.ts'

/** A class in pounds or by name, of which handlers get the key. */
export const weightClassParameter = (description: string) =>
  Type.Optional(
    Type.Union(
      [Type.Integer({ minimum: 0, maximum: 1_000_000 }), Type.String({ 'x-read': 'className' })],
      {
        description: `${description}, in pounds, or by its name where the league gives one`,
      },
    ),
  )

/** The class of a parameter, by which {@link isOfClass} finds its fights. */
export interface WantedClass extends WeightClass {
  readonly key: string | number
}

/** Undefined without a parameter, and for a name that no tournament has. */
export const findClass = (
  { dataset }: Pick<Data, 'dataset'>,
  key: string | number | undefined,
): WantedClass | undefined => {
  if (key === undefined) return undefined
  if (typeof key === 'number') return { key, weightClassPounds: key, weightClassName: null }
  const named = dataset.tournaments.find(({ info }) => isOfClass(info, key))?.info
  return (
    named && {
      key,
      weightClassPounds: named.weightClassPounds,
      weightClassName: named.weightClassName,
    }
  )
}
