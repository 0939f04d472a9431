import { expect, test } from 'bun:test'
import { classNameKey, distinctClasses } from '../../../src/data/league/weightClass.ts'

test('names of a class are compared without case, spaces and hyphens, with either decimal sign', () => {
  const names = ['1,5 kg', '1.5KG', 'Full-Body Sportsman', 'full body sportsman']
  const keys = ['1.5kg', 'fullbodysportsman']
  expect(names.map(classNameKey)).toEqual(keys.flatMap((key) => [key, key]))
})

test('each class is there once, as it is written first, lightest first, then by name', () => {
  const classes = ['Sportsman', 'Plastic', null, 'SPORTS-MAN'].map((weightClassName) => ({
    weightClassPounds: 30,
    weightClassName,
  }))
  const light = { weightClassPounds: 3, weightClassName: 'Sportsman 3' }
  expect(distinctClasses([...classes, light]).map((each) => each.weightClassName)).toEqual([
    'Sportsman 3',
    null,
    'Plastic',
    'Sportsman',
  ])
})
