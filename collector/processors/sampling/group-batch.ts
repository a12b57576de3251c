import { hash } from 'node:crypto';
import type { KnownGrouping, ReceivedEvent } from '../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import { beginTimeSlice } from '../../../core/time-slice.js';

interface GroupedEvent {
  readonly key: string;
  readonly grouping: KnownGrouping;
}

const MAX_KEY_LENGTH = 256;

/** Groups, in time slices, events that no earlier processor grouped by the same rules; `onFailure` gets errors, whose events are undefined. */
export async function groupBatch(
  events: readonly ReceivedEvent[],
  grouper: Grouper,
  onFailure: (error: unknown) => void,
): Promise<readonly (GroupedEvent | undefined)[]> {
  const slice = beginTimeSlice();
  const grouped: (GroupedEvent | undefined)[] = [];
  for (const { payload, grouping: known } of events) {
    if (slice.isOver) await slice.next();
    try {
      const grouping =
        known?.key === grouper.key ? known : { key: grouper.key, fingerprint: grouper.fingerprint(payload) };
      grouped.push({ key: keyOf(payload, grouping.fingerprint.value), grouping });
    } catch (error) {
      onFailure(error);
      grouped.push(undefined);
    }
  }
  return grouped;
}

/** Unique per issue, and bounded in length. */
function keyOf({ app, service }: RawPayload, fingerprint: FingerprintValue): string {
  const key = `${fingerprint}${app.length} ${app}${service}`;
  // UTF-16 is unique also for lone surrogates; a base64 hash has no space.
  return key.length <= MAX_KEY_LENGTH ? key : hash('sha256', Buffer.from(key, 'utf16le'), 'base64');
}
