/** Milliseconds from the begin of each film in `snapshot/media` to the start of the invented fight, by its view. */
export const preRollMs = { top: 64_000, red: 62_480, blue: 63_240, door: 60_960 } as const

/** Short films next to them, for clips, with their seconds. */
export const clips = [
  { name: 'clash', seconds: 8 },
  { name: 'spin', seconds: 12 },
  { name: 'finish', seconds: 15 },
] as const

/** View of a camera such as `Cage-2-Red-Corner`. */
export const viewOf = (camera: string): keyof typeof preRollMs => {
  if (/Overhead/.test(camera)) return 'top'
  if (/Red|Left|East|SkyCam-A/.test(camera)) return 'red'
  return /Blue|Right|West|SkyCam-B/.test(camera) ? 'blue' : 'door'
}
