import { type Archive, archiveSteps } from '../src/data/archive/archive.ts'
import { atOnce } from '../src/runtime/timeSlice.ts'

/** Builds an archive without a pause. */
export const buildArchive = (...input: Parameters<typeof archiveSteps>): Archive =>
  atOnce(archiveSteps(...input))
