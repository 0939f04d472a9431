import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Clip } from '../../api/clips/schema.ts'
import { closed, literals, named, openText, orNull, textual, timestamp } from '../../api/fields.ts'
import { expectationFields, FightPlayer, FightSummary, Recording } from '../../api/fights/schema.ts'
import { CageState } from '../../api/live/schema.ts'
import { FightStats } from '../../api/stats/schema.ts'
import { Still } from '../../api/stills/schema.ts'
import { BracketGame, GameSlot, Tournament } from '../../api/tournaments/schema.ts'
import { gameProgress, waitingStates } from '../../data/source/rows.ts'
import { ErrorBody } from '../../http/errors.ts'
import type { BodyStream } from '../../http/requestContext.ts'

const { timerDuration, countdown, pauses, players } = FightStats.properties

/** A fight as a change shows it: its row in lists, in `/bulk` and in its stats, and its schedule. */
export const ChangedFight = named('ChangedFight', {
  ...FightSummary.properties,
  ...expectationFields,
  state: literals(gameProgress),
  waitsAs: literals(['', ...waitingStates], {
    description: 'what a pending fight waits for; empty once it has begun',
  }),
  bracketID: Type.String(),
  scheduledTime: timestamp('when it is to begin'),
  calledSince: timestamp('when the players were called'),
  availableSince: timestamp('when both robots were known and free'),
  judgesString: textual('lines of the judges, joined by <br>'),
  notice: Type.String({ description: 'a remark on the fight, mostly empty' }),
  startMs: orNull(Type.Integer(), 'start of the fight in Unix milliseconds; null until then'),
  slots: Type.Array(GameSlot, { minItems: 2, maxItems: 2 }),
  corners: Type.Array(FightPlayer, {
    minItems: 2,
    maxItems: 2,
    description: 'red, blue; wins and losses follow the completed fights of the tournament',
  }),
  timerDuration,
  countdown,
  pauses,
  players,
})
export type ChangedFight = Static<typeof ChangedFight>

/** A game of a bracket, with the bracket that it is in. */
export const ChangedGame = named('ChangedGame', {
  ...BracketGame.properties,
  bracketID: Type.String(),
})
export type ChangedGame = Static<typeof ChangedGame>

const { queue: _queue, ...cageFields } = CageState.properties
/** A cage as a change shows it: as in `/cages`, without the statuses that only time changes. */
export const ChangedCage = named('ChangedCage', {
  ...cageFields,
  queue: Type.Array(
    closed({
      tournamentID: Type.String(),
      gameID: Type.String(),
      name: Type.String({ description: 'printed label' }),
      player1: Type.String(),
      player1clean: Type.String(),
      player2: Type.String(),
      player2clean: Type.String(),
    }),
    { description: 'fights that wait for this cage, the next one first' },
  ),
})
export type ChangedCage = Static<typeof ChangedCage>

/** Display name of a bot, and the newest tournament, where the name comes from. */
export const ChangedBot = named('ChangedBot', {
  cleanName: Type.String(),
  name: Type.String(),
  tournamentID: Type.String(),
})
export type ChangedBot = Static<typeof ChangedBot>

const id = Type.String({ description: 'cursor of this change: EPOCH-SEQ, opaque, in order' })
const time = timestamp('when the service learnt of it')
const bots = Type.Array(Type.String(), {
  description: 'clean names of the bots concerned, before and after',
})
const url = Type.String({
  description:
    'path of what changed on this server; with the version, so that no cache answers from before',
})
const page = Type.Optional(
  Type.String({
    description: 'page about it for people; absent for removals, and if pages are turned off',
  }),
)
const version = Type.String({ description: 'version of the data with this change' })
const tournamentID = Type.String()
const gameID = Type.String()
/** Fields of a row that moves to another tournament. */
const before = <T extends TObject>(row: T) =>
  Type.Optional(
    Type.Partial(row, {
      additionalProperties: false,
      title: `Before${row.title}`,
      description: 'fields that changed, as they were',
    }),
  )

/** The schema of a type of change; `fight.called` is the component `FightCalled`. */
const change = <Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  named(
    type.replace(/(?:^|\.)./g, (start) => start.slice(-1).toUpperCase()),
    {
      ...{ id, type: Type.Literal(type), time, version, bots, url, page },
      ...fields,
    },
  )

const ofFight = <Name extends string>(type: Name) =>
  change(type, { tournamentID, gameID, before: before(ChangedFight), after: ChangedFight })
const ofTournament = { tournamentID, after: Tournament }
const ofRecording = { tournamentID, gameID, after: Recording }
const ofClip = { tournamentID, gameID, after: Clip }
const ofStill = { tournamentID, after: Still }

/** A schema for each type of change. */
export const changeSchemas = {
  'fight.called': ofFight('fight.called'),
  'fight.started': ofFight('fight.started'),
  'fight.ended': ofFight('fight.ended'),
  'fight.corrected': ofFight('fight.corrected'),
  'fight.removed': change('fight.removed', { tournamentID, gameID }),
  'schedule.changed': ofFight('schedule.changed'),
  'bracket.advanced': change('bracket.advanced', {
    tournamentID,
    gameID,
    before: before(ChangedGame),
    after: ChangedGame,
  }),
  'recording.added': change('recording.added', ofRecording),
  'recording.changed': change('recording.changed', {
    ...ofRecording,
    before: before(Recording),
  }),
  'recording.removed': change('recording.removed', {
    tournamentID,
    gameID,
    recordingID: Type.String({
      description: 'decimal text, as in rows of recordings; a number in /bulk and /video-feeds',
    }),
  }),
  'clip.added': change('clip.added', ofClip),
  'clip.changed': change('clip.changed', { ...ofClip, before: before(Clip) }),
  'clip.removed': change('clip.removed', { tournamentID, token: Type.String() }),
  'still.added': change('still.added', ofStill),
  'still.changed': change('still.changed', { ...ofStill, before: before(Still) }),
  'still.removed': change('still.removed', {
    tournamentID,
    stillID: Type.Integer({ minimum: 1 }),
  }),
  'tournament.added': change('tournament.added', ofTournament),
  'tournament.changed': change('tournament.changed', {
    ...ofTournament,
    before: before(Tournament),
    reload: Type.Boolean({
      description: 'more changed than the row and the other changes: read the tournament again',
    }),
  }),
  'tournament.removed': change('tournament.removed', { tournamentID }),
  'bot.renamed': change('bot.renamed', {
    tournamentID,
    before: before(ChangedBot),
    after: ChangedBot,
  }),
  'cage.changed': change('cage.changed', {
    cageNumber: Type.Integer(),
    tournaments: Type.Array(Type.String(), {
      description:
        'ids of the tournaments of its fights before and after the change; those that are no longer public are left out',
    }),
    after: orNull(ChangedCage, 'null when the league has the cage no more', { title: 'CageAfter' }),
  }),
} as const

export type ChangeType = keyof typeof changeSchemas
/** One change, as it is published. */
export type ChangeEvent = { [Type in ChangeType]: Static<(typeof changeSchemas)[Type]> }[ChangeType]

type WithoutPlace<Event> = Event extends ChangeEvent
  ? Omit<Event, 'id' | 'time' | 'version' | 'page'>
  : never
/** A change before it has its place in the feed. Its `url` is the bare path. */
export type Change = WithoutPlace<ChangeEvent>

/** True if a text is the name of a type of change. */
export const isChangeType = (text: string): text is ChangeType => Object.hasOwn(changeSchemas, text)

/** Names of the types of changes. */
export const changeTypes = Object.keys(changeSchemas)

/** A change of a type that a later version adds. */
const OtherChange = named('OtherChange', {
  ...{ id, time, version, bots, url, page },
  type: openText(changeTypes, 'ignore a change of an unknown type'),
})

const changesByType = Type.Object({ ...changeSchemas, other: OtherChange })
const Change = Type.Index(changesByType, Type.KeyOf(changesByType), { title: 'Change' })

/** Some changes, oldest first. */
export const ChangePage = named('ChangePage', {
  changes: Type.Array(Change),
  cursor: Type.String({ description: 'send it back as since; it moves on without changes too' }),
  more: Type.Boolean({ description: 'there are more already: request again at once' }),
  version: Type.String({ description: 'version of the data; send it as v with later requests' }),
  unknownBots: Type.Optional(
    Type.Array(Type.String(), {
      description: 'clean names in `bot` that are no bots yet; followed all the same',
    }),
  ),
})

const restart = {
  cursor: Type.String({ description: 'to go on from, once everything is read again' }),
  reload: Type.Array(Type.String(), { description: 'addresses to read again' }),
  version: Type.String({ description: 'version of the data; send it as v with further pages' }),
}
const { error } = ErrorBody.properties

/** A cursor that cannot be continued: unknown, too old, or from before a removal. */
export const Gone = named('Gone', { error, ...restart })
export type Gone = Static<typeof Gone>

/** Any error of `/changes`: a 410 is a {@link Gone}, the others have only the sentence. */
export const ChangesError = named(
  'ChangesError',
  { error, ...Type.Partial(Type.Object(restart)).properties },
  { description: '410 has all fields, every other error only the first' },
)

/** Server-Sent Events, described by the JSON in their data: generated clients give it parsed. */
export const ChangeStream = Type.Unsafe<BodyStream>(
  Type.Union(
    [
      Change,
      Gone,
      Type.Array(Type.String(), { title: 'UnknownBots', description: 'of `unknownBots`' }),
      named('Readers', { readers: Type.Integer({ minimum: 1 }) }, { description: 'of `readers`' }),
    ],
    {
      title: 'ChangeStreamData',
      'x-content-type': 'text/event-stream',
      description:
        'Data of the events, in JSON. Events without a name: id is the cursor, data a change. An id without data ' +
        'moves the cursor on. An event named reset has the body of a 410 as its data. One named unknownBots ' +
        'comes first if `bot` names any, with the list of that name in its data. An event named readers has the number of ' +
        'readers in its data; it is sent when the stream begins and whenever the number has doubled or halved, so that pages ' +
        'for many viewers can wait a random time in proportion before they read again',
    },
  ),
)
