import type { Point, View } from './films.ts'

type Colour = readonly [red: number, green: number, blue: number]

/** Pixels of a picture, red, green and blue by turns. */
interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

const fightSeconds = 180
const halfFloor = 5

const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const unit = (a: Point): Point => {
  const length = Math.hypot(...a)
  return [a[0] / length, a[1] / length, a[2] / length]
}

/** Directions of a camera: to the right, up, and forward. */
const axesOf = ({ from, at }: View) => {
  const forward = unit(minus(at, from))
  const right = unit(cross(forward, [0, 0, 1]))
  return { right, up: cross(right, forward), forward }
}

/** Where a point is in the picture, and the pixels of a metre there. */
const projection = (view: View, { width, height }: Picture) => {
  const { right, up, forward } = axesOf(view)
  return (point: Point) => {
    const offset = minus(point, view.from)
    const scale = (view.zoom * width) / dot(offset, forward)
    return {
      x: width / 2 + dot(offset, right) * scale,
      y: height / 2 - dot(offset, up) * scale,
      scale,
    }
  }
}

/** Draws a line with round ends; edges are as smooth as their distance to the pixel. */
const stroke = (
  { width, height, pixels }: Picture,
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
  radius: number,
  colour: Colour,
): void => {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const squared = dx * dx + dy * dy || 1
  const left = Math.max(0, Math.floor(Math.min(from.x, to.x) - radius - 1))
  const right = Math.min(width - 1, Math.ceil(Math.max(from.x, to.x) + radius + 1))
  const top = Math.max(0, Math.floor(Math.min(from.y, to.y) - radius - 1))
  const bottom = Math.min(height - 1, Math.ceil(Math.max(from.y, to.y) + radius + 1))
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const along = ((x - from.x) * dx + (y - from.y) * dy) / squared
      const part = Math.min(1, Math.max(0, along))
      const distance = Math.hypot(x - from.x - part * dx, y - from.y - part * dy)
      const cover = Math.min(1, Math.max(0, radius + 0.5 - distance))
      if (cover === 0) continue
      const index = (y * width + x) * 3
      colour.forEach((value, channel) => {
        const before = pixels[index + channel] ?? 0
        pixels[index + channel] = before + (value - before) * cover
      })
    }
  }
}

const colours = {
  red: [214, 60, 52],
  blue: [58, 120, 214],
  dark: [24, 27, 31],
  steel: [205, 210, 216],
  spark: [255, 205, 90],
  floor: [92, 98, 104],
  line: [128, 134, 140],
  wall: [38, 43, 49],
  digits: [244, 244, 238],
  waiting: [226, 150, 40],
  going: [70, 200, 110],
} as const satisfies Record<string, Colour>

/** The colour of the floor at a place: plates, the two starting squares, walls around it. */
const floorColour = (x: number, y: number): Colour => {
  if (Math.max(Math.abs(x), Math.abs(y)) > halfFloor) return colours.wall
  const isSquare = (centre: number) => {
    const distance = Math.max(Math.abs(x - centre), Math.abs(y))
    return distance < 0.95 && distance > 0.82
  }
  if (isSquare(-3.6)) return colours.red
  if (isSquare(3.6)) return colours.blue
  const isSeam = [x, y].some((at) => Math.abs(at / 2.5 - Math.round(at / 2.5)) < 0.012)
  return isSeam ? colours.line : colours.floor
}

/** What a camera sees of the empty arena. */
const drawArena = (view: View, { width, height, pixels }: Picture): void => {
  const { right, up, forward } = axesOf(view)
  const samples = 3
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const sum: [number, number, number] = [0, 0, 0]
      for (let sample = 0; sample < samples ** 2; sample += 1) {
        const sx = (x + ((sample % samples) + 0.5) / samples - width / 2) / (view.zoom * width)
        const sy =
          (height / 2 - y - (Math.floor(sample / samples) + 0.5) / samples) / (view.zoom * width)
        const [dx, dy, dz] = [0, 1, 2].map(
          (axis) => (forward[axis] ?? 0) + sx * (right[axis] ?? 0) + sy * (up[axis] ?? 0),
        )
        const reach = -view.from[2] / (dz ?? 0)
        const seen =
          reach > 0
            ? floorColour(view.from[0] + reach * (dx ?? 0), view.from[1] + reach * (dy ?? 0))
            : colours.wall
        for (const channel of [0, 1, 2] as const) sum[channel] += seen[channel]
      }
      pixels.set(
        sum.map((value) => value / samples ** 2),
        (y * width + x) * 3,
      )
    }
  }
}

/** Where the two bots are, which way they face, and how hard they meet, from 0 to 1. */
const placesAt = (seconds: number) => {
  const t = Math.min(Math.max(seconds, 0), fightSeconds)
  /** From the squares into the fight within three seconds. */
  const begun = Math.min(1, t / 3) ** 2 * (3 - 2 * Math.min(1, t / 3))
  const apart = 0.62 + 1.25 * (1 + Math.cos((2 * Math.PI * t) / 7))
  const turn = Math.PI + 0.5 * t + 0.8 * Math.sin(t / 5)
  const middle = [1.9 * Math.sin(t / 6.3), 1.9 * Math.sin(t / 4.1 + 1)] as const
  const side = (sign: number) => {
    const x = begun * (middle[0] + sign * apart * Math.cos(turn)) + (1 - begun) * sign * -3.6
    const y = begun * (middle[1] + sign * apart * Math.sin(turn))
    return { x, y }
  }
  const [red, blue] = [side(1), side(-1)]
  const heading = Math.atan2(blue.y - red.y, blue.x - red.x)
  const impact = Math.max(0, 1 - ((t + 3.5) % 7) * 2)
  return { red, blue, heading, impact: t > 3 && t < fightSeconds ? impact : 0 }
}

const drawFightAt = (picture: Picture, view: View, seconds: number): void => {
  const project = projection(view, picture)
  const { red, blue, heading, impact } = placesAt(seconds)
  const isOver = seconds >= fightSeconds
  /** The point of a bot at a distance forward and to its left. */
  const line = (from: Point, to: Point, radius: number, colour: Colour): void => {
    const [a, b] = [project(from), project(to)]
    stroke(picture, a, b, (radius * (a.scale + b.scale)) / 2, colour)
  }
  const drawBot = (
    { x, y }: typeof red,
    towards: number,
    colour: Colour,
    hasBlade: boolean,
  ): void => {
    const at = (forward: number, left: number, z: number): Point => [
      x + forward * Math.cos(towards) - left * Math.sin(towards),
      y + forward * Math.sin(towards) + left * Math.cos(towards),
      z,
    ]
    const isFlipped = isOver && !hasBlade
    for (const left of [-0.42, 0.42]) {
      for (const forward of [-0.3, 0.3]) {
        const z = isFlipped ? 0.5 : 0.14
        line(at(forward - 0.04, left, z), at(forward + 0.04, left, z), 0.15, colours.dark)
      }
    }
    line(at(-0.26, 0.12, 0.22), at(0.26, 0.12, 0.22), 0.26, colour)
    line(at(-0.26, -0.12, 0.22), at(0.26, -0.12, 0.22), 0.26, colour)
    if (hasBlade) {
      const spin = isOver || seconds < 0 ? 0.6 : seconds * 19
      const [cos, sin] = [0.5 * Math.cos(spin), 0.5 * Math.sin(spin)]
      line(at(0.35 + cos, sin, 0.3), at(0.35 - cos, -sin, 0.3), 0.07, colours.steel)
    } else if (!isFlipped) {
      line(at(0.5, -0.36, 0.06), at(0.5, 0.36, 0.06), 0.08, colours.steel)
    }
  }
  const bots = [
    { place: red, towards: heading, colour: colours.red, hasBlade: true },
    { place: blue, towards: heading + Math.PI, colour: colours.blue, hasBlade: false },
  ]
  const depth = ({ x, y }: typeof red): number => project([x, y, 0]).scale
  for (const { place, towards, colour, hasBlade } of bots.toSorted(
    (a, b) => depth(a.place) - depth(b.place),
  )) {
    drawBot(place, towards, colour, hasBlade)
  }
  if (impact === 0) return
  const [x, y] = [(red.x + blue.x) / 2, (red.y + blue.y) / 2]
  for (let spark = 0; spark < 9; spark += 1) {
    const angle = spark * 2.4 + Math.floor(seconds / 7)
    const reach = (1 - impact) * (0.5 + ((spark * 7) % 5) / 4)
    const end: Point = [
      x + reach * Math.cos(angle),
      y + reach * Math.sin(angle),
      0.3 + impact * (1 - impact) * 2,
    ]
    line(end, end, 0.05, colours.spark)
  }
}

/** Segments of a digit on a grid of 1 by 2: top, upper left and right, middle, lower left and right, bottom. */
const segments = [
  [0, 0, 1, 0],
  [0, 0, 0, 1],
  [1, 0, 1, 1],
  [0, 1, 1, 1],
  [0, 1, 0, 2],
  [1, 1, 1, 2],
  [0, 2, 1, 2],
] as const
const digitSegments = [
  '012456',
  '25',
  '02346',
  '02356',
  '1235',
  '01356',
  '013456',
  '025',
  '0123456',
  '012356',
]

/** The clock counts down from three minutes; its lamp is orange before and after the fight. */
const drawClock = (picture: Picture, seconds: number): void => {
  const left = Math.ceil(fightSeconds - Math.min(Math.max(seconds, 0), fightSeconds))
  const text = `${Math.floor(left / 60)}${String(left % 60).padStart(2, '0')}`
  const size = picture.width / 40
  const top = size * 1.1
  const start = picture.width / 2 - size * 2.6
  stroke(
    picture,
    { x: start - size * 1.6, y: top + size },
    { x: start + size * 6, y: top + size },
    size * 1.9,
    colours.dark,
  )
  const isGoing = seconds >= 0 && seconds < fightSeconds
  const lamp = { x: start - size * 1.5, y: top + size }
  stroke(picture, lamp, lamp, size * 0.45, isGoing ? colours.going : colours.waiting)
  for (const down of [0.6, 1.4]) {
    const dot = { x: start + size * 1.8, y: top + size * down }
    stroke(picture, dot, dot, size * 0.16, colours.digits)
  }
  ;[...text].forEach((digit, index) => {
    const x = start + size * (index === 0 ? 0 : 0.9 + index * 1.7)
    for (const which of digitSegments[Number(digit)] ?? '') {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = segments[Number(which)] ?? []
      stroke(
        picture,
        { x: x + x1 * size, y: top + y1 * size },
        { x: x + x2 * size, y: top + y2 * size },
        size * 0.16,
        colours.digits,
      )
    }
  })
}

/** Returns a function that draws the moment of a fight as a camera sees it, into one buffer. */
export const createFightPicture = (view: View, width: number, height: number) => {
  const arena: Picture = { width, height, pixels: new Uint8Array(width * height * 3) }
  drawArena(view, arena)
  const picture: Picture = { ...arena, pixels: new Uint8Array(arena.pixels.length) }
  return (seconds: number): Uint8Array => {
    picture.pixels.set(arena.pixels)
    drawFightAt(picture, view, seconds)
    drawClock(picture, seconds)
    return picture.pixels
  }
}
