import { readConnection, splitHosts } from './connectionString.ts'

/** Values of `target_session_attrs`, as in libpq. */
export const sessionKinds = [
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const
type SessionKind = (typeof sessionKinds)[number]

/** State of a server that decides whether it is used. */
export interface ServerState {
  readonly isStandby: boolean
  readonly isReadOnly: boolean
}

/** A server to try. */
export interface Candidate {
  readonly url: string
  /** True for a state that fits; undefined if any server will do. */
  readonly isFit: ((state: ServerState) => boolean) | undefined
}

const fits: Readonly<Record<Exclude<SessionKind, 'prefer-standby'>, Candidate['isFit']>> = {
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
}

/** Servers of a valid connection URL, at least one, in the order of attempts. */
export const candidatesOf = (url: string): readonly [Candidate, ...Candidate[]] => {
  const connection = readConnection(url)
  const parameters = new Map(connection.parameters)
  const kind = parameters.get('target_session_attrs')
  parameters.delete('target_session_attrs')
  const known = sessionKinds.find((each) => each === kind)
  const [first = url, ...others] = splitHosts({ ...connection, parameters })
  const all = (isFit: Candidate['isFit']): readonly [Candidate, ...Candidate[]] => [
    { url: first, isFit },
    ...others.map((each) => ({ url: each, isFit })),
  ]
  if (known === undefined) return all(undefined)
  if (known !== 'prefer-standby') return all(fits[known])
  return [...all(fits.standby), ...all(undefined)]
}
