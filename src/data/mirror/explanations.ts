import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Withdrawn } from '../following/guard.ts'
import { readBody, request } from '../remote/request.ts'
import type { Deleted } from '../source/changedRows.ts'

const timeoutMs = 10_000
/** Timeout for the cursor. It is short, because the file is read after the cursor, and removals wait for the file. */
const placeTimeoutMs = 1000
/** A cursor older than the log says nothing about later removals. */
const renewAfterMs = 3_600_000
/** Removals from now on are not explained without a cursor. */
const retryAfterMs = 60_000
const maxPages = 20
const maxPageBytes = 4 * 2 ** 20

const Cursor = Type.Object({ cursor: Type.String({ maxLength: 200 }) })
/** Fields of a page of `/changes` that concern removals. */
const Page = Type.Composite([
  Cursor,
  Type.Object({
    more: Type.Boolean(),
    changes: Type.Array(
      Type.Object({
        type: Type.String(),
        tournamentID: Type.Optional(Type.String()),
        gameID: Type.Optional(Type.String()),
        token: Type.Optional(Type.String()),
        stillID: Type.Optional(Type.Integer()),
      }),
    ),
  }),
])

const types = 'tournament.removed,fight.removed,clip.removed,still.removed'

/** Epoch of a cursor. */
const epochOf = (cursor: string): string => cursor.slice(0, cursor.lastIndexOf('-'))

/** Address of `/changes` next to a `/snapshot`; undefined if the file has another name. */
const changesBeside = (snapshot: URL): URL | undefined => {
  if (!/\/snapshot\/?$/.test(snapshot.pathname)) return undefined
  const url = new URL(snapshot)
  url.pathname = snapshot.pathname.replace(/\/snapshot\/?$/, '/changes')
  return url
}

interface Origin {
  /** Address of the snapshot. */
  readonly address: URL
  readonly signal: AbortSignal
  readonly clockMs: () => number
}

/** Reads the removals at the origin while the mirror follows it. */
export const createExplanations = ({ address, signal, clockMs }: Origin) => {
  const changes = changesBeside(address)
  let cursor: string | undefined
  let renewAtMs = Number.NEGATIVE_INFINITY
  /** Cursor and data version to use once the league that is read after them is served. */
  let next: { readonly cursor: string; readonly version: string | null } | undefined

  /** Fetches a page of changes; undefined if the origin gives no usable answer: then nothing is explained. */
  const get = async (
    query: Record<string, string>,
    maxMs = timeoutMs,
  ): Promise<
    { readonly status: number; readonly version: string | null; readonly body: unknown } | undefined
  > => {
    if (!changes) return undefined
    const url = new URL(changes)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxMs)])
    try {
      return await request(url, { signal: inTime, isTrusted: true }, async (answer) => ({
        status: answer.status,
        version: answer.headers.get('x-data-version'),
        body: JSON.parse((await readBody(answer, maxPageBytes)).toString()),
      }))
    } catch {
      return undefined
    }
  }

  return {
    /** Notes the place in the changes of the origin before its file is read. */
    begin: async (): Promise<void> => {
      if (clockMs() < renewAtMs) return
      const answer = await get({}, placeTimeoutMs)
      const isPlace = Value.Check(Cursor, answer?.body)
      next = isPlace ? { cursor: answer.body.cursor, version: answer.version } : undefined
      renewAtMs = clockMs() + (next === undefined ? retryAfterMs : renewAfterMs)
    },
    /**
     * Called when the file that was read is served whole: rows that it lacks need no explanation any more. A file with
     * another data version can be older than the place, from a cache on the way: removals in between still need an
     * explanation.
     */
    accepted: (version: string | null): void => {
      if (cursor === undefined || next?.version === version) cursor = next?.cursor
      else if (next) renewAtMs = clockMs() + retryAfterMs
      next = undefined
    },
    /** Rows removed in the tournaments of the origin. */
    withdrawn: async (ids: readonly string[]): Promise<Withdrawn> => {
      const tournaments = new Set<string>()
      const clips = new Set<string>()
      const deleted: Deleted[] = []
      let since = cursor ?? next?.cursor
      for (let page = 0; since !== undefined && page < maxPages; page += 1) {
        const answer = await get({ since, type: types, limit: '1000' })
        if (answer?.status === 410 && Value.Check(Cursor, answer.body)) {
          // The log goes on without its beginning: a removal cut it, and the answer does not say which.
          const isCut = epochOf(answer.body.cursor) === epochOf(since)
          if (isCut) for (const id of ids) tournaments.add(id)
          renewAtMs = Number.NEGATIVE_INFINITY
          break
        }
        if (answer?.status !== 200 || !Value.Check(Page, answer.body)) break
        for (const { type, tournamentID = null, gameID, token, stillID } of answer.body.changes) {
          if (type === 'tournament.removed' && tournamentID !== null) tournaments.add(tournamentID)
          if (token !== undefined) clips.add(token)
          if (gameID !== undefined) deleted.push({ table: 'games', tournamentID, key: gameID })
          if (stillID === undefined) continue
          deleted.push({ table: 'stills', tournamentID, key: String(stillID) })
        }
        since = answer.body.cursor
        if (!answer.body.more) break
      }
      return { tournaments, clips, deleted }
    },
  }
}
export type Explanations = ReturnType<typeof createExplanations>
