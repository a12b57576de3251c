import { encodeRawLine } from '../../core/event/encode-raw-line.js';
import { groupedPayload } from '../../core/event/grouped-payload.js';
import type { FingerprintedEvent, ReceivedEvent } from '../../core/event/stages.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import { beginTimeSlice } from '../../core/time-slice.js';

/**
 * Encodes events, groups those that no processor has grouped alike, and keeps of them what the store asks for. Grouping reads whole stack traces: a large
 * batch is done in slices, so that other requests get their turn.
 */
export async function groupEvents(events: readonly ReceivedEvent[], grouper: Grouper): Promise<FingerprintedEvent[]> {
  const slice = beginTimeSlice();
  const grouped: FingerprintedEvent[] = [];
  for (const event of events) {
    if (slice.isOver) await slice.next();
    const { payload, encoded = encodeRawLine(payload) } = event;
    const known = event.grouping?.key === grouper.key ? event.grouping.fingerprint : grouper.fingerprint(payload);
    const { value, version, title, culprit } = known;
    grouped.push({ payload: groupedPayload(payload), encoded, fingerprint: { value, version, title, culprit } });
  }
  return grouped;
}
