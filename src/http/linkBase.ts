export interface LinkSettings {
  /** Public origin and prefix of the service, without a slash at the end. */
  readonly publicUrl: string | undefined
  readonly basePath: string
  readonly trustedProxies: number
}

const defaultHost = 'localhost'
const hostPattern = /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
const maxHostLength = 260

/** The entry that the outermost trusted proxy wrote; a proxy that replaces the header leaves one. */
const forwarded = (headers: Headers, name: string, trustedProxies: number): string | undefined => {
  if (trustedProxies === 0) return undefined
  const entries = headers.get(name)?.split(',') ?? []
  return (entries.at(-trustedProxies) ?? entries[0])?.trim()
}

const isHost = (text: string | undefined): text is string =>
  text !== undefined && text.length <= maxHostLength && hostPattern.test(text)

/** Names of the headers that {@link linkBase} reads. */
export const linkHeaders = ({ publicUrl, trustedProxies }: LinkSettings): readonly string[] => {
  if (publicUrl !== undefined) return []
  return trustedProxies === 0 ? ['host'] : ['host', 'x-forwarded-host', 'x-forwarded-proto']
}

/**
 * Start of absolute links: `PUBLIC_URL`, else the host under which the client found the service, from `Host` and,
 * behind trusted proxies, `X-Forwarded-Host` and `X-Forwarded-Proto`. An invalid host becomes `localhost`.
 */
export const linkBase = (
  { publicUrl, basePath, trustedProxies }: LinkSettings,
  headers: Headers,
): string => {
  if (publicUrl !== undefined) return publicUrl
  const protocol = forwarded(headers, 'x-forwarded-proto', trustedProxies)
  const hosts = [
    forwarded(headers, 'x-forwarded-host', trustedProxies),
    headers.get('host') ?? undefined,
  ]
  const host = hosts.find(isHost) ?? defaultHost
  return `${protocol === 'https' ? 'https' : 'http'}://${host.toLowerCase()}${basePath}`
}
