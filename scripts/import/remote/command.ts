import { cellOptions } from '../input.ts'
import { numberOption, openTarget } from '../options.ts'
import { addRecordings } from '../recordings/command.ts'
import { type Round, repeatImport } from '../repeat.ts'
import type { ImportRun } from '../run.ts'
import { createRemote, type Remote, type RemoteOptions } from './remote.ts'

type Values = Parameters<typeof repeatImport>[0] &
  Parameters<typeof openTarget>[0] &
  Parameters<typeof cellOptions>[0] & {
    readonly 'skip-bad'?: boolean | undefined
    readonly rate?: string | undefined
    readonly recordings?: string | undefined
  }

/** Imports from a server as `serverOptions` say, and the recordings of a file. */
export const importFromServer = async (
  values: Values,
  serverOf: () => Pick<RemoteOptions, 'base' | 'headers'>,
  importInto: (run: ImportRun, remote: Remote, round: Round) => Promise<void>,
): Promise<void> => {
  const rate = numberOption('rate', values.rate, { min: 0.01, max: 100_000, preset: 5 })
  const cells = cellOptions(values)
  const server = serverOf()
  await repeatImport(
    values,
    () => openTarget(values),
    async (run, round) => {
      const { signal } = round
      const remote = createRemote({ ...server, rate, signal, note: run.progress.note })
      await importInto(run, remote, round)
      if (values.recordings !== undefined)
        await addRecordings(run, values.recordings, cells, values['skip-bad'])
    },
  )
}
