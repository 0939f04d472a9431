import { foldText } from './foldText.ts'
import type { TournamentInfo } from './types.ts'

/** A class of fights: pounds, and the name that the league gives it. */
export type WeightClass = Pick<TournamentInfo, 'weightClassPounds' | 'weightClassName'>

/** Name of a class for comparison, without case, spaces and hyphens: `1,5 kg` is `1.5kg`. */
export const classNameKey = (name: string): string =>
  foldText(name).replaceAll(',', '.').replaceAll(/[\s-]/g, '')

const knownKeys = new Map<string, string>()

/** Folding a name takes longer than all else that is done with a class. Bounded, because names come from outside. */
const knownClassNameKey = (name: string): string => {
  const key = knownKeys.get(name) ?? classNameKey(name)
  if (knownKeys.size < 10_000) knownKeys.set(name, key)
  return key
}

/**
 * The class that a fight counts in: the key of its name if one is set, else its pounds. The one function that
 * decides which fights are of one class, for records, filters, leaderboards and ratings.
 */
export const weightClassKey = ({
  weightClassName,
  weightClassPounds,
}: WeightClass): string | number =>
  weightClassName === null ? weightClassPounds : knownClassNameKey(weightClassName)

/** Display name of a class: `Beetleweight`, else `3 lb`; empty if both are unknown. */
export const weightClassLabel = ({ weightClassName, weightClassPounds }: WeightClass): string =>
  weightClassName ?? (weightClassPounds === 0 ? '' : `${weightClassPounds} lb`)

/** {@link weightClassLabel} for lists of classes; never empty. */
export const weightClassTitle = (weightClass: WeightClass): string =>
  weightClassLabel(weightClass) || 'no class'

/** Lightest first, then by key. */
export const lightestFirst = (a: WeightClass, b: WeightClass): number => {
  const [one, other] = [String(weightClassKey(a)), String(weightClassKey(b))]
  return a.weightClassPounds - b.weightClassPounds || (one < other ? -1 : one > other ? 1 : 0)
}

/** True if a class is the wanted one, given by its pounds or by the key of its name. */
export const isOfClass = (weightClass: WeightClass, wanted: string | number): boolean =>
  typeof wanted === 'number'
    ? weightClass.weightClassPounds === wanted
    : weightClassKey(weightClass) === wanted

/** Each class once, lightest first. */
export const distinctClasses = (classes: Iterable<WeightClass>): readonly WeightClass[] => {
  const byKey = new Map<string | number, WeightClass>()
  for (const each of classes) {
    const key = weightClassKey(each)
    if (!byKey.has(key)) byKey.set(key, each)
  }
  return [...byKey.values()].sort(lightestFirst)
}
