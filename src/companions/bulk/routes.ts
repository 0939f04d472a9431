import { type Static, Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import type { CompanionKind } from '../../api/companion.ts'
import type { ArchiveService } from '../../data/archive/archive.ts'
import { caching } from '../../http/caching.ts'
import type { DataLicense } from '../../http/dataLicense.ts'
import { ArchiveNotLoaded, ErrorBody, notFound, retryAfterSeconds } from '../../http/errors.ts'
import { needsWhole, sendFile, sendUnfinished } from '../../http/fileResponse.ts'
import { archived, type BodyStream } from '../../http/requestContext.ts'
import { type BulkFile, createBulk } from './bulk.ts'
import { dictionaryText } from './dictionary.ts'
import { BulkIndex, Dictionary, GzipFile } from './schema.ts'
import { isBulkName } from './tables.ts'

type Index = Static<typeof BulkIndex>

/** The whole league as a few files. */
export const bulk: CompanionKind<unknown> = {
  open: () => [
    {
      name: 'bulk',
      mount: ({ service, linkPath, dataLicense }) => ({
        routes: bulkRoutes(service, linkPath, dataLicense),
      }),
    },
  ],
}

/** `basePath` is the mount path, for addresses in the index. */
export const bulkRoutes = (
  service: ArchiveService,
  basePath: string,
  dataLicense?: DataLicense | undefined,
  bulk = createBulk(service),
) => {
  const unavailable = (
    set: { readonly headers: Record<string, string | number> },
    file: 'busy' | undefined,
  ) => {
    if (file === undefined) throw new ArchiveNotLoaded()
    set.headers['retry-after'] = String(retryAfterSeconds)
    return status(503, { error: 'the file is being made: try again' })
  }

  const entryOf = (file: BulkFile): Index['files'][number] => {
    const { name, bytes, rows, sha256, version, updated } = file
    return { name, url: `${basePath}/bulk/${name}`, rows, bytes, sha256, version, updated }
  }

  /** The index in JSON, each entry once its file is made; cut off if something is hidden meanwhile. */
  async function* entriesAsMade(
    files: ReturnType<typeof bulk.filesOf>,
  ): AsyncGenerator<Uint8Array> {
    let before = '{"files":['
    for (const made of files) {
      const file = await made
      if (!file) throw new Error('something was hidden meanwhile')
      yield Buffer.from(before + JSON.stringify(entryOf(file)))
      before = ','
    }
    yield Buffer.from(']}')
  }

  return new Elysia({ tags: ['bulk'] })
    .use(archived)
    .get(
      '/bulk',
      async ({ request, set, moment }) => {
        if (!moment.archive) throw new ArchiveNotLoaded()
        const isWhole = needsWhole(request)
        const files = bulk.filesOf(moment.archive)
        const made = await bulk.whenMade(files, !isWhole)
        if (made === 'busy' && !isWhole) {
          const { version } = moment.archive
          const head = { contentType: 'application/json', version }
          return sendUnfinished(set, head, () => entriesAsMade(files))
        }
        const whole = made === 'busy' ? [] : made.filter((file) => file !== undefined)
        return whole.length < files.length
          ? unavailable(set, 'busy')
          : { files: whole.map(entryOf) }
      },
      {
        response: { 200: Type.Unsafe<Index | BodyStream>(BulkIndex), 503: ErrorBody },
        detail: {
          operationId: 'getBulkIndex',
          summary: 'The files that hold the whole league',
          description:
            'Each file has the rows of one kind: one JSON object a line (`.ndjson.gz`) with the fields that the API has, or CSV (`.csv.gz`) with a line of column names. ' +
            'Built at the first request after a change. If that takes over 10 s, each entry is sent as soon as its file is ready, without `ETag`.',
        },
      },
    )
    .get(
      '/bulk/README.md',
      ({ request, set }) => {
        const archive = service.archive()
        if (!archive) throw new ArchiveNotLoaded()
        const bytes = Buffer.from(dictionaryText(archive, dataLicense))
        return sendFile(request, set, {
          etag: `"${new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
          pieces: [{ size: bytes.length, read: () => [bytes] }],
          contentType: 'text/markdown; charset=utf-8',
          name: 'README.md',
          cacheControl: caching.archive,
          version: archive.version,
        })
      },
      {
        response: { 200: Dictionary, 206: Dictionary, 416: ErrorBody },
        detail: {
          operationId: 'getBulkReadme',
          summary: 'The columns of the files: type, unit and meaning',
          description: 'Markdown, with the version and the license of the data.',
        },
      },
    )
    .get(
      '/bulk/:file',
      async ({ request, set, moment, params: { file: name } }) => {
        if (!isBulkName(name)) return notFound('file')
        const made = await (needsWhole(request) ? bulk.file(name) : bulk.fileOrDraft(name))
        if (typeof made !== 'object') return unavailable(set, made)
        const described = {
          contentType: 'application/gzip',
          name: made.name,
          version:
            made.version === moment.archive?.dataVersion ? moment.archive.version : made.version,
        }
        if ('read' in made) return sendUnfinished(set, described, made.read)
        return sendFile(request, set, {
          ...described,
          etag: `"${made.sha256.slice(0, 32)}"`,
          pieces: made.members.map((member) => ({ size: member.length, read: () => [member] })),
          cacheControl: caching.archive,
        })
      },
      {
        response: { 200: GzipFile, 206: GzipFile, 404: ErrorBody, 416: ErrorBody, 503: ErrorBody },
        detail: {
          operationId: 'getBulkFile',
          summary: 'All rows of one kind, compressed',
          description:
            'A gzip file of many members; `Bun.gunzipSync` and the `DecompressionStream` of browsers read only the first one. With `ETag`, `Range` and `If-Range`; a request for several ranges gets the whole file. A change does not affect a download in progress. A file that takes over 10 s to build is sent while it is built, without `ETag`.',
        },
      },
    )
}
