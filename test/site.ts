import { type Running, startService, stopService } from './process.ts'

/**
 * How people reach the pages: without settings, as a new user starts the service, and with all settings that affect
 * URLs.
 */
export const addressings = ['no setting', 'BASE_PATH, LEGACY_BASE and PUBLIC_URL'] as const

/** A service, and the public URLs of its start page and of the legacy API, without a final slash. */
export interface RunningSite {
  readonly url: string
  readonly legacyUrl: string
  readonly service: Running
  readonly stop: () => Promise<void>
}

const [basePath, legacyBase] = ['/x/api.php', '/x/backend']
/** All settings that affect URLs, for a service without a proxy. */
export const allAddressSettings = {
  BASE_PATH: basePath,
  LEGACY_BASE: legacyBase,
  PUBLIC_URL: `https://league.example${basePath}`,
} as const

const prefix = '/league'

/** A proxy that removes a prefix from paths; the URL of its service is set later. */
const startProxy = () => {
  const upstream = Promise.withResolvers<string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Streams of changes may be silent for longer than the default.
    idleTimeout: 0,
    fetch: async ({ url, headers, method, signal }) => {
      const { pathname, search } = new URL(url)
      if (!pathname.startsWith(`${prefix}/`)) return new Response(null, { status: 404 })
      const address = `${await upstream.promise}${pathname.slice(prefix.length)}${search}`
      return fetch(address, { headers, method, signal, redirect: 'manual', decompress: false })
    },
  })
  return { server, upstream }
}

/** Starts the service with these settings and one of the {@link addressings}. */
export const startSite = async (
  addressing: (typeof addressings)[number],
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningSite> => {
  if (addressing === 'no setting') {
    const service = await startService(settings)
    const stop = async () => void (await stopService(service))
    return { url: service.url, legacyUrl: `${service.url}/legacy`, service, stop }
  }
  const { server, upstream } = startProxy()
  const outside = `http://127.0.0.1:${server.port}${prefix}`
  const url = outside + basePath
  const service = await startService({
    ...allAddressSettings,
    PUBLIC_URL: url,
    ...settings,
  })
  upstream.resolve(new URL(service.url).origin)
  return {
    url,
    legacyUrl: outside + legacyBase,
    service,
    stop: async () => {
      await server.stop(true)
      await stopService(service)
    },
  }
}
