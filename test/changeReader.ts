import { join } from 'node:path'
import { tournamentRows } from '../src/companions/changes/rows.ts'
import type { ChangeEvent } from '../src/companions/changes/schema.ts'
import type { Archive } from '../src/data/archive/archive.ts'
import { emptyLeague } from '../src/data/archive/loadedLeague.ts'
import { leagueOfSnapshot } from '../src/data/archive/savedLeague.ts'
import { refreshLeague } from '../src/data/following/refresh.ts'
import type { Source } from '../src/data/source/connection.ts'
import { readSnapshot } from '../src/data/source/snapshot.ts'
import { buildArchive } from './buildArchive.ts'
import { apply, type State } from './changes.ts'
import { temporaryFolder } from './process.ts'

/** Contents of a database, read from scratch. */
export const archiveIn = async (source: Source): Promise<Archive> => {
  const { archive = buildArchive('none', []) } = (await refreshLeague(source, emptyLeague)).league
  return archive
}

/** Data served by a service. */
export const archiveAt = async (url: string): Promise<Archive> => {
  const response = await fetch(`${url}/snapshot`)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const path = join(await temporaryFolder(), 'served.cageside')
  await Bun.write(path, response)
  return (
    (await leagueOfSnapshot(await readSnapshot(path))).league.archive ?? buildArchive('none', [])
  )
}

/** The state after changes; tournaments are read again from the last archive if a change asks for it. */
export const stateAfter = (state: State, changes: readonly ChangeEvent[], last: Archive): State =>
  changes.reduce(
    (now, change) =>
      apply(now, change, (id) => {
        const tournament = last.dataset.tournamentsByID.get(id)
        return tournament && tournamentRows(tournament)
      }),
    state,
  )

/** Follows the feed of a service at a URL that may be unavailable at times. */
export const followChanges = (
  addressOf: () => string,
  from: string,
  request: (address: string, signal: AbortSignal) => Promise<Response> = (address, signal) =>
    fetch(address, { signal }),
  /**
   * Reads everything again from the service, once the next cursor is known. Its database may be ahead: rows that exist
   * for less time than a refresh takes are never served, and no change removes them.
   */
  reload: () => Promise<void> = async () => undefined,
) => {
  const changes: ChangeEvent[] = []
  const problems: string[] = []
  const stopped = new AbortController()
  let cursor = from
  const poll = async (): Promise<void> => {
    const url = `${addressOf()}/changes?since=${cursor}&wait=2&limit=1000`
    const response = await request(url, stopped.signal)
    // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
    const body: any = await response.json()
    if (response.status === 410) problems.push(`${cursor} is gone at ${addressOf()}`)
    if (response.status === 410) {
      await reload()
      cursor = body.cursor
      changes.length = 0
    }
    if (!response.ok) return void (await Bun.sleep(20))
    changes.push(...body.changes)
    cursor = body.cursor
  }
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) await poll().catch(() => Bun.sleep(20))
  }
  const running = run()
  return {
    changes,
    problems,
    cursor: () => cursor,
    stop: () => {
      stopped.abort()
      return running
    },
  }
}

/** Errors in the order of some changes: numbers must grow, and no change occurs twice. */
export const disorder = (changes: readonly ChangeEvent[]): readonly string[] => {
  const ids = changes.map(({ id }) => id)
  const numbers = ids.map((id) => Number(id.split('-')[1]))
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} came twice`),
    ...ids.filter((_, index) => index > 0 && Number(numbers[index]) <= Number(numbers[index - 1])),
  ]
}
