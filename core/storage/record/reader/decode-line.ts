import { Fault } from '../../../event/fault.js';
import { decodeRawLine } from '../../../event/raw-line.js';
import type { RawPayload } from '../../../event/raw-payload.js';
import { type Partition, RAW_FILE } from '../partitions/partition-path.js';

/** `decodeRawLine` for a line of the record; its Fault `RAW_LINE_INVALID` names file and line. */
export function decodeLineAt(address: { partition: Partition; line: number }, rawLine: Uint8Array): RawPayload {
  try {
    return decodeRawLine(rawLine);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault(cause.code, `${address.partition.folder}/${RAW_FILE}, line ${address.line}: ${cause.message}`, {
      cause,
    });
  }
}

/** The payload of a raw line; undefined if it is not one. */
export function payloadOf(rawLine: Uint8Array): RawPayload | undefined {
  try {
    return decodeRawLine(rawLine);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
