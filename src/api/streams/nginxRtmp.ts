import { type Static, Type } from '@sinclair/typebox'
import { RequestError } from '../../data/remote/request.ts'
import { compiled } from '../../runtime/once.ts'
import { type Broadcast, fetchText, playlistUrl, type StreamSource } from './streamSource.ts'

const decimal = Type.String({ pattern: '^[0-9]{1,15}$' })
/** An element whose presence counts, such as `<active/>`. */
const mark = Type.Optional(Type.Unknown())
/** An element without children is parsed as its text. */
const orEmpty = <T extends Parameters<typeof Type.Array>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Literal('')]))

/** Listed if the page shows clients; `time` is in milliseconds since they connected. */
const Client = Type.Object({ time: decimal, publishing: mark })

/** Text with only the codec in the module's first releases; an element of its own since 1.1.4. */
const Track = Type.Union([Type.String(), Type.Object({ codec: Type.Optional(Type.String()) })])
type Track = Static<typeof Track>

/** `time` is in milliseconds since the first client came, publisher or not. */
const Stream = Type.Object({
  name: Type.String(),
  time: decimal,
  nclients: decimal,
  publishing: mark,
  active: mark,
  client: Type.Optional(Type.Array(Client)),
  meta: orEmpty(Type.Object({ video: Type.Optional(Track), audio: Type.Optional(Track) })),
})
type Stream = Static<typeof Stream>

const Live = Type.Object({ stream: Type.Optional(Type.Array(Stream)) })
const Application = Type.Object({ live: orEmpty(Live) })
const Server = Type.Object({ application: Type.Optional(Type.Array(Application)) })

/** The page of `rtmp_stat`. */
const Statistics = compiled(
  Type.Object({
    rtmp: Type.Object({
      pid: decimal,
      server: Type.Optional(Type.Array(Type.Union([Server, Type.Literal('')]))),
    }),
  }),
)

const repeated: readonly string[] = ['server', 'application', 'stream', 'client']

const parseXml = async (text: string): Promise<unknown> => {
  if (text.includes('<!')) throw new RequestError('the answer is not a statistics page')
  // Loaded on demand, because it takes 11 ms.
  const { XMLParser } = await import('fast-xml-parser')
  // Entities are not expanded: a page that declares any is refused above.
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    isArray: (name) => repeated.includes(name),
    processEntities: { maxTotalExpansions: 100_000, maxExpandedLength: 2 ** 20 },
  })
  try {
    return parser.parse(text, true)
  } catch {
    throw new RequestError('the answer is not XML')
  }
}

const readStreams = async (address: URL, signal: AbortSignal): Promise<readonly Stream[]> => {
  const page = await parseXml(await fetchText(address, ['text/xml', 'application/xml'], signal))
  if (!Statistics().Check(page)) {
    const where = Statistics().Errors(page).First()?.path
    throw new RequestError(`the answer is not a statistics page (at ${where || '/'})`)
  }
  return (page.rtmp.server ?? [])
    .flatMap((server) => (server === '' ? [] : (server.application ?? [])))
    .flatMap(({ live }) => (live ? (live.stream ?? []) : []))
}

const isPublished = ({ publishing, active }: Stream): boolean =>
  publishing !== undefined && active !== undefined

/** Milliseconds since the publisher connected. */
const publishedMs = ({ client = [], time }: Stream): number =>
  Number(client.find(({ publishing }) => publishing !== undefined)?.time ?? time)

const codecOf = (track: Track | undefined): string =>
  (typeof track === 'string' ? track : track?.codec) ?? ''

const tracksOf = ({ meta }: Stream): readonly string[] =>
  meta ? [meta.video, meta.audio].map(codecOf).filter((codec) => codec !== '') : []

/**
 * nginx with the RTMP module, by the statistics page at `apiUrl`. A stream's path is its name, in any application; the
 * first of several with the same name counts. It plays at `HLS/NAME.m3u8`, where the module writes it unless it is
 * configured to nest.
 */
export const createNginxRtmp = (
  apiUrl: string,
  hlsUrl: string,
  nowMs: () => number = Date.now,
): StreamSource => {
  let starts: ReadonlyMap<string, number> = new Map()

  /** Starts are computed from ages, so they vary by up to a second. */
  const startOf = (stream: Stream): number => {
    const found = Math.round((nowMs() - publishedMs(stream)) / 1000)
    const before = starts.get(stream.name)
    return before !== undefined && Math.abs(before - found) <= 1 ? before : found
  }

  return async (signal) => {
    const broadcasts = new Map<string, Broadcast>()
    for (const stream of (await readStreams(new URL(apiUrl), signal)).filter(isPublished)) {
      const playlist = playlistUrl(hlsUrl, stream.name, '.m3u8')
      if (!playlist || broadcasts.has(stream.name)) continue
      broadcasts.set(stream.name, {
        path: stream.name,
        hlsUrl: playlist,
        readyUnix: startOf(stream),
        viewers: Math.max(0, Number(stream.nclients) - 1),
        tracks: tracksOf(stream),
      })
    }
    starts = new Map([...broadcasts].map(([path, { readyUnix }]) => [path, readyUnix ?? 0]))
    return [...broadcasts.values()]
  }
}
