import type { Bot } from '../../careers/bots.ts'
import type { Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Cage, Cages, Fight, Tournament } from '../../league/types.ts'
import { type ExpectedStarts, expectedAt, nothingExpected } from '../../live/expected.ts'
import { type NextGame, nextGames, type Rounds, roundsAt } from '../../live/rounds.ts'
import { buildSchedule, type Scheduled } from '../../live/schedule.ts'
import { cagesValidUntil } from './view.ts'

type LiveData = Parameters<typeof buildSchedule>[0]

/** View of the cages at a time, valid until one of them changes by itself. */
export const viewCages =
  <View>(archive: LiveData, view: (now: number, expected: ExpectedStarts) => View) =>
  (now: number): Timed<View> => {
    const { cages } = archive
    const hasWaiting = Object.values(cages).some(
      ({ fight, queue }: Cage) => fight?.state === 'pending' || queue.length > 0,
    )
    const expected = hasWaiting ? expectedAt(archive, now) : nothingExpected
    return { value: view(now, expected), validUntil: cagesValidUntil(cages, now, expected) }
  }

/** The expected for a tournament; nothing is read for one in which no fight waits. */
export const findExpected = (
  archive: LiveData & Pick<TrackedArchive, 'timed'>,
  { info, fights }: Tournament,
): ExpectedStarts => {
  if (!info.active || !fights.some(({ state }) => state === 'pending')) return nothingExpected
  return archive.timed((now) => {
    const value = expectedAt(archive, now)
    return { value, validUntil: value.validUntil }
  })
}

/** The expected for one fight; nothing is read for one that does not wait. */
export const findExpectedOf = (
  archive: Parameters<typeof findExpected>[0],
  { tournament, fight }: { readonly tournament: Tournament; readonly fight: Fight },
): ExpectedStarts =>
  fight.state === 'pending' ? findExpected(archive, tournament) : nothingExpected

/** The rounds of a tournament; nothing is read for one without games to come. */
export const findRounds = (
  archive: Parameters<typeof findExpected>[0],
  tournament: Tournament,
): Rounds | undefined =>
  tournament.info.active && tournament.games.values().some(({ state }) => state !== 'done')
    ? archive.timed((now) => roundsAt(archive, tournament, now))
    : undefined

/** See {@link nextGames}, over the tournaments under way. */
export const findNextGames = (
  archive: Parameters<typeof findExpected>[0],
  { cleanName, entries }: Bot,
): readonly NextGame[] =>
  entries.flatMap(({ tournament }) => {
    const rounds = findRounds(archive, tournament)
    return rounds ? nextGames(rounds, cleanName) : []
  })

/** The numbers of all cages, ascending. */
export const cageNumbers = (cages: Cages): readonly number[] =>
  Object.values(cages)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

/** Finds a cage by its decimal number without leading zeros. */
export const findCage = (cages: Cages, cageNumber: string): Cage | undefined =>
  /^[1-9]\d{0,3}$/.test(cageNumber) ? cages[`cage${Number(cageNumber)}`] : undefined

/** Schedule at a time, valid until a status changes. */
export const findSchedule = (archive: LiveData, now: number): Timed<readonly Scheduled[]> => {
  const value = buildSchedule(archive, now)
  return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
}
