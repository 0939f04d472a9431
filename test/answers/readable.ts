import { version } from '../../package.json' with { type: 'json' }

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** Headers that follow from the body, the time or the connection, or that every answer has. */
const unshown: ReadonlySet<string> = new Set([
  ...['content-length', 'date', 'etag', 'vary', 'x-data-age', 'x-data-version', 'x-request-id'],
  'last-modified',
  ...['access-control-allow-origin', 'access-control-expose-headers', 'x-content-type-options'],
  ...['connection', 'transfer-encoding', 'content-encoding', 'content-security-policy'],
])

const lineWidth = 110

/** JSON with values on one line if they fit. */
const printJson = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value) ?? 'null'
  if (typeof value !== 'object' || value === null || line.length + indent.length <= lineWidth)
    return line
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => deeper + printJson(item, deeper))
    : Object.entries(value).map(
        ([name, item]) => `${deeper}${JSON.stringify(name)}: ${printJson(item, deeper)}`,
      )
  return `${isList ? '[' : '{'}\n${items.join(',\n')}\n${indent}${isList ? ']' : '}'}`
}

/** HTML with a line for each block, without the parts that all pages share: scripts, styles, header and footer. */
const printHtml = (html: string): string =>
  html
    .replaceAll(/<(script|style)\b[^>]*>[^<]*(?:<(?!\/\1)[^<]*)*<\/\1>/g, '')
    .replace(/<header class="top">[\s\S]*?<\/header>/, '')
    .replaceAll(/<(link|meta) [^>]*(icon|manifest|viewport|theme-color|color-scheme)[^>]*>/g, '')
    .replaceAll(/>(?=<(p|li|div|section|h\d|tr|td|th|ul|ol|figure|path|a|g|rect|text)\b)/g, '>\n')
    .replaceAll(/(\n\s*)+\n/g, '\n')

const decoder = new TextDecoder()

/** Status, headers and body of an answer in readable form, without values that differ between starts or releases. */
export const readable = ({ status, headers, bytes }: Received): string => {
  const kept = [...headers].filter(([name]) => !unshown.has(name))
  const head = [status, ...kept.map((header) => header.join(': ')).sort()].join('\n')
  const type = headers.get('content-type') ?? ''
  const text = decoder.decode(type.includes('gzip') ? Bun.gunzipSync(new Uint8Array(bytes)) : bytes)
  const isJson = type.startsWith('application/json') && text !== ''
  const body = isJson
    ? printJson(JSON.parse(text))
    : type.startsWith('text/html')
      ? printHtml(text)
      : text
  return `${head}\n\n${body.trimEnd()}\n`
    .replaceAll(version, 'VERSION')
    .replaceAll(/'sha256-[\w+/]+='/g, "'sha256-'")
    .replaceAll(/(\/assets\/\w+)\.[0-9a-f]{10}\./g, '$1.')
    .replaceAll(/"(bytes|sha256|updated|version|client|cursor)":( ?)("[\w.-]+"|\d+)/g, '"$1":$2"…"')
    .replaceAll(/([?&]v=)[\w-]+/g, '$1…')
}
