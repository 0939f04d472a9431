/** Inline style sheets and scripts of a page, in order. */
const inlined = /<(style|script)>(.*?)<\/\1>/gs

/** A page without its inline style sheets and scripts. */
export const withoutInlined = (text: string): string => text.replace(inlined, '')

/** Sources by which a Content-Security-Policy allows the inline scripts and style sheets of a page. */
export const inlineSources = (text: string): Readonly<Record<'script' | 'style', string>> => {
  const found = { script: '', style: '' }
  for (const [, tag, content = ''] of text.matchAll(inlined)) {
    const hash = new Bun.CryptoHasher('sha256').update(content).digest('base64')
    found[tag === 'script' ? 'script' : 'style'] += ` 'sha256-${hash}'`
  }
  return found
}
