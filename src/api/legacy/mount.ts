export interface Mount {
  /** Base path of the current API, for links to successors. */
  readonly basePath: string
  readonly suffix: '' | '.php'
  /** True for a further address of a documented script. */
  readonly isAlias?: boolean
}

/** Documentation of a script without a successor; only the one without a suffix is visible. */
export const documented = (
  { suffix, isAlias = false }: Mount,
  script: string,
  summary: string,
) => ({
  operationId: `legacy${script.charAt(0).toUpperCase()}${script.slice(1)}`,
  summary,
  description: 'Still supported; it has no successor.',
  deprecated: false,
  hide: isAlias || suffix !== '',
})

/** Documentation of a script whose `Link` header names the {@link successor}. */
export const superseded = (mount: Mount, script: string, summary: string) => ({
  ...documented(mount, script, summary),
  description: 'Still supported; the `Link` header names its successor.',
  deprecated: true,
})

/** `Link` header that names the successor of a script. */
export const successor = ({ basePath }: Pick<Mount, 'basePath'>, path: string): string =>
  `<${basePath}${path}>; rel="successor-version"`
