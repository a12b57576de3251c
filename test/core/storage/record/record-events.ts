import type { FingerprintedEvent } from '../../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import { encodeRawLine } from '../../../../core/event/raw-line.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { serverPayload } from '../../../helpers/payloads.js';

/** A minimal event: the record uses only the payload and its bytes. */
export function recordEvent(changes: Partial<RawPayload> = {}, encoded?: Uint8Array): FingerprintedEvent {
  const payload = serverPayload(changes);
  const value = '0'.repeat(32) as FingerprintValue;
  const fingerprint = { value, version: 1, title: 'ValidationError', culprit: null };
  return encoded === undefined ? { payload, fingerprint } : { payload, encoded, fingerprint };
}

/** The raw line of an event, without newline. */
export function lineOf(event: FingerprintedEvent): Buffer {
  return event.encoded === undefined ? encodeRawLine(event.payload) : Buffer.from(event.encoded);
}

/** Events whose messages are `<label> 0`, `<label> 1`, … */
export function recordEvents(count: number, label: string, changes: Partial<RawPayload> = {}): FingerprintedEvent[] {
  return Array.from({ length: count }, (_, index) => recordEvent({ message: `${label} ${index}`, ...changes }));
}
