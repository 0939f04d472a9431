/** Style sheets and scripts that stand in a page, in its order. */
const inlined = /<(style|script)>(.*?)<\/\1>/gs

/** A page without them. */
export const withoutInlined = (text: string): string => text.replace(inlined, '')

/** Sources by which a Content-Security-Policy allows those of a page: of its scripts, and of its style sheets. */
export const inlineSources = (text: string): Readonly<Record<'script' | 'style', string>> => {
  const found = { script: '', style: '' }
  for (const [, tag, content = ''] of text.matchAll(inlined)) {
    const hash = new Bun.CryptoHasher('sha256').update(content).digest('base64')
    found[tag === 'script' ? 'script' : 'style'] += ` 'sha256-${hash}'`
  }
  return found
}
