import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { projectFolder, runImport, temporaryFolder } from '../process.ts'

/** Runs a command in a terminal, types an answer at its prompt, and returns the screen. */
const inTerminal = async (
  command: readonly string[],
  { question = '', answer = '' } = {},
): Promise<{ readonly code: number; readonly shown: string }> => {
  let shown = ''
  let isAsked = question === ''
  const decoder = new TextDecoder()
  const { PATH = '', HOME = '' } = process.env
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: projectFolder,
    env: { PATH, HOME, TERM: 'xterm' },
    terminal: {
      cols: 120,
      rows: 30,
      data: (terminal, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        if (isAsked || !shown.includes(question)) return
        isAsked = true
        terminal.write(answer)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  return { code, shown: Bun.stripANSI(shown) }
}

describe('commands in a terminal', () => {
  test('an import that removes much asks first in a terminal, and writes only after a yes', async () => {
    const folder = await temporaryFolder()
    const out = join(folder, 'league.cageside')
    await Bun.write(join(folder, 'fights.csv'), 'tournament,red,blue,winner,method,start\n')
    const write = (...events: readonly string[]) =>
      Bun.write(
        join(folder, 'tournaments.csv'),
        ['tournament,weight,start', ...events.map((id) => `${id},3,2026-03-14 10:00`), ''].join(
          '\n',
        ),
      )
    const command = ['scripts/import.ts', 'csv', folder, '--out', out]
    await write('spring', 'autumn')
    expect((await inTerminal(command)).shown).toContain('2 tournaments changed')
    const before = await Bun.file(out).bytes()
    await write('spring')
    const question = 'a whole event is removed: go on?'
    const refused = await inTerminal(command, { question, answer: 'n\r' })
    expect(refused.shown).toContain(question)
    const { err } = await runImport(command.slice(1))
    expect(err).toStartWith('nothing is written, as a whole event is removed: add --yes')
    expect(await Bun.file(out).bytes()).toEqual(before)
    const accepted = await inTerminal(command, { question, answer: 'y\r' })
    expect([accepted.code, accepted.shown]).toEqual([0, expect.stringContaining('1 removed')])
    expect(await Bun.file(out).bytes()).not.toEqual(before)
  })

  test('a progress bar counts known steps, with notes above it', async () => {
    const source = join(await temporaryFolder(), 'progress.ts')
    const text = `
      import { createProgress } from '${projectFolder}/scripts/progress.ts'
      const progress = createProgress('pages')
      progress.note('before')
      progress.add(3)
      progress.step('first')
      progress.add(2)
      for (const label of ['b', 'c', 'd']) progress.step(label)
      progress.note('while')
      progress.step('last')
      progress.stop()
      progress.stop()
    `
    await Bun.write(source, text)
    const { code, shown } = await inTerminal([source])
    expect(code).toBe(0)
    expect(shown).toMatch(/^before\r\n-+ 0\/3 pages.*\rwhile\r\n.*=+ 5\/5 pages.* last$/s)
  })
})
