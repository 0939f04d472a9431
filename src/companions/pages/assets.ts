import { Elysia, redirect } from 'elysia'
import { caching } from '../../http/caching.ts'
import { notFound } from '../../http/errors.ts'
import { requestContext } from '../../http/requestContext.ts'
import { searchStyle } from './browser/searchStyle.ts'
import { type AssetName, assetNames, bundle, isAssetName } from './bundle.ts'
import { Html } from './html.ts'
import type { Viewing } from './site.ts'

/** A file that pages load. */
interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** First 10 hex digits of the hash of its content. */
  readonly hash: string
  /** The hash as a source of a Content-Security-Policy, which allows the file within a page. */
  readonly source: string
}

export type Assets = ReadonlyMap<AssetName, Asset>

/** A source of a Content-Security-Policy that allows this style or script within a page. */
const sourceOf = (digest: Buffer): string => `'sha256-${digest.toString('base64')}'`

const digestOf = (content: Bun.BlobOrStringOrBuffer): Buffer =>
  new Bun.CryptoHasher('sha256').update(content).digest()

/** Allows the style element that the search box has in browsers without constructed style sheets. */
export const searchStyleSource = sourceOf(digestOf(searchStyle))

const loadAsset = async (name: AssetName): Promise<readonly [AssetName, Asset]> => {
  const bytes = await bundle(name)
  const digest = digestOf(bytes)
  return [name, { bytes, hash: digest.toString('hex').slice(0, 10), source: sourceOf(digest) }]
}

let built: Promise<Assets> | undefined

/** All files, bundled at first use, once per process; a failure is tried again. */
export const loadAssets = (): Promise<Assets> => {
  built ??= Promise.all(assetNames.filter(isAssetName).map(loadAsset)).then(
    (files) => new Map(files),
    (error: unknown) => {
      built = undefined
      throw error
    },
  )
  return built
}

/** Colour of the header, for the frame that browsers draw around the page. */
export const themeColour = '#131619'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  png: 'image/png',
}

/** Path of a file below the base path, with its hash: `/assets/site.0123456789.css`. */
export const assetPath = (assets: Assets, name: AssetName): string =>
  `/assets/${name.replace('.', `.${assets.get(name)?.hash}.`)}`

/** A style sheet or script within a page: it needs no request of its own and is there at the first paint. */
export const inlined = (assets: Assets, name: AssetName): Html =>
  new Html(new TextDecoder().decode(assets.get(name)?.bytes))

/** A small picture as a data URL. */
export const inlinedPicture = (assets: Assets, name: AssetName): string =>
  `data:image/png;base64,${assets.get(name)?.bytes.toBase64()}`

/** Sources of a Content-Security-Policy that allow {@link inlined} files. */
export const inlineSources = (assets: Assets, names: readonly AssetName[]): string =>
  names.map((name) => assets.get(name)?.source).join(' ')

/** The file at `site.0123456789.css` or `site.css`, and whether the hash is the hash of its content. */
const findAsset = async (file: string) => {
  const [, stem = file, hash, extension = ''] =
    /^(\w+)(?:\.([0-9a-f]{10}))?\.(\w+)$/.exec(file) ?? []
  const name = `${stem}.${extension}`
  const asset = isAssetName(name) ? (await loadAssets()).get(name) : undefined
  return asset && { name, extension, bytes: asset.bytes, isCurrent: hash === asset.hash }
}

/**
 * The files of the pages, and files that browsers request of any site. A URL with the current hash may be kept for
 * ever. A URL without a hash, which other sites can use, or with the hash of another version, which a cached page
 * refers to, gets the current file.
 */
export const assetRoutes = ({ address }: Viewing) =>
  new Elysia({ tags: ['pages'] })
    .use(requestContext)
    .get(
      '/assets/:file',
      async ({ cached, set, params: { file } }) => {
        const asset = await findAsset(file)
        if (!asset) return notFound('path')
        set.headers['cache-control'] = asset.isCurrent ? caching.immutable : caching.archive
        set.headers['content-type'] = types[asset.extension] ?? ''
        return cached(new Response(asset.bytes))
      },
      {
        // Addresses with another hash share one cached response.
        transform: async ({ params }) => {
          const asset = await findAsset(params.file)
          if (asset && !asset.isCurrent) params.file = asset.name
        },
        detail: { hide: true },
      },
    )
    .get('/favicon.ico', () => redirect(address('/assets/favicon.ico'), 302), {
      detail: { hide: true },
    })
    .get(
      '/site.webmanifest',
      async ({ cached, set }) => {
        const assets = await loadAssets()
        const icon = (name: AssetName, sizes: string) => ({
          src: address(assetPath(assets, name)),
          sizes,
        })
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = 'application/manifest+json'
        return cached({
          name: 'Cageside',
          start_url: address('/'),
          scope: address('/'),
          display: 'minimal-ui',
          theme_color: themeColour,
          background_color: themeColour,
          icons: [icon('icon.svg', 'any'), icon('touch.png', '180x180')],
        })
      },
      { detail: { hide: true } },
    )
