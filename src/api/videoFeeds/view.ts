import { asEntered } from '../../data/league/mistypedYears.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import type { Recording as DomainRecording, Fight } from '../../data/league/types.ts'
import { toTimestamp } from '../fields.ts'
import {
  fightStartOffset,
  filmFields,
  qualities,
  recordingOffset,
  recordingView,
} from '../fights/recording.ts'
import type { FightVideoFeeds, VideoFeed } from './schema.ts'

/** Result as text: the winner and win type, a draw, or no winner; empty until decided. */
const result = ({ state, red, blue, winAnnotation }: Fight): string => {
  if (state !== 'done') return ''
  const how = winAnnotation ? ` by ${winAnnotation}` : ''
  const winner = [red, blue].find(({ isWinner }) => isWinner)
  if (winner) return `${winner.player.name} wins${how}`
  return red.state === 'tie' ? 'Draw' : `No winner${how}`
}

export const videoFeed = (fight: Fight, recording: DomainRecording): VideoFeed => ({
  recordingID: recording.id,
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  cage: recording.cage,
  camera: recording.camera,
  ...filmFields(recording),
  s3http: recording.httpStatus ?? 0,
  red: fight.red.player.name,
  blue: fight.blue.player.name,
  result: result(fight),
  matchStart: toTimestamp(asEntered(fight).startUnix),
  fightStartOffset: recordingOffset(fight, recording),
  videoQualities: { original: filmFields(recording).s3path, ...qualities(recording) },
})

export const fightVideoFeeds = (fight: Fight): FightVideoFeeds => ({
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  fightStartOffset: fightStartOffset(fight),
  recordings: recordingsOf(fight.recordings).map((recording) => recordingView(fight, recording)),
})
