/** Coordinates in metres; the floor is 10 by 10 around 0, z is up. */
export type Point = readonly [x: number, y: number, z: number]

/** A place that films the invented fight. */
export interface View {
  readonly from: Point
  readonly at: Point
  /** Focal length in widths of the picture. */
  readonly zoom: number
}

/** Views by name. Each film begins at another moment before the fight. */
export const views = {
  top: { from: [0, -0.01, 13], at: [0, 0, 0], zoom: 0.66, preRollMs: 64_000 },
  red: { from: [-9.5, -5, 4.2], at: [0, 0, 0], zoom: 0.8, preRollMs: 62_480 },
  blue: { from: [9.5, -5, 4.2], at: [0, 0, 0], zoom: 0.8, preRollMs: 63_240 },
  door: { from: [0, 11, 2.4], at: [0, 0, 0.3], zoom: 0.9, preRollMs: 60_960 },
} as const satisfies Record<string, View & { readonly preRollMs: number }>

/** A film from one view; moments are seconds of the fight. */
export interface Film {
  readonly name: string
  readonly view: View
  readonly from: number
  readonly to: number
}

/** Short films, for clips. */
export const clips = [
  { name: 'clash', view: views.red, from: 18, to: 26 },
  { name: 'spin', view: views.top, from: 60, to: 72 },
  { name: 'finish', view: views.blue, from: 171, to: 186 },
] as const satisfies readonly Film[]

export const films: readonly Film[] = [
  ...Object.entries(views).map(([name, { preRollMs, ...view }]) => ({
    name,
    view,
    from: -preRollMs / 1000,
    to: 186,
  })),
  ...clips,
]

/** The view of a camera such as `Cage-2-Red-Corner`. */
export const viewOf = (camera: string): keyof typeof views => {
  if (/Overhead/.test(camera)) return 'top'
  if (/Red|Left|East|SkyCam-A/.test(camera)) return 'red'
  return /Blue|Right|West|SkyCam-B/.test(camera) ? 'blue' : 'door'
}
