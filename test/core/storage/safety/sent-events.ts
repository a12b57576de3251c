import { hash } from 'node:crypto';
import type { FingerprintedEvent } from '../../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';

const fingerprints = new Map<string, Fingerprint>();

/** Groups by error name only. */
export function groupByName({ error_name: name }: RawPayload): Fingerprint {
  const cached = fingerprints.get(name);
  if (cached !== undefined) return cached;
  const fingerprint: Fingerprint = {
    value: hash('sha256', name).slice(0, 32) as FingerprintValue,
    version: 4,
    title: name,
    culprit: null,
    basis: { version: 4, rule: 'message', parts: [] },
  };
  fingerprints.set(name, fingerprint);
  return fingerprint;
}

/** The fields of an event that tests vary. */
export interface EventShape {
  /** Unique for each event. */
  readonly message: string;
  readonly service?: string;
  readonly env?: string;
  /** The number in its error name; default 0. */
  readonly kind?: number;
  readonly release?: string;
  /** Additional bytes of the raw line; default 0. */
  readonly padding?: number;
  /** Further occurrences after sampling; default 0. */
  readonly sampled?: number;
}

/** Returns the weight of a raw line. */
export function weightOf(text: string): number {
  return 1 + (JSON.parse(text).extra?.faultline?.sampled ?? 0);
}

/** Names of levels as senders write them. */
const SENT_LEVELS = ['error', 'warn', 'WARNING', 'fatal', null];

/** Returns a small fingerprinted event. */
export function eventOf(shape: EventShape): FingerprintedEvent {
  const payload: RawPayload = {
    app: 'a',
    env: shape.env ?? 'p',
    error_name: `E${shape.kind ?? 0}`,
    extra: {
      ...(shape.padding !== undefined && { padding: 'x'.repeat(shape.padding) }),
      ...(shape.sampled !== undefined && { faultline: { sampled: shape.sampled } }),
    },
    level: SENT_LEVELS[shape.message.length % SENT_LEVELS.length] ?? null,
    message: shape.message,
    method: null,
    release: shape.release ?? null,
    request_id: null,
    route: '/',
    service: shape.service ?? 's',
    session_id: null,
    stack: '',
    status_code: null,
    tags: {},
    timestamp: null,
    user_id: null,
  };
  return { payload, fingerprint: groupByName(payload) };
}
