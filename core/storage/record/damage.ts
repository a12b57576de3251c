import { Fault } from '../../event/fault.js';
import { formatMicros } from './arrival-time.js';
import type { CommitRecord } from './commit-record.js';
import type { Partition } from './partition.js';

/** The fault of a commit that is no longer as it was written. `what` ends the sentence about its lines. */
export function commitDamaged(partition: Partition, record: CommitRecord, what: string): Fault {
  const last = record.line + record.lines - 1;
  const lines = record.lines === 1 ? `Line ${record.line}` : `Lines ${record.line} to ${last}`;
  return new Fault(
    'RECORD_DAMAGED',
    `${lines} of ${partition.folder}/raw.ndjson, received ${formatMicros(record.receivedAtMicros)}, ${what}. Restore the file from a copy if there is one.`,
  );
}
