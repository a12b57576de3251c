import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { FingerprintedEvent } from '../../../../core/event/stages.js';
import { serverPayload } from '../../../helpers/payloads.js';

/** An event as the record takes it; the record looks at the payload and its bytes only. */
export function recordEvent(changes: Partial<RawPayload> = {}, encoded?: Uint8Array): FingerprintedEvent {
  return {
    payload: serverPayload(changes),
    ...(encoded === undefined ? {} : { encoded }),
    fingerprint: {
      value: '0'.repeat(32) as FingerprintValue,
      version: 1,
      title: 'ValidationError',
      culprit: null,
      basis: { version: 1, rule: 'message', parts: [] },
    },
  };
}

/** Events whose messages are `<label> 0`, `<label> 1`, … */
export function recordEvents(count: number, label: string, changes: Partial<RawPayload> = {}): FingerprintedEvent[] {
  return Array.from({ length: count }, (_, index) => recordEvent({ message: `${label} ${index}`, ...changes }));
}
