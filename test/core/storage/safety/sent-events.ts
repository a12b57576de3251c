import { hash } from 'node:crypto';
import type { FingerprintedEvent } from '../../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';

const fingerprints = new Map<string, Fingerprint>();

/** Groups by error name alone. */
export function groupByName({ error_name: name }: RawPayload): Fingerprint {
  const known = fingerprints.get(name);
  if (known !== undefined) return known;
  const made: Fingerprint = {
    value: hash('sha256', name).slice(0, 32) as FingerprintValue,
    version: 3,
    title: name,
    culprit: null,
    basis: { version: 3, rule: 'message', parts: [] },
  };
  fingerprints.set(name, made);
  return made;
}

/** What tells one event of a test from another one: where it goes, what issue it is, and how large. */
export interface EventShape {
  /** Names the event; no two share one. */
  readonly message: string;
  readonly service?: string;
  readonly env?: string;
  /** Number of the failure that it is an instance of, default 0. */
  readonly kind?: number;
  readonly release?: string;
  /** Bytes that the line is longer, default 0. */
  readonly padding?: number;
  /** Further events for which it stands, default 0. */
  readonly sampled?: number;
}

/** For how many events a raw line counts, as the record alone tells. */
export function countOf(text: string): number {
  return 1 + (JSON.parse(text).extra?.faultline?.sampled ?? 0);
}

/** A small event as it reaches the store. */
export function eventOf(shape: EventShape): FingerprintedEvent {
  const payload: RawPayload = {
    app: 'a',
    env: shape.env ?? 'p',
    error_name: `E${shape.kind ?? 0}`,
    extra: {
      ...(shape.padding !== undefined && { padding: 'x'.repeat(shape.padding) }),
      ...(shape.sampled !== undefined && { faultline: { sampled: shape.sampled } }),
    },
    level: 'error',
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
