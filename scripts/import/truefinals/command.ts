import { readSecret } from '../../../src/runtime/secret.ts'
import { CommandError, program, readArguments } from '../../command.ts'
import { text, texts } from '../../option.ts'
import { baseAddress, serverHelp, serverOptions } from '../options.ts'
import { importFromServer } from '../remote/command.ts'
import { importTrueFinals } from './importTrueFinals.ts'

export const trueFinalsHelp = `Usage: ${program} import truefinals --tournament ID … [options]

Imports tournaments from the bracket software TrueFinals: bracket, players, exhibitions, cages and
their queues. TRUEFINALS_USER_ID and TRUEFINALS_API_KEY, or files named by …_FILE, hold the user's id
and key.

  --tournament ID     id of a tournament; can be repeated
  --weight ID=POUNDS  weight class of a tournament, which the software does not know; can be repeated
                      (default: from a title such as Spring 30lb)
  --base URL          address of the API (default https://truefinals.com/api)
${serverHelp}

Examples:
  ${program} import truefinals --tournament spring30 --weight spring30=30 --out spring.cageside
  ${program} import truefinals --tournament a1b2c3 --tournament d4e5f6 --watch --interval 10`

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/

/** Value for an HTTP header from the environment. */
const credential = (name: string): string => {
  const value = readSecret(process.env, name) ?? ''
  if (!/^[!-~]{1,512}$/.test(value)) throw new CommandError(`${name} must be set (see --help)`)
  return value
}

const readWeight = (option: string): readonly [string, number] => {
  const [, id = '', pounds = ''] = /^(.+)=(\d{1,4})$/.exec(option) ?? []
  if (!idPattern.test(id)) throw new CommandError('--weight must be like spring30=30')
  return [id, Number(pounds)]
}

export const trueFinalsCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(trueFinalsHelp, args, {
    ...serverOptions,
    tournament: texts,
    weight: texts,
    base: text,
  })
  const tournamentIds = [...new Set(values.tournament)]
  if (positionals.length > 0 || tournamentIds.length === 0) {
    throw new CommandError('--tournament ID is required, and nothing after it (see --help)')
  }
  const bad = tournamentIds.find((id) => !idPattern.test(id))
  if (bad !== undefined) throw new CommandError(`--tournament must be an id of letters and digits`)
  const weights = new Map(values.weight?.map(readWeight))
  const base = baseAddress('--base', values.base ?? 'https://truefinals.com/api')
  const serverOf = () => ({
    base,
    headers: {
      'x-api-user-id': credential('TRUEFINALS_USER_ID'),
      'x-api-key': credential('TRUEFINALS_API_KEY'),
    },
  })
  await importFromServer(values, serverOf, (run, remote) =>
    importTrueFinals(run, { remote, source: values.source, tournamentIds, weights }),
  )
}
