import type { TSchema } from '@sinclair/typebox'
import { columnsOf, type RowSchema } from '../../api/csv.ts'
import type { Archive } from '../../data/archive/archive.ts'
import type { DataLicense } from '../../http/dataLicense.ts'
import { bulkNames, bulkTables } from './tables.ts'

const typeOf = (schema: TSchema): string => {
  if (schema.type === 'array') return 'list'
  if (typeof schema.type === 'string') return schema.type
  const members: readonly TSchema[] = schema.anyOf ?? []
  return [...new Set(members.map(typeOf))].join(' or ')
}

const dates = /RFC 3339 UTC/
const units =
  /Unix seconds UTC|milliseconds since the epoch|seconds|pounds|grams|pixels|HTTP status/

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const tableOf = (name: string, row: RowSchema, hasRatings: boolean): string => {
  const files = bulkNames.filter((file) => file.startsWith(`${name}.`))
  const rows = columnsOf(row, hasRatings).map(([column, schema]) => {
    const { description = '' } = schema
    const type = typeOf(schema)
    const [unit = ''] = (type.startsWith('string') ? dates : units).exec(description) ?? []
    return `| ${column} | ${type} | ${unit} | ${cell(description)} |`
  })
  return [
    `## ${files.map((file) => `\`${file}\``).join(', ')}`,
    '',
    '| column | type | unit | meaning |',
    '| ------ | ---- | ---- | ------- |',
    ...rows,
    '',
  ].join('\n')
}

/** The data dictionary of the files, from their schemas. */
export const dictionaryText = (
  { dataVersion, ratings }: Pick<Archive, 'dataVersion' | 'ratings'>,
  license: DataLicense | undefined,
): string => {
  // The NDJSON files have all columns.
  const tables = bulkNames.flatMap((file) => {
    const [name = '', format] = file.split('.')
    return format === 'ndjson' ? [tableOf(name, bulkTables[file].row, ratings !== undefined)] : []
  })
  const { name = 'not stated', url } = license ?? {}
  return `# Data dictionary

Data version: ${dataVersion}. License of the data: ${url === undefined ? name : `[${name}](${url})`}.

One JSON object a line in NDJSON; in CSV a line of column names first, lists joined by spaces, null is empty.
\`tournaments.ndjson.gz\` also has \`format\` and \`brackets\` as at \`/tournaments/ID/brackets\`; \`corners\` are in NDJSON alone.
\`players\`, \`recordings\` and \`clips\` belong to \`fights\` by \`tournamentID\` with \`playerID\` (\`player1ID\`, \`player2ID\`) or \`gameID\`.
With \`state\` done, a film shows the fight from second \`fightStartOffset\` of its row in \`recordings\` for \`matchLength\` seconds, pauses included;
a negative offset is before its beginning.

${tables.join('\n')}`
}
