import { pino } from 'pino';
import type { Batch, Consumer } from '../../../../collector/component/consumer.js';
import { createEventProcessor } from '../../../../collector/processors/event-processor/event-processor.js';
import { createRedactionProcessor } from '../../../../collector/processors/redaction/redaction-processor.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { RejectedPayload } from '../../../../core/storage/dead-letters/dead-letter.js';
import type { RedactionProcessorSettings } from '../../../../generated/settings.js';
import { serverPayload } from '../../../helpers/payloads.js';

export const REDACTION_DEFAULTS: RedactionProcessorSettings = {
  builtin_patterns: ['passwords', 'bearer_tokens', 'cloud_keys', 'private_keys', 'cookies', 'card_numbers', 'emails'],
  allow_all_keys: true,
  allowed_keys: [],
  ignored_keys: [],
  ignored_key_patterns: [],
  blocked_key_patterns: [],
  blocked_values: [],
  allowed_values: [],
  redact_all_types: false,
  hash_function: 'none',
  summary: 'silent',
  error_mode: 'propagate',
};

/** The batch that a redaction with these settings forwards. */
export async function forwarded(
  batch: Pick<Batch, 'events'> & Partial<Batch>,
  settings: Partial<RedactionProcessorSettings> = {},
  meters: Meters = new Meters(),
): Promise<Batch> {
  const batches: Batch[] = [];
  const consumer: Consumer = {
    consume: (one) => {
      batches.push(one);
      return Promise.resolve(one.events.map(() => ({ kind: 'dropped', as: 'sampled', reason: 'TEST' }) as const));
    },
  };
  const context = { consumer, meters, logger: pino({ level: 'silent' }) };
  const redaction = createRedactionProcessor('redaction', { ...REDACTION_DEFAULTS, ...settings }, context);
  const processor = createEventProcessor('redaction', context, redaction);
  await processor.consume({ receiver: 'events', ...batch });
  const [one] = batches;
  if (one === undefined) throw new Error('nothing was handed on');
  return one;
}

export async function redacted(
  changes: Partial<RawPayload>,
  settings: Partial<RedactionProcessorSettings> = {},
  meters?: Meters,
): Promise<RawPayload> {
  const { events } = await forwarded({ events: [{ payload: serverPayload(changes) }] }, settings, meters);
  const [event] = events;
  if (event === undefined) throw new Error('the event was dropped');
  return event.payload;
}

/** Redacts one rejected payload; returns it with its bytes as text. */
export async function redactedRejection(
  received: Uint8Array,
  more: Partial<RejectedPayload> = {},
): Promise<RejectedPayload & { readonly text: string }> {
  const payload = {
    code: 'EVENT_INVALID',
    field: '',
    reason: 'must be object',
    received,
    bytes: received.length,
    ...more,
  };
  const { rejected } = await forwarded({ events: [], rejected: [payload] });
  const [one] = rejected ?? [];
  if (one === undefined) throw new Error('the rejection was lost');
  return { ...one, text: Buffer.from(one.received ?? []).toString() };
}
