import type { FingerprintedEvent } from '../../contract/stages.js';
import { decodeRawLine } from '../../event/raw-line.js';
import type { Grouper } from '../../fingerprint/grouper.js';
import { beginTimeSlice } from '../../time-slice.js';

/** Groups events with another grouper, in short slices of time. Decodes the raw line, because the payload beside it may be incomplete. */
export async function groupAgain(
  events: readonly FingerprintedEvent[],
  grouper: Grouper,
): Promise<readonly FingerprintedEvent[]> {
  const slice = beginTimeSlice();
  const grouped: FingerprintedEvent[] = [];
  for (const event of events) {
    if (slice.isOver) await slice.next();
    const payload = event.encoded === undefined ? event.payload : decodeRawLine(event.encoded);
    const { value, version, title, culprit } = grouper.fingerprint(payload);
    grouped.push({ ...event, fingerprint: { value, version, title, culprit } });
  }
  return grouped;
}
