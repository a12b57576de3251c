import { mapSentryEvent } from '../../../../../collector/receivers/sentry/mapping/map-event.js';
import { mapSentryLog } from '../../../../../collector/receivers/sentry/mapping/map-log.js';
import type { SentryContext } from '../../../../../collector/receivers/sentry/sentry-context.js';
import type { JsonObject } from '../../../../../core/event/json.js';
import type { RawPayload } from '../../../../../core/event/raw-payload.js';
import { PayloadParser } from '../../../../../core/event/validate/payload-reader.js';

const reader = new PayloadParser({
  defaults: {},
  limits: { maxStringLength: 16_384, maxStackLength: 262_144, maxDepth: 64, maxTags: 100 },
});

/** The context of a project without settings and an envelope without a header. */
export function contextOf(changes: Partial<SentryContext> = {}): SentryContext {
  return {
    project: { id: '42', env: 'production' },
    origin: 'local',
    envelope: {},
    receivedMs: Date.parse('2026-11-21T10:00:00Z'),
    ...changes,
  };
}

/** The payload that the intake accepts from a mapped candidate. */
export function accepted(candidate: JsonObject): RawPayload {
  const reading = reader.parse(candidate);
  if (!reading.ok) throw new Error(`rejected: ${reading.rejection.field} ${reading.rejection.reason}`);
  return reading.payload;
}

export function mapped(event: JsonObject, changes?: Partial<SentryContext>): RawPayload {
  return accepted(mapSentryEvent(event, contextOf(changes)));
}

export function mappedLog(entry: JsonObject, changes?: Partial<SentryContext>): RawPayload {
  return accepted(mapSentryLog(entry, contextOf(changes)));
}

/** A member of `extra.sentry`. */
export function sentryPart(payload: RawPayload, key: string): unknown {
  const sentry = payload.extra?.['sentry'];
  return typeof sentry === 'object' && sentry !== null && !Array.isArray(sentry) ? sentry[key] : undefined;
}
