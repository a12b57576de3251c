import type { EventId, FingerprintValue } from '../event/ids.js';
import type { EventType, NormalizedEvent } from '../event/normalized-event.js';
import type { EventNote } from '../event/note.js';
import type { RawPayload } from '../event/raw-payload.js';
import { recordedNotes } from '../event/recorded-notes.js';
import { formatTimestamp, instantFromMicros, readTimestamp } from './timestamp.js';
import { noteOfGuess } from './timestamp-reading.js';

/** What the service itself knows of an event: handed in, because normalize knows no clock. */
export interface Receipt {
  eventId: EventId;
  fingerprint: FingerprintValue;
  /** Microseconds since the epoch, a safe integer. */
  receivedAtMicros: number;
}

/** The normalized form of a payload (specification "Normalized event") and what was guessed on the way. Total; `extra` and `tags` are shared with the payload. */
export function normalize(payload: RawPayload, receipt: Receipt): { event: NormalizedEvent; notes: EventNote[] } {
  const notes = recordedNotes(payload.extra);
  const event: NormalizedEvent = {
    app: payload.app,
    env: payload.env,
    error_name: payload.error_name,
    event_id: receipt.eventId,
    extra: payload.extra ?? {},
    fingerprint: receipt.fingerprint,
    level: levelOf(payload),
    message: payload.message,
    method: payload.method,
    release: payload.release,
    request_id: payload.request_id,
    route: payload.route,
    service: payload.service,
    session_id: payload.session_id,
    stack: payload.stack,
    status_code: payload.status_code,
    tags: payload.tags,
    timestamp: timestampOf(payload, receipt, notes),
    type: typeOf(payload),
    user_id: payload.user_id,
  };
  return { event, notes };
}

/** Normalized level: `error` where the sender named none. */
export function levelOf(payload: Pick<RawPayload, 'level'>): string {
  return payload.level ?? 'error';
}

/** Kind of event: an exception has a stack or a status code. */
export function typeOf(payload: Pick<RawPayload, 'stack' | 'status_code'>): EventType {
  const hasStack = payload.stack !== null && payload.stack !== '';
  return hasStack || payload.status_code !== null ? 'exception' : 'log';
}

function timestampOf(payload: RawPayload, receipt: Receipt, notes: EventNote[]): string {
  const reading = payload.timestamp === null ? undefined : readTimestamp(payload.timestamp);
  if (reading !== undefined) {
    notes.push(...reading.guesses.map(noteOfGuess));
    return formatTimestamp(reading);
  }
  if (payload.timestamp !== null) {
    notes.push({
      code: 'TIMESTAMP_UNPARSEABLE',
      field: '/timestamp',
      reason: 'is not a time that can be read; the time of receipt stands in for it',
    });
  }
  return formatTimestamp(instantFromMicros(receipt.receivedAtMicros));
}
