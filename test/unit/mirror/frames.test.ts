import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { decoderOf, fetchSnapshot } from '../../../src/mirror/fetchSnapshot.ts'
import type { TournamentRows } from '../../../src/source/rows.ts'
import {
  compressTournament,
  packTournament,
  type TournamentFrame,
  unpackTournament,
  writeFrames,
} from '../../../src/source/snapshot.ts'
import { temporaryFolder } from '../../process.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const players = [{ id: 'a' }, { id: 'b' }]
const noticed = (id: string, length: number): TournamentRows =>
  tournamentOf({ id }, players, [fightRows({ notice: 'x'.repeat(length) }, 'a', 'b')])
const frameOf = (rows: TournamentRows): TournamentFrame =>
  compressTournament(packTournament(rows), 'fast')

const fetchFrom = ({ port }: { readonly port: number | undefined }) =>
  fetchSnapshot(new URL(`http://127.0.0.1:${port}/`), {
    known: new Map(),
    onFrame: () => undefined,
    signal: AbortSignal.timeout(60_000),
    maxBytes: 2 ** 30,
  })

/** Fetches a file of these frames, and the requests that it took. */
const fetched = async (frames: readonly TournamentFrame[]) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  await writeFrames(path, { capturedAt: 1_770_000_000, cages: [], cageQueue: [] }, frames)
  const ranges: string[] = []
  const server = Bun.serve({
    port: 0,
    fetch: ({ headers }) => {
      const range = headers.get('range') ?? ''
      ranges.push(range)
      const [start = 0, end = 0] = range.slice('bytes='.length).split('-').map(Number)
      const file = Bun.file(path)
      const last = Math.min(end, file.size - 1)
      return new Response(file.slice(start, last + 1), {
        status: 206,
        headers: { 'content-range': `bytes ${start}-${last}/${file.size}` },
      })
    },
  })
  const { file } = await fetchFrom(server)
  await server.stop(true)
  if (!file) throw new Error('nothing was fetched')
  return { file, ranges }
}

test('a head that is longer than the first request, and frames of every size, are read whole', async () => {
  const lengths = [0, 40, 400, 70_000, 5_000_000]
  const many = Array.from({ length: 700 }, (_, n) => `${n}`.padStart(40, '0'))
  const rows = [...many.map((id) => noticed(id, 0)), ...lengths.map((at) => noticed(`n${at}`, at))]
  const { file, ranges } = await fetched(rows.map(frameOf))
  expect(file.head.length).toBeGreaterThan(32 * 1024)
  const ofHead = ranges.filter((range) => range.startsWith('bytes=0-'))
  expect(ofHead.at(-1)).toBe(`bytes=0-${file.head.length - 1}`)
  const { decode } = decoderOf(file.head)
  const read = file.frames.map(({ frame }) => decode(frame.bytes))
  const byId = rows.toSorted((a, b) => (a.tournament.id < b.tournament.id ? -1 : 1))
  expect(read).toEqual(byId.map((each) => unpackTournament(frameOf(each))))
})

test('frames unpack to 64 MiB in all, whatever each of them does', async () => {
  const { file } = await fetched([frameOf(noticed('a', 30 * 2 ** 20))])
  const [large] = file.frames
  if (!large) throw new Error('it has no frame')
  const { decode } = decoderOf(file.head)
  const read = (): number => JSON.stringify(decode(large.frame.bytes)).length
  expect([read(), read()].every((length) => length > 30 * 2 ** 20)).toBe(true)
  expect(read).toThrow('holds a frame that is no table')
})

test('a server that answers 304 without a tag is refused', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 304 }) })
  await expect(fetchFrom(server)).rejects.toThrow('it answered 304')
  await server.stop(true)
})
