import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { PayloadLimits } from '../../../core/event/validate/payload-check.js';
import { PayloadParser } from '../../../core/event/validate/payload-reader.js';

/** A payload with a value in every field. */
export function samplePayload(changes: Partial<RawPayload> = {}): RawPayload {
  return {
    app: 'shop',
    env: 'production',
    error_name: 'ValidationError',
    extra: { cart: { total: 12.5 } },
    level: 'critical',
    message: 'quantity must be positive',
    method: 'POST',
    release: 'v1.4.2',
    request_id: 'req-1',
    route: '/api/v1/orders',
    service: 'api',
    session_id: 'ses-1',
    stack: ' at checkout (cart.js:10)\n at main (app.js:3)',
    status_code: 422,
    tags: { region: 'eu', timeout_ms: '3000' },
    timestamp: '2026-11-21T11:24:00.123456789+00:00',
    user_id: 'u-42',
    ...changes,
  };
}

/** Limits that no sample reaches. */
export const WIDE_LIMITS: PayloadLimits = {
  maxStringLength: 1_000,
  maxStackLength: 2_000,
  maxDepth: 8,
  maxTags: 10,
};

interface ReaderChanges {
  limits?: Partial<PayloadLimits>;
  defaults?: { app?: string; service?: string; env?: string };
  keepsWeight?: boolean;
}

const readers = new Map<string, PayloadParser>();

/** A reader with the given defaults and limits; cached, because compiling its checks is slow. */
export function readerWith({ limits, defaults, keepsWeight = false }: ReaderChanges = {}): PayloadParser {
  const options = { defaults: defaults ?? {}, limits: { ...WIDE_LIMITS, ...limits }, keepsWeight };
  const key = JSON.stringify(options);
  const reader = readers.get(key) ?? new PayloadParser(options);
  readers.set(key, reader);
  return reader;
}

/** Reads a value that must be accepted; returns the payload. */
export function acceptValue(value: unknown, changes?: ReaderChanges) {
  const reading = readerWith(changes).parse(value);
  if (!reading.ok) throw new Error(`rejected: ${reading.rejection.field} ${reading.rejection.reason}`);
  return reading;
}

/** Reads a value that must be rejected; returns the rejection. */
export function rejectionOfValue(value: unknown, changes?: ReaderChanges) {
  const reading = readerWith(changes).parse(value);
  if (reading.ok) throw new Error('accepted');
  return reading.rejection;
}
