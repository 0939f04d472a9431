/** Where a script stands. */
export interface Mount {
  /** Path before the current API, for the addresses of what supersedes a script. */
  readonly basePath: string
  /** What stands after the name of every script. */
  readonly suffix: '' | '.php'
}

/** How a script is documented: once, without the suffix. */
export const documented = (
  { suffix }: Mount,
  script: string,
  summary: string,
  { superseded = false } = {},
) => ({
  operationId: `legacy${script.charAt(0).toUpperCase()}${script.slice(1)}`,
  summary,
  description: superseded
    ? 'Still supported; the `Link` header names the address that supersedes it.'
    : 'Still supported; there is no other address for it.',
  deprecated: superseded,
  hide: suffix !== '',
})

/** The `Link` header that names the address which supersedes a script. */
export const successor = ({ basePath }: Mount, path: string): string =>
  `<${basePath}${path}>; rel="successor-version"`
