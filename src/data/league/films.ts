/** Player of a film: the page itself, or a provider in a frame. */
export const filmKinds = ['file', 'youtube', 'vimeo', 'twitch'] as const
export type FilmKind = (typeof filmKinds)[number]

/** A film on a page of a provider. */
export interface ProvidedFilm {
  readonly kind: Exclude<FilmKind, 'file'>
  /** Name of the provider. */
  readonly provider: string
  /** Address of the player for a frame, from a second on. */
  readonly playerAt: (seconds: number) => string
  /** Second at which the fight starts, as the address says it. */
  readonly startSeconds: number | null
}

/** `95`, `95s` and `1h2m3s` in seconds; null for other texts. */
const readStart = (text: string | null | undefined): number | null => {
  const [whole, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s?)?$/.exec(text ?? '') ?? []
  return whole ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : null
}

/** Id of a film at a provider, and further values for its player, from the path and query of an address. */
type Find = (url: URL, segments: readonly string[]) => { id: string; query?: string } | undefined

const isId = (text: string | null | undefined, pattern = /^[\w-]{3,64}$/): text is string =>
  pattern.test(text ?? '')

const youtube: Find = ({ hostname, searchParams }, [first, second]) => {
  const id = /youtu\.be$/.test(hostname)
    ? first
    : first === 'watch'
      ? searchParams.get('v')
      : /^(embed|live|shorts|v)$/.test(first ?? '')
        ? second
        : undefined
  return isId(id) ? { id } : undefined
}

const vimeo: Find = ({ searchParams }, segments) => {
  const at = segments.findLastIndex((each) => /^\d{3,15}$/.test(each))
  const hash = searchParams.get('h') ?? segments[at + 1]
  const id = segments[at]
  return id === undefined ? undefined : { id, ...(isId(hash) && { query: `h=${hash}` }) }
}

const twitch: Find = ({ hostname, searchParams }, segments) => {
  const at = segments.findIndex((each) => /^(videos?|v|clip)$/.test(each))
  const isClipHost = /^clips\./.test(hostname)
  const clip = isClipHost ? (searchParams.get('clip') ?? segments[0]) : segments[at + 1]
  if (isClipHost || segments[at] === 'clip')
    return isId(clip, /^[\w-]{3,128}$/) ? { id: clip, query: 'clip' } : undefined
  const video = (at < 0 ? searchParams.get('video') : segments[at + 1])?.replace(/^v/, '')
  return isId(video, /^\d{3,15}$/) ? { id: video } : undefined
}

interface Provider {
  readonly kind: ProvidedFilm['kind']
  readonly name: string
  readonly host: RegExp
  readonly find: Find
  /** URL of the player; the script of the page adds its host for Twitch. */
  readonly player: (id: string, start: number, query: string | undefined) => string
}

const providers: readonly Provider[] = [
  {
    kind: 'youtube',
    name: 'YouTube',
    host: /(^|\.)(youtube(-nocookie)?\.com|youtu\.be)$/,
    find: youtube,
    player: (id, start) =>
      `https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0&start=${start}`,
  },
  {
    kind: 'vimeo',
    name: 'Vimeo',
    host: /(^|\.)vimeo\.com$/,
    find: vimeo,
    player: (id, start, query) =>
      `https://player.vimeo.com/video/${id}?autoplay=1&dnt=1${query ? `&${query}` : ''}#t=${start}s`,
  },
  {
    kind: 'twitch',
    name: 'Twitch',
    host: /(^|\.)twitch\.tv$/,
    find: twitch,
    player: (id, start, query) =>
      query === 'clip'
        ? `https://clips.twitch.tv/embed?autoplay=true&clip=${id}`
        : `https://player.twitch.tv/?autoplay=true&video=${id}&time=${start}s`,
  },
]

/** Most addresses are files; this test finds them without parsing. */
const maybeProvided = /^https?:\/\/[^/]*(youtu|vimeo|twitch)/i

/** The provider of an address; undefined for other hosts. */
const providerOf = (address: string | null): { provider: Provider; url: URL } | undefined => {
  const url = address !== null && maybeProvided.test(address) ? URL.parse(address) : null
  const provider = url && providers.find(({ host }) => host.test(url.hostname))
  return url && provider ? { provider, url } : undefined
}

/** Name of the provider if an address is on its site but shows no single film. */
export const filmlessProvider = (address: string): string | undefined =>
  providedFilm(address) ? undefined : providerOf(address)?.provider.name

/** Film of an address on a provider's site; undefined for a file. */
export const providedFilm = (address: string | null): ProvidedFilm | undefined => {
  const found = providerOf(address)
  if (!found) return undefined
  const { provider, url } = found
  const film = provider.find(url, url.pathname.split('/').filter(Boolean))
  if (!film) return undefined
  const { searchParams, hash } = url
  const startSeconds =
    readStart(searchParams.get('t')) ??
    readStart(searchParams.get('start')) ??
    readStart(searchParams.get('time')) ??
    readStart(/^#t=(.*)$/.exec(hash)?.[1])
  return {
    kind: provider.kind,
    provider: provider.name,
    playerAt: (seconds) => provider.player(film.id, seconds, film.query),
    startSeconds,
  }
}
