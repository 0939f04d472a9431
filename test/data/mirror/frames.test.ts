import { expect, spyOn, test } from 'bun:test'
import { createCipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Packr } from 'msgpackr'
import { createMemory, readSnapshotFile } from '../../../scripts/import/api/fromSnapshot.ts'
import { decoderOf, fetchSnapshot, refuse } from '../../../src/data/mirror/fetchSnapshot.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import {
  compressTournament,
  packTournament,
  type TournamentFrame,
  unpackTournament,
  writeFrames,
} from '../../../src/data/source/snapshot.ts'
import { headerBytes, parseHead } from '../../../src/data/source/snapshotHead.ts'
import { temporaryFolder } from '../../process.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const players = [{ id: 'a' }, { id: 'b' }]
const noticed = (id: string, length: number): TournamentRows =>
  tournamentOf({ id }, players, [fightRows({ notice: 'x'.repeat(length) }, 'a', 'b')])
const frameOf = (rows: TournamentRows): TournamentFrame =>
  compressTournament(packTournament(rows), 'fast')

/** Text that does not compress below three quarters. */
const random = (seed: string, bytes: number): string =>
  createCipheriv('aes-128-ctr', seed.padEnd(16), Buffer.alloc(16))
    .update(Buffer.alloc(bytes * 0.75))
    .toString('base64')

const fetchFrom = ({ port }: { readonly port: number | undefined }) =>
  fetchSnapshot(new URL(`http://127.0.0.1:${port}/`), {
    kept: new Map(),
    signal: AbortSignal.timeout(60_000),
    maxBytes: 2 ** 30,
  })

/** The bytes of a file of these frames. */
const fileOf = async (frames: readonly TournamentFrame[]): Promise<Buffer> => {
  const path = join(await temporaryFolder(), 'league.cageside')
  await writeFrames(path, { capturedAt: 1_770_000_000, cages: [], cageQueue: [] }, frames)
  return Buffer.from(await Bun.file(path).bytes())
}

const tagOf = (bytes: Buffer): string => `"${Bun.hash(bytes)}"`

/** Serves parts of files; `answer` gives the file of each request, or a response instead. */
const serveParts = (answer: (request: Request) => Buffer | Response | Promise<Buffer>) => {
  const ranges: string[] = []
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const bytes = await answer(request)
      if (bytes instanceof Response) return bytes
      const range = request.headers.get('range') ?? ''
      ranges.push(range)
      const [start = 0, end = 0] = range.slice('bytes='.length).split('-').map(Number)
      const last = Math.min(end, bytes.length - 1)
      return new Response(bytes.subarray(start, last + 1), {
        status: 206,
        headers: {
          'content-range': `bytes ${start}-${last}/${bytes.length}`,
          etag: tagOf(bytes),
        },
      })
    },
  })
  return { server, ranges }
}

/** Fetches a file of these frames, and returns its requests too. */
const fetched = async (frames: readonly TournamentFrame[]) => {
  const bytes = await fileOf(frames)
  const { server, ranges } = serveParts(() => bytes)
  const { file } = await fetchFrom(server)
  await server.stop(true)
  if (!file) throw new Error('nothing was fetched')
  return { file, ranges }
}

test('a head longer than the first request and frames of every size are read whole', async () => {
  const lengths = [0, 40, 400, 70_000, 500_000]
  const many = Array.from({ length: 700 }, (_, n) => `${n}`.padStart(40, '0'))
  const rows = [...many.map((id) => noticed(id, 0)), ...lengths.map((at) => noticed(`n${at}`, at))]
  const { file, ranges } = await fetched(rows.map(frameOf))
  expect(file.head.length).toBeGreaterThan(32 * 1024)
  const ofHead = ranges.filter((range) => range.startsWith('bytes=0-'))
  expect(ofHead.at(-1)).toBe(`bytes=0-${file.head.length - 1}`)
  const { decode } = decoderOf(file.head)
  const read = file.frames.map(({ frame }) => decode(frame.bytes))
  // No frame keeps the memory of the others that were read with it.
  for (const { bytes } of file.frames.map(({ frame }) => frame))
    expect(bytes.buffer.byteLength).toBeLessThan(bytes.length + 16_384)
  const byId = rows.toSorted((a, b) => (a.tournament.id < b.tournament.id ? -1 : 1))
  expect(read).toEqual(byId.map((each) => unpackTournament(frameOf(each))))
})

test('a head of more than 4 MiB is refused before it is requested', async () => {
  const bytes = await fileOf([frameOf(noticed('a', 0))])
  bytes.writeUInt32LE(4 * 2 ** 20, headerBytes)
  const { server, ranges } = serveParts(() => bytes)
  await expect(fetchFrom(server)).rejects.toThrow('its head is too long')
  await server.stop(true)
  expect(ranges).toHaveLength(1)
})

test('a frame may unpack to 64 times its size and 64 MiB, all frames to 64 times their file or 64 MiB', async () => {
  const head = parseHead(await fileOf([]), refuse)
  const packr = new Packr()
  const frameWith = (mebibytes: number): Uint8Array => {
    // The frame does not compress below a 64th of its size.
    const texts = randomBytes((mebibytes * 2 ** 20) / 50).toString('base64')
    return Bun.zstdCompressSync(packr.pack({ cages: texts.padEnd(mebibytes * 2 ** 20) }))
  }
  const [half, most, more] = [frameWith(33), frameWith(63), frameWith(65)]
  const refusal = 'has an invalid frame'
  const { decode } = decoderOf({ ...head, sizeBytes: 2 ** 20 })
  expect(decode(half)).toBeDefined()
  expect(() => decode(half)).toThrow(refusal)
  const { decode: decodeOfLarge } = decoderOf({ ...head, sizeBytes: 4 * 2 ** 20 })
  for (const frame of [half, most]) expect(decodeOfLarge(frame)).toBeDefined()
  expect(() => decodeOfLarge(more)).toThrow(refusal)
  const bomb = Bun.zstdCompressSync(packr.pack(Array(2 ** 20).fill('')))
  expect(() => decode(bomb)).toThrow(refusal)
})

test('a server that answers 304 without a tag is refused', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 304 }) })
  await expect(fetchFrom(server)).rejects.toThrow('the server answered 304')
  await server.stop(true)
})

test('failed attempts keep only the frames of the newest file', async () => {
  const files: TournamentFrame[][] = []
  const { server } = serveParts(async () => {
    const frames = ['a', 'b'].map((id) => frameOf(noticed(id, files.length)))
    files.push(frames)
    const damaged = await fileOf(frames)
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1)
    return damaged
  })
  const memory = createMemory()
  const source = {
    address: new URL(`http://127.0.0.1:${server.port}/`),
    headers: {},
    signal: AbortSignal.timeout(60_000),
    memory,
    retryMs: 1,
  }
  expect(await readSnapshotFile(source, () => undefined)).toBeUndefined()
  await server.stop(true)
  expect(files.length).toBe(4)
  expect([...memory.frames.values()].map(({ digest }) => digest)).toEqual([
    files.at(-1)?.[0]?.digest ?? 0n,
  ])
})

test('attempts come when the server asks for them, and end with the import', async () => {
  const bytes = await fileOf([frameOf(noticed('a', 0))])
  const stopped = new AbortController()
  const answers: (() => Response | Buffer)[] = [
    () => new Response('', { status: 429, headers: { 'Retry-After': '0' } }),
    () => bytes,
    () => {
      stopped.abort(new Error('stopped'))
      return new Response('', { status: 503, headers: { 'Retry-After': '600' } })
    },
  ]
  const { server } = serveParts(() => answers.shift()?.() ?? bytes)
  const source = {
    address: new URL(`http://127.0.0.1:${server.port}/`),
    headers: {},
    signal: stopped.signal,
    memory: createMemory(),
    retryMs: 600_000,
  }
  const read = () => readSnapshotFile(source, () => undefined)
  expect(await read()).toMatchObject({ frames: [{}] })
  await expect(read()).rejects.toThrow('stopped')
  await server.stop(true)
})

/** A file that takes two requests. */
const fileOfTwo = (): Promise<Buffer> => {
  const rows = ['a', 'b'].map((id) =>
    tournamentOf({ id }, players, [fightRows({ notice: random(id, 40_000) }, 'a', 'b')]),
  )
  return fileOf(rows.map(frameOf))
}

test.each<[string, (start: number, end: number, size: number) => [string, string, number]]>([
  ['another tag', (start, end, size) => ['"other"', `${start}-${end}/${size}`, end + 1 - start]],
  ['another size', (start, end, size) => ['', `${start}-${end}/${size + 1}`, end + 1 - start]],
  ['another start', (start, end, size) => ['', `${start - 1}-${end - 1}/${size}`, end + 1 - start]],
  ['fewer bytes', (start, end, size) => ['', `${start}-${end - 1}/${size}`, end - start]],
])('a part with %s belongs to another file, which is read again', async (_, partOf) => {
  const bytes = await fileOfTwo()
  const { server, ranges } = serveParts(({ headers }) => {
    if (ranges.length !== 1) return bytes
    ranges.push('changed')
    const [start = 0, end = 0] = headers.get('range')?.match(/\d+/g)?.map(Number) ?? []
    const [etag, range, length] = partOf(start, end, bytes.length)
    return new Response(bytes.subarray(1, 1 + length), {
      status: 206,
      headers: { 'content-range': `bytes ${range}`, etag: etag || tagOf(bytes) },
    })
  })
  const { file } = await fetchFrom(server)
  await server.stop(true)
  expect(file?.frames.map(({ name: [id] }) => id)).toEqual(['a', 'b'])
  expect(ranges.filter((range) => range.startsWith('bytes=0-'))).toHaveLength(2)
})

test('a file that always changes while it is read is given up', async () => {
  const bytes = await fileOfTwo()
  const { server, ranges } = serveParts(() =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.of(ranges.length)]),
  )
  await expect(fetchFrom(server)).rejects.toThrow('changes faster than it can be read')
  await server.stop(true)
  expect(ranges).toHaveLength(60)
})

test('a file that ends within its head is refused at once', async () => {
  const bytes = (await fileOf([frameOf(noticed('a', 0))])).subarray(0, 100)
  const { server, ranges } = serveParts(() => bytes)
  await expect(fetchFrom(server)).rejects.toThrow('is cut off')
  await server.stop(true)
  expect(ranges).toHaveLength(1)
})

test('frames that a changed file still has are fetched once', async () => {
  const noise = (id: string, bytes: number) =>
    frameOf(tournamentOf({ id }, players, [fightRows({ notice: random(id, bytes) }, 'a', 'b')]))
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => noise(id, 5 * 2 ** 20))
  if (!a || !b || !c || !d) throw new Error('unreachable')
  const [before, after] = await Promise.all([fileOf([a, b, c]), fileOf([a, b, d])])
  let requests = 0
  const { server, ranges } = serveParts(() => {
    requests += 1
    return requests > 2 ? after : before
  })
  const { file } = await fetchFrom(server)
  await server.stop(true)
  expect(file?.frames.map(({ frame }) => frame.digest)).toEqual([a, b, d].map((e) => e.digest))
  const [first, ofAB, ofC, ...again] = ranges.map((range) => range.split('-', 1)[0])
  expect(ofC).not.toBe(ofAB)
  expect(again).toEqual([first, ofC])
})

test.each([200, 404])(
  'a request that was answered %i leaves no timer that keeps the process alive',
  async (status) => {
    const bytes = await fileOf([frameOf(noticed('cup', 10))])
    const { server } = serveParts(() => (status === 200 ? bytes : new Response('', { status })))
    using timers = spyOn(globalThis, 'setTimeout')
    await fetchFrom(server).catch(() => undefined)
    server.stop(true)
    const left = timers.mock.results.filter((_, at) => timers.mock.calls[at]?.[1] === 15_000)
    expect(left.length).toBeGreaterThan(0)
    expect(left.map(({ value }) => Reflect.get(Object(value), '_destroyed'))).not.toContain(false)
  },
)
