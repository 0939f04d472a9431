export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

type Fields = Readonly<Record<string, unknown>>

/** Writes one event to the process log. Must not contain data that identifies a caller. */
export type Log = (level: Exclude<LogLevel, 'silent'>, message: string, fields?: Fields) => void

interface Line {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly fields: Fields
}

const jsonLine = ({ fields, ...line }: Line): string => JSON.stringify({ ...line, ...fields })

/** Quoted unless it is one plain word. */
const textValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return /^[\w./:@%+-]+$/.test(text) || typeof value !== 'string' ? text : JSON.stringify(text)
}

/** Line for people: `TIME LEVEL MESSAGE NAME=VALUE…`; control characters are escaped. */
const textLine = ({ time, level, message, fields }: Line): string =>
  [
    time,
    level.padEnd(5),
    message,
    ...Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${textValue(value)}`),
  ].join(' ')

const formats = { json: jsonLine, text: textLine } as const

/** Creates the process log: one line per event on stderr, from `threshold` upwards. */
export const createLog = (threshold: LogLevel, format: LogFormat = 'json'): Log => {
  const lowest = logLevels.indexOf(threshold)
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < lowest) return
    const time = new Date().toISOString()
    process.stderr.write(`${formats[format]({ time, level, message, fields })}\n`)
  }
}
