import { binary } from '../fields.ts'

/** A snapshot, in whole or in part. */
export const SnapshotFile = binary('application/vnd.cageside.snapshot')
