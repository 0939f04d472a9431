import {
  type Answer,
  RequestError,
  type RequestOptions,
  request,
} from '../../data/remote/request.ts'

/** Maximum number of bytes read of a picture. */
export const maxHeadBytes = 64 * 1024

const openHeaders = { accept: 'image/*', range: `bytes=0-${maxHeadBytes - 1}` }

/** At most {@link maxHeadBytes} from the start of the picture; fewer if the body is cut off. */
const readStart = async ({ status, headers, chunks: body }: Answer): Promise<Uint8Array> => {
  if (status !== 200 && status !== 206)
    throw new RequestError(`the server answered ${status}`, { status })
  if (status === 206 && !headers.get('content-range')?.startsWith('bytes 0-')) {
    throw new RequestError('the answer is another part of the picture')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxHeadBytes) break
    }
  } catch (error) {
    if (size === 0) throw error
  }
  return Buffer.concat(chunks).subarray(0, maxHeadBytes)
}

/**
 * The first bytes of a picture, as many as arrive before the signal. Throws a {@link RequestError}. Addresses come from
 * the league's own database, so an address in a private network (a media server at the venue) is allowed; link-local
 * addresses never are.
 */
export const readPictureHead = (
  address: string,
  signal: AbortSignal,
  reachOf?: RequestOptions['reachOf'],
): Promise<Uint8Array> =>
  request(address, { signal, openHeaders, ...(reachOf && { reachOf }) }, readStart)
