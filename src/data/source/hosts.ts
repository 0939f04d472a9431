import { splitHosts } from './connectionString.ts'

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
  const [first = url, ...others] = splitHosts(url)
  const kind = URL.parse(first)?.searchParams.get('target_session_attrs')
  const known = sessionKinds.find((each) => each === kind)
  const plain = (address: string): string => {
    if (known === undefined) return address
    const parsed = new URL(address)
    parsed.searchParams.delete('target_session_attrs')
    return parsed.href
  }
  const all = (isFit: Candidate['isFit']): readonly [Candidate, ...Candidate[]] => [
    { url: plain(first), isFit },
    ...others.map((each) => ({ url: plain(each), isFit })),
  ]
  if (known === undefined) return all(undefined)
  if (known !== 'prefer-standby') return all(fits[known])
  return [...all(fits.standby), ...all(undefined)]
}
