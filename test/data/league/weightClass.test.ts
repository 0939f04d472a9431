import { expect, test } from 'bun:test'
import { classNameKey, distinctClasses } from '../../../src/data/league/weightClass.ts'

test('class names are compared without case, spaces, hyphens and the kind of decimal sign', () => {
  const names = ['1,5 kg', '1.5KG', 'Full-Body Sportsman', 'full body sportsman']
  const keys = ['1.5kg', 'fullbodysportsman']
  expect(names.map(classNameKey)).toEqual(keys.flatMap((key) => [key, key]))
})

test('classes are listed once, as first written, lightest first, then by name', () => {
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
