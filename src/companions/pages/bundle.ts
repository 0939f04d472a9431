import { join } from 'node:path'
import { embeddedFiles } from '../../runtime/files.ts'

/**
 * Every file that browsers load, by its public name. The executable holds
 * the bundles instead of these sources.
 */
const sources = {
  'early.js': 'browser/early.ts',
  'retry.js': 'browser/retry.ts',
  'site.js': 'browser/site.ts',
  'search.js': 'browser/search.ts',
  'event.js': 'browser/event.ts',
  'watch.js': 'browser/watch.ts',
  'live.js': 'browser/live.ts',
  'my.js': 'browser/my.ts',
  'changes.js': 'browser/changes.ts',
  'hls.js': 'hls.js/dist/hls.light.min.mjs',
  'site.css': 'style/site.css',
  'bracket.css': 'style/bracket.css',
  'watch.css': 'style/watch.css',
  'live.css': 'style/live.css',
  'overlay.css': 'style/overlay.css',
  'icon.svg': 'style/icon.svg',
  'favicon.ico': 'style/favicon.ico',
  'touch.png': 'style/touch.png',
  'card.png': 'style/card.png',
  'poster.png': 'style/poster.png',
} as const

export type AssetName = keyof typeof sources

export const assetNames = Object.keys(sources)

export const isAssetName = (name: string): name is AssetName => Object.hasOwn(sources, name)

/** Name of a bundle within the executable. */
const embeddedName = (name: AssetName): string => `${name}.bundle`

/** Libraries are resolved where they are installed. */
const pathOf = (name: AssetName): string =>
  name === 'hls.js'
    ? Bun.resolveSync(sources[name], import.meta.dirname)
    : join(import.meta.dirname, sources[name])

/** Sent as it is: pictures, and the HLS player, which is minified and takes a quarter of a second to bundle. */
const isPlain = (name: AssetName): boolean => !/\.(js|css)$/.test(name) || name === 'hls.js'

/**
 * Rules that Bun 1.4.5 adds for browsers of before 2021 without `:is()`: an eighth of the style sheet of every page.
 */
const oldRules = /[^{}]*:-(?:webkit|moz)-any\([^{}]*\{[^{}]*\}/g

/** Classic scripts within pages, which run at once; the others are modules. */
const inlineScripts: readonly AssetName[] = ['early.js', 'retry.js']

/** One minified file with everything that it imports. */
export const bundle = async (name: AssetName): Promise<Uint8Array<ArrayBuffer>> => {
  const embedded = embeddedFiles.get(embeddedName(name))
  if (embedded) return embedded.bytes()
  const path = pathOf(name)
  if (isPlain(name)) return Bun.file(path).bytes()
  const { outputs } = await Bun.build({
    entrypoints: [path],
    target: 'browser',
    format: inlineScripts.includes(name) ? 'iife' : 'esm',
    minify: true,
  })
  const [output] = outputs
  if (!output) throw new Error(`${name} has no bundle`)
  const text = await output.text()
  return new TextEncoder().encode(name.endsWith('.css') ? text.replace(oldRules, '') : text)
}

/** All bundles for the executable. */
export const embeddedBundles = async (): Promise<ReadonlyMap<string, Uint8Array>> =>
  new Map(
    await Promise.all(
      assetNames
        .filter(isAssetName)
        .map(async (name) => [embeddedName(name), await bundle(name)] as const),
    ),
  )
