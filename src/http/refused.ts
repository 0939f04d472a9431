import { type Plain, refusals } from './responses.ts'
import type { Found } from './routes.ts'
import { maxTargetLength, targetOf } from './target.ts'

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** The server joins several Host headers, but the URL has the first. */
export const hasTwoHosts = ({ headers }: Request): boolean =>
  headers.get('host')?.includes(',') ?? false

/** Why a request reaches no handler: a long address, another method, or no route. */
export const refusalWithoutWork = (
  request: Request,
  found: Found | undefined,
): Plain | undefined => {
  if (!found && targetOf(request.url).length > maxTargetLength) return refusals.tooLong
  if (request.method === 'OPTIONS') return undefined
  if (!isRead(request)) return refusals.method
  return found ? undefined : refusals.notFound
}
