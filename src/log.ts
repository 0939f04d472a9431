export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Writes one event to the process log. Must not contain data that identifies a caller. */
export type Log = (
  level: Exclude<LogLevel, 'silent'>,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/** Creates the process log: one JSON object per line on stderr, from `threshold` upwards. */
export const createLog = (threshold: LogLevel): Log => {
  const lowest = logLevels.indexOf(threshold)
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < lowest) return
    const time = new Date().toISOString()
    process.stderr.write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
  }
}
