import type { StoredAnswer } from './answers.ts'
import { type Body, type Coding, isCompressed } from './encoding.ts'
import { chooseEncoding, matchesTag } from './negotiation.ts'

/** How a stored answer is sent: its body in a content coding, or no body to who has it. */
export type Form = Coding | 'unmodified'

/** Longer lists of tags than any client sends are not read. */
const maxTagsLength = 8 * 1024

/** The form in which a request asks for a body. */
export const formFor = ({ headers }: Request, { etag, size }: Body): Form => {
  const tags = headers.get('if-none-match')
  if (tags !== null && tags.length <= maxTagsLength && matchesTag(tags, etag)) return 'unmodified'
  return isCompressed(size) ? chooseEncoding(headers.get('accept-encoding')) : 'identity'
}

/** All of a response but the request's id. */
export interface Prepared {
  readonly body: Blob | null
  /** Bytes of the body. */
  readonly size: number
  readonly init: { readonly status: number; readonly headers: Headers }
}

/** Answers to GET as they were sent, to be sent again without another look at anything. */
export interface ReadyAnswers {
  readonly find: (request: Request) => { answer: StoredAnswer; prepared: Prepared } | undefined
  readonly keep: (request: Request, answer: StoredAnswer, form: Form, prepared: Prepared) => void
  readonly clear: () => void
}

/**
 * So many are kept, by the address as it was written, and none that is large: sending it takes so long
 * that nothing is gained.
 */
const mostAnswers = 1024
const longestAddress = 512
const largestBytes = 32 * 1024

/** Whoever keeps an answer here clears all when it does not hold any more, which is soon. */
export const createReadyAnswers = (): ReadyAnswers => {
  const ready = new Map<
    string,
    { readonly answer: StoredAnswer; readonly forms: Partial<Record<Form, Prepared>> }
  >()
  return {
    find: (request) => {
      const known = request.method === 'GET' ? ready.get(request.url) : undefined
      // Of several Host headers the server joins all, but the address has the first.
      if (known && request.headers.get('host')?.includes(',')) return undefined
      const prepared = known?.forms[formFor(request, known.answer.body)]
      return known && prepared && { answer: known.answer, prepared }
    },
    keep: ({ url }, answer, form, prepared) => {
      const bytes = Math.max(prepared.size, answer.body.kept.blob.size)
      if (url.length > longestAddress || bytes > largestBytes) return
      const before = ready.get(url)
      const forms = before?.answer === answer ? before.forms : {}
      if (ready.size >= mostAnswers) ready.clear()
      ready.set(url, { answer, forms: { ...forms, [form]: prepared } })
    },
    clear: () => ready.clear(),
  }
}
