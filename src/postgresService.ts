import type { ArchiveService } from './archive.ts'
import type { Log } from './log.ts'
export const followPostgres = async (_url: string, _log: Log): Promise<ArchiveService> => {
  throw new Error('later')
}
