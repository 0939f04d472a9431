import { CommandError, program, readArguments } from '../../command.ts'
import { text } from '../../option.ts'
import { baseAddress, onlyArgument, serverHelp, serverOptions } from '../options.ts'
import { importFromServer } from '../remote/command.ts'
import { createMemory, memoryOf } from './fromSnapshot.ts'
import { importApi } from './importApi.ts'

export const apiHelp = `Usage: ${program} import api BASE [options]

Imports a league from another server of this API: tournaments, brackets, players, fights, recordings,
clips, stills and cages. It reads /snapshot where the server has that, else every endpoint. Running it
again reads everything and writes what differs. At the end a table lists what could not be imported;
then the exit status is 2.

  BASE                http(s) address of the API, such as https://league.example/api
  --legacy PATH       path of the legacy scripts below BASE, which alone have the times of calls;
                      'none' leaves them out (default /legacy)
  --key NAME          name of this copy in the server's usage statistics, sent as X-API-Key
${serverHelp}

Examples:
  ${program} import api https://league.example --out copy.cageside
  ${program} import api http://localhost:3000 --rate 500
  ${program} import api https://league.example --watch --interval 60`

/** Path of the legacy scripts, relative to the base. */
const legacyPath = (option: string | undefined): string | undefined => {
  if (option === 'none') return undefined
  const path = option ?? '/legacy'
  if (!/^\/[^?#]*$/.test(path)) throw new CommandError('--legacy must be a path such as /legacy')
  return path.replace(/\/+$/, '')
}

export const apiCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(apiHelp, args, {
    ...serverOptions,
    legacy: text,
    key: text,
  })
  const base = baseAddress('BASE', onlyArgument(positionals, 'address'))
  const legacy = legacyPath(values.legacy)
  const headers = { ...(values.key && { 'X-API-Key': values.key }) }
  let memory = createMemory()
  await importFromServer(
    values,
    () => ({ base, headers }),
    async (run, remote, round) => {
      memory = memoryOf(memory, round.isAfterFailure)
      const address = new URL(`${base}/snapshot`)
      const snapshot = { address, headers, signal: round.signal, memory }
      await importApi(run, { snapshot, remote, source: values.source, legacy })
    },
  )
}
