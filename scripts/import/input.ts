import { isTimeZone } from '../../src/config.ts'
import { codeOf, readWhole } from '../../src/files.ts'
import { CommandError } from '../command.ts'
import type { CellOptions } from './csv/cells.ts'
import { maxFileBytes } from './csv/table.ts'

/** Reads a file of bounded size. */
export const readInput = async (path: string): Promise<Uint8Array> => {
  try {
    return await readWhole(path, maxFileBytes)
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${codeOf(error)})`)
  }
}

/** Options of the times in files. */
export const timeOptions = { 'time-zone': { type: 'string' }, dates: { type: 'string' } } as const

export const timeHelp = `  --time-zone NAME    time zone of the times in files, such as America/New_York (default UTC)
  --dates ORDER       mdy or dmy: order of dates such as 3/4/2026, which are refused without it`

export const cellOptions = (values: {
  readonly 'time-zone'?: string | undefined
  readonly dates?: string | undefined
}): CellOptions => {
  const { 'time-zone': timeZone = 'UTC', dates } = values
  if (!isTimeZone(timeZone)) {
    throw new CommandError('--time-zone must be a name such as America/New_York')
  }
  if (dates !== undefined && dates !== 'mdy' && dates !== 'dmy') {
    throw new CommandError('--dates must be mdy or dmy')
  }
  return { timeZone, dates }
}
