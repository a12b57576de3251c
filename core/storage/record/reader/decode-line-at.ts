import { Fault } from '../../../event/fault.js';
import { decodeRawLine } from '../../../event/raw-line.js';
import type { RawPayload } from '../../../event/raw-payload.js';
import { type Partition, RAW_FILE } from '../partitions/partition-path.js';

/** `decodeRawLine` for a line of the record; its Fault `RAW_LINE_INVALID` says where the line lies. */
export function decodeLineAt(place: { partition: Partition; line: number }, rawLine: Uint8Array): RawPayload {
  try {
    return decodeRawLine(rawLine);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault(cause.code, `${place.partition.folder}/${RAW_FILE}, line ${place.line}: ${cause.message}`, {
      cause,
    });
  }
}
