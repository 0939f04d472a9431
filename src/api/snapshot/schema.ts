import { binary } from '../binary.ts'

/** A snapshot, in whole or in part. */
export const SnapshotFile = binary('application/vnd.cageside.snapshot')
