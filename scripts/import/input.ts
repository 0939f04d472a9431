import { RequestError, readBody, request } from '../../src/data/remote/request.ts'
import { readWhole, whyOf } from '../../src/runtime/files.ts'
import { isTimeZone } from '../../src/runtime/timeZone.ts'
import { CommandError } from '../command.ts'
import { text } from '../option.ts'
import type { CellOptions } from './csv/cells.ts'
import { openMediaFolder } from './csv/media.ts'
import { encodingNamed } from './csv/reading/guess.ts'
import { maxFileBytes } from './csv/table.ts'

const fetchTimeoutMs = 30_000

export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path)

/** Starts of the addresses of Google sheets, shared ones and those that are published to the web. */
const sheetStart =
  /^https?:\/\/docs\.google\.com\/(?:a\/[\w.-]+\/)?spreadsheets\/(?:u\/\d+\/)?d\/(e\/)?([\w-]+)/

/** Pages on which a browser shows a sheet. */
const sheetPage =
  /^\/?(?:(?:edit|view|preview|copy|htmlview|htmlembed|pubhtml)(?:\/sheet)?\/?)?(?=[?#]|$)/

/** URL of the CSV of a Google sheet whose URL is given as the browser shows it; other URLs stay. */
export const sheetAddress = (address: string): string => {
  const [start = '', published, id] = sheetStart.exec(address) ?? []
  const rest = address.slice(start.length)
  if (id === undefined || !sheetPage.test(rest)) return address
  const [, gid = '0'] = /[?&#]gid=(\d+)/.exec(rest) ?? []
  const sheets = 'https://docs.google.com/spreadsheets/d'
  return published
    ? `${sheets}/e/${id}/pub?output=csv&single=true&gid=${gid}`
    : `${sheets}/${id}/export?format=csv&gid=${gid}`
}

const fetchInput = async (address: string): Promise<Uint8Array> => {
  const signal = AbortSignal.timeout(fetchTimeoutMs)
  try {
    return await request(sheetAddress(address), { signal, isTrusted: true }, async (answer) => {
      const { status } = answer
      if (status === 401 || status === 403) {
        throw new RequestError(
          'it asks to sign in: share the sheet with everybody who has the link',
        )
      }
      if (status !== 200) throw new RequestError(`the server answered ${status}`)
      return readBody(answer, maxFileBytes)
    })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new CommandError(`${address} cannot be read: ${error.message}`)
  }
}

/** Reads a file, or the content at a URL, of bounded size. */
export const readInput = async (path: string): Promise<Uint8Array> => {
  if (isAddress(path)) return fetchInput(path)
  try {
    return await readWhole(path, { maxBytes: maxFileBytes })
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${whyOf(error)}`)
  }
}

/** Options for texts and times in files. */
export const timeOptions = { 'time-zone': text, dates: text, encoding: text } as const

export const timeHelp = `  --time-zone NAME    time zone of the times in files, such as America/New_York (default UTC)
  --dates ORDER       mdy or dmy: order of dates such as 3/4/2026, which are refused without it
  --encoding NAME     encoding of files that are not Unicode, such as shift_jis or windows-1251; without it
                      the encoding is guessed`

export const cellOptions = (values: {
  readonly 'time-zone'?: string | undefined
  readonly dates?: string | undefined
  readonly encoding?: string | undefined
  readonly media?: string | undefined
}): CellOptions => {
  const { 'time-zone': timeZone = 'UTC', dates, media } = values
  const encoding = values.encoding === undefined ? undefined : encodingNamed(values.encoding)
  if (encoding === undefined && values.encoding !== undefined) {
    throw new CommandError('--encoding must be a name such as shift_jis or windows-1251')
  }
  if (!isTimeZone(timeZone)) {
    throw new CommandError('--time-zone must be a name such as America/New_York')
  }
  if (dates !== undefined && dates !== 'mdy' && dates !== 'dmy') {
    throw new CommandError('--dates must be mdy or dmy')
  }
  return {
    timeZone,
    dates,
    encoding,
    ...(media !== undefined && { media: openMediaFolder(media, process.env.PUBLIC_URL) }),
  }
}
