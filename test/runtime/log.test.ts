import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { createLog, type Log, type LogFormat } from '../../src/runtime/log.ts'

/** The lines that a log writes. */
const linesOf = (format: LogFormat, write: (log: Log) => void): readonly string[] => {
  const stderr = spyOn(process.stderr, 'write').mockReturnValue(true)
  write(createLog('info', format))
  return stderr.mock.calls.map(([line]) => String(line))
}

describe('the process log', () => {
  afterEach(() => {
    spyOn(process.stderr, 'write').mockRestore()
  })

  test('the process log is JSON by default', () => {
    const [line = ''] = linesOf('json', (log) => log('warn', 'a b', { n: 1, none: undefined }))
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'warn',
      message: 'a b',
      n: 1,
    })
  })

  test('the process log as text is one line of names and values', () => {
    const fields = { n: 1, word: 'a/b', text: 'a "b"', none: undefined, list: [{ a: 1 }] }
    const lines = linesOf('text', (log) => log('info', 'two words', fields))
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d{4}-\S+Z info {2}two words n=1 word=a\/b text="a \\"b\\"" list=\[\{"a":1\}\]\n$/,
      ),
    ])
  })

  test('the process log is never broken by a value', () => {
    const hostile = 'x\n2026-01-01T00:00:00Z error forged\u001b[2J'
    const [line = '', ...others] = linesOf('text', (log) => log('info', 'y', { hostile }))
    expect(others).toEqual([])
    expect(line).toMatch(/^[^\n]*\n$/)
    expect(line).not.toContain('\u001b')
  })

  test('the process log leaves out lines below its level', () => {
    expect(linesOf('text', (log) => log('debug', 'request'))).toEqual([])
  })
})
