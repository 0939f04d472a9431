export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Writes one event of the process log. Never holds what identifies a caller. */
export type Log = (
  level: Exclude<LogLevel, 'silent'>,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/** The process log: one JSON object a line on stderr, from `threshold` upwards. */
export const createLog = (threshold: LogLevel): Log => {
  const lowest = logLevels.indexOf(threshold)
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < lowest) return
    const time = new Date().toISOString()
    process.stderr.write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
  }
}
