import type { Change } from './schema.ts'

/** The key of a tournament. */
export const tournamentKey = (id: string): string => `tournament ${id}`
const fightKey = (tournamentID: string, gameID: string): string =>
  `fight ${JSON.stringify([tournamentID, gameID])}`
const recordingKey = (id: string): string => `recording ${id}`
const clipKey = (token: string): string => `clip ${token}`
const stillKey = (id: number): string => `still ${id}`

/**
 * The key of what a change takes away; undefined where it takes away nothing. No earlier change may
 * mention it any more.
 */
export const removalKey = (change: Change): string | undefined => {
  switch (change.type) {
    case 'tournament.removed':
      return tournamentKey(change.tournamentID)
    case 'fight.removed':
      return fightKey(change.tournamentID, change.gameID)
    case 'recording.removed':
      return recordingKey(change.recordingID)
    case 'clip.removed':
      return clipKey(change.token)
    case 'still.removed':
      return stillKey(change.stillID)
    default:
      return undefined
  }
}

/** Keys of everything that a change mentions; none for a removal. */
export const mentions = (change: Change): readonly string[] => {
  switch (change.type) {
    case 'tournament.removed':
      return []
    case 'fight.removed':
    case 'recording.removed':
    case 'clip.removed':
    case 'still.removed':
    case 'tournament.added':
    case 'tournament.changed':
    case 'bot.renamed':
      return [tournamentKey(change.tournamentID)]
    case 'fight.called':
    case 'fight.started':
    case 'fight.ended':
    case 'fight.corrected':
    case 'schedule.changed':
    case 'bracket.advanced':
      return ofFight(change)
    case 'recording.added':
    case 'recording.changed':
      return [...ofFight(change), recordingKey(change.after.recordingID)]
    case 'clip.added':
    case 'clip.changed':
      return [...ofFight(change), clipKey(change.after.token)]
    case 'still.added':
    case 'still.changed':
      return [tournamentKey(change.tournamentID), stillKey(change.after.stillID)]
    case 'cage.changed': {
      const { match = null, queue = [] } = change.after ?? {}
      return [...(match ? [match] : []), ...queue].flatMap(ofFight)
    }
  }
}

const ofFight = ({ tournamentID, gameID }: { tournamentID: string; gameID: string }) => [
  tournamentKey(tournamentID),
  fightKey(tournamentID, gameID),
]

/**
 * A change without what was taken away after it: itself, a part of it, or undefined where nothing is
 * left. Removals of parts of a tournament go with it.
 */
export const withoutRemoved = <Event extends Change>(
  change: Event,
  removed: ReadonlySet<string>,
): Event | undefined => {
  if (mentions(change).some((key) => removed.has(key))) return undefined
  if (change.type !== 'bot.renamed') return change
  const origin = change.before?.tournamentID
  if (origin === undefined || !removed.has(tournamentKey(origin))) return change
  const { before: _before, ...rest } = change
  return { ...change, ...rest, before: undefined }
}
