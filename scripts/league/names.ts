import { cleanName } from '../../src/dataset/cleanName.ts'
import type { Random } from './random.ts'

/** What makes a non-public row recognisable wherever it should not be. */
export const hiddenMarker = 'zzhidden'

/** Bots that are in every corpus, met often and looked for by name. */
export const cast = [
  { weightClass: 12, name: 'Lynx' },
  { weightClass: 12, name: 'Caldera' },
  { weightClass: 30, name: 'Benny R. Johm', formerName: 'Benny R Johm' },
  { weightClass: 3, name: 'Huey' },
  // These two are different bots and have one clean name.
  { weightClass: 30, name: 'Plonk-Tron' },
  { weightClass: 3, name: 'Plonktron!' },
] as const

/** Names that something downstream could stumble over. */
export const oddNames = [
  'Dr. Wobble',
  "O'Clank",
  'Mrs. O’Grindy',
  'Flip-Flop 0-0',
  '0-0',
  'Spatula!',
  'Spatula!!',
  'Toast (Burnt)',
  'Toast (Burnt) 2',
  'LOUDHAILER',
  'quietly rusting',
  'Égalité',
  'Ærøskøbing Express',
  'Straße 9',
  'Smörgåsborg',
  'Żółw',
  'ドリル',
  'ドリル Mk 2',
  '!?',
  'Q',
  'Ö',
  'Zo',
  'X9',
  '404',
  '90210',
  '1000000',
  'Marzi',
  'Marzipan',
  'Marzipan Tank',
  'Marzipan Tank II',
  'Null',
  'undefined',
  'constructor',
  '__proto__',
  'toString',
  'NaN',
  'true',
  "Robert'); DROP TABLE fights;--",
  '"Quote" <b>Bold</b> & Sons',
  '<script>alert(1)</script>',
  'Back\\slash   Wide  Gap',
  'The Exceedingly Long-Winded Contraption of Lower Wobbleton (Rev. 7)',
  'روبوت الصدمة',
  '🔥 Ember 🔥',
  '100% Gravel?',
  'A/B Crusher',
  'Comma, Inc.',
  'Plus+Minus',
  '#1 Nuisance',
  'ﬁnal ﬂourish',
  'Ⅳ Horsemice',
  '½ Measure',
  'Bye Bye Birdbath',
  'Bracket Racket',
  '-dash-',
  '..',
] as const

const qualities =
  `Angry Wobbly Rusty Turbo Silent Crimson Feral Greasy Humble Lazy Molten Nimble Plastic Quantum
  Rowdy Salty Tiny Unruly Velvet Wicked Zesty Bitter Chrome Dusty Electric Fuzzy Gilded Hollow Icy Jolly Knotty
  Loud Mellow Noisy Odd Purple Rogue Sneaky Thirsty Ugly Vivid Wired Yawning Brazen Clumsy Dapper Eager Frantic
  Grumpy Hasty Inflated Jagged Keen Lucid Mighty Nervous Obtuse Pickled Restless Spicy Toasted Upside Vexed Wonky
  Blue Green Orange Copper Tungsten Carbon Paper Cosmic Lunar Solar Atomic Analog Digital Feathered Buttered
  Polite Sleepy Haunted Borrowed Crooked Double Triple Second Final Recycled Overclocked Unlicensed Municipal`.split(
    /\s+/,
  )

const things =
  `Badger Waffle Sprocket Teapot Anvil Biscuit Cactus Dumpling Eggplant Ferret Gasket Hedgehog Igloo
  Jackal Kettle Lobster Mallet Noodle Otter Pancake Quokka Radish Spanner Turnip Umbrella Vulture Walrus Yak Zipper
  Armadillo Bagel Crumpet Donkey Elbow Flange Gopher Hamster Iguana Jellyfish Kazoo Lemming Muffin Narwhal Ocelot
  Pickle Quiche Rivet Shovel Toaster Urchin Vole Wombat Bolt Crank Dynamo Engine Furnace Gear Hinge Piston Ratchet
  Spindle Torque Valve Wrench Beetle Cricket Dragonfly Hornet Mantis Moth Scarab Wasp Avalanche Blizzard Cyclone
  Ember Fog Glacier Hail Monsoon Quake Squall Thunder Typhoon Bandit Corsair Duchess Goblin Hermit Jester Knight
  Mayor Nomad Ogre Pirate Rascal Scoundrel Tyrant Usher Vandal Wizard Cabbage Parsnip Custard Gravy Marmalade`.split(
    /\s+/,
  )

const people =
  'Kevin Gertrude Otis Mabel Walter Agnes Clive Doris Edgar Fern Gus Hilda Ivan June Karl Lorna'.split(
    ' ',
  )

const starts =
  'Bron Cla Dro Ex Fli Gra Hul Jor Kly Mor Ne Ob Pra Qui Rho Ske Tra Ulf Vor Wex Zan'.split(' ')
const middles = 'a an ber di do ga ka li mo ni ra ska ta ti vo zi'.split(' ')
const ends =
  'bang brax crank dle dor fax gon kus lor mash nik plex rax shok tor trix vex wick zor zle'.split(
    ' ',
  )

const pattern = (random: Random): string => {
  const quality = random.pick(qualities)
  const thing = random.pick(things)
  switch (random.weighted([34, 14, 18, 6, 5, 5, 4, 3, 3, 3, 2, 2, 1])) {
    case 0:
      return `${quality} ${thing}`
    case 1:
      return `${random.pick(starts)}${random.pick(middles)}${random.pick(ends)}`
    case 2:
      return `${random.pick(starts)}${random.pick(middles)}${random.pick(middles)}${random.pick(ends)}`
    case 3:
      return `The ${quality} ${thing}`
    case 4:
      return `${thing}${random.pick(things).toLowerCase()}`
    case 5:
      return `${quality} ${thing} ${random.pick(['II', 'III', '2.0', 'Mk. 4', '9000', 'Jr.', 'XL', 'v3'])}`
    case 6:
      return `${random.pick(people)}'s ${thing}`
    case 7:
      return `Dr. ${thing}`
    case 8:
      return `${thing} & ${random.pick(things)}`
    case 9:
      return `${quality.toUpperCase()} ${thing.toUpperCase()}`
    case 10:
      return `${thing}-${random.int(2, 999)}`
    case 11:
      return `${quality} ${thing}!`
    default:
      return `${thing} (${quality})`
  }
}

/** Names of bots, no two of them with one clean name. */
export interface NameSource {
  next(random: Random): string
  /** The next of {@link oddNames} that is free, while there are any. */
  odd(isFree: (name: string) => boolean): string | undefined
}

export const createNames = (): NameSource => {
  const odd: string[] = [...oddNames]
  const taken = new Set(
    [...cast, ...oddNames.map((name) => ({ name }))].map(({ name }) => cleanName(name)),
  )
  return {
    next: (random) => {
      for (;;) {
        const name = pattern(random)
        const clean = cleanName(name)
        if (!taken.has(clean)) {
          taken.add(clean)
          return name
        }
      }
    },
    odd: (isFree) => {
      const index = odd.findIndex(isFree)
      return index < 0 ? undefined : odd.splice(index, 1)[0]
    },
  }
}

export const teamName = (random: Random): string =>
  `${random.pick(['Team', 'Lab', 'House', 'Garage'])} ${random.pick(things)}${random.pick(['works', 's', 'ology', ''])}`
