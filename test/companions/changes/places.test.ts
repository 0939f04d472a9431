import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Client, createPlaces } from '../../../src/companions/changes/places.ts'

test('places are given as long as there are any, to each client and in all, and back', () => {
  const step = fc.record({ client: fc.nat(2), isTaken: fc.boolean(), pick: fc.nat(3) })
  const steps = fc.array(step, { minLength: 20, maxLength: 40 })
  fc.assert(
    fc.property(steps, (steps) => {
      const [max, maxPerClient] = [4, 2]
      const places = createPlaces(max, maxPerClient)
      const held: (readonly [network: number, client: Client])[] = []
      for (const { client, isTaken, pick } of steps) {
        if (isTaken) {
          const own = held.filter(([network]) => network === client).length
          const taken = places.take(`2001:db8:0:${client}::${pick}`)
          expect(taken !== undefined).toBe(held.length < max && own < maxPerClient)
          if (taken) held.push([client, taken])
        } else for (const [, given] of held.splice(pick, 1)) places.giveBack(given)
        expect(places.count()).toBe(held.length)
      }
    }),
  )
})
