import type { LinkSettings } from './linkBase.ts'

type PublicSettings = Pick<LinkSettings, 'publicUrl' | 'basePath'>

/** Prefix of the service as its clients see it: the path of `PUBLIC_URL`, else the base path. */
export const publicPath = ({ publicUrl, basePath }: PublicSettings): string =>
  publicUrl === undefined ? basePath : new URL(publicUrl).pathname.replace(/\/$/, '')

/** URL to which the paths of routes, base path included, are appended; empty without `PUBLIC_URL`. */
export const publicServer = ({ publicUrl = '', basePath }: PublicSettings): string =>
  publicUrl.slice(0, Math.max(0, publicUrl.length - basePath.length))
