import { toNormalizedEvent } from '../../generated/event-fields.js';
import type { EventId, FingerprintValue } from '../event/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../event/json.js';
import { jsonPointer } from '../event/json-pointer.js';
import { levelOf } from '../event/level.js';
import type { EventType, NormalizedEvent } from '../event/normalized-event.js';
import type { EventNote } from '../event/note.js';
import { RAW_PAYLOAD_KEYS, type RawPayload, repeatsOf, sampledOf } from '../event/raw-payload.js';
import { type Cut, isLimitName, MAX_CUTS, MOVED_REASON, noteOfCut, noteOfLeftOut } from '../event/validate/repairs.js';
import { formatTimestamp, type Instant, instantFromMicros, noteOfGuess, parseTimestamp } from './timestamp.js';

/** What the store knows of an event. */
export interface Receipt {
  eventId: EventId;
  fingerprint: FingerprintValue;
  /** Microseconds since the epoch, a safe integer. */
  receivedAtMicros: number;
}

/**
 * The normalized form of a payload and notes on guesses. Never throws; shares `extra` and `tags` with the
 * payload. The message stays: `fingerprint/message/parameterize.ts` replaces its values, for grouping only.
 */
export function normalize(payload: RawPayload, receipt: Receipt): { event: NormalizedEvent; notes: EventNote[] } {
  const notes = recordedNotes(payload.extra);
  const event = toNormalizedEvent(payload, {
    event_id: receipt.eventId,
    extra: payload.extra ?? {},
    fingerprint: receipt.fingerprint,
    level: levelOf(payload),
    timestamp: timestampOf(payload, receipt, notes),
    type: typeOf(payload),
  });
  return { event, notes };
}

/** Kind of event: an exception has a stack or a status code. */
export function typeOf(payload: Pick<RawPayload, 'stack' | 'status_code'>): EventType {
  const hasStack = payload.stack !== null && payload.stack !== '';
  return hasStack || payload.status_code !== null ? 'exception' : 'log';
}

function timestampOf(payload: RawPayload, receipt: Receipt, notes: EventNote[]): string {
  const parsed = payload.timestamp === null ? undefined : parseTimestamp(payload.timestamp);
  if (parsed !== undefined) {
    notes.push(...parsed.guesses.map(noteOfGuess));
    return formatTimestamp(parsed);
  }
  if (payload.timestamp !== null) {
    notes.push({
      code: 'TIMESTAMP_UNPARSEABLE',
      field: '/timestamp',
      reason: 'not a readable time; the time of receipt is used',
    });
  }
  return formatTimestamp(instantFromMicros(receipt.receivedAtMicros));
}

/** The notes recorded in `extra.faultline`: weight, cuts and moved values. Senders can forge all but the weight; malformed entries are ignored. */
function recordedNotes(extra: JsonObject | null): EventNote[] {
  const faultline = extra?.['faultline'];
  if (!isJsonObject(faultline)) return [];
  const { cuts, cuts_total: total, original } = faultline;
  const notes = [...sampledNotes(extra), ...repeatNotes(extra), ...movedNotes(original)];
  const listed = Array.isArray(cuts)
    ? cuts
        .slice(0, MAX_CUTS)
        .map(toCut)
        .filter((cut) => cut !== undefined)
    : [];
  notes.push(...listed.map(noteOfCut));
  if (typeof total === 'number' && total > listed.length) notes.push(noteOfLeftOut(total - listed.length));
  return notes;
}

function sampledNotes(extra: JsonObject | null): EventNote[] {
  const sampled = sampledOf(extra);
  if (sampled === 0) return [];
  const events =
    sampled === 1 ? '1 further event of its issue that was' : `${sampled} further events of its issue that were`;
  return [
    {
      code: 'SAMPLED',
      field: jsonPointer(['extra', 'faultline', 'sampled']),
      reason: `stands for ${events} received and not stored`,
    },
  ];
}

function repeatNotes(extra: JsonObject | null): EventNote[] {
  const repeats = repeatsOf(extra);
  if (repeats === undefined) return [];
  const field = jsonPointer(['extra', 'faultline', 'repeats']);
  return [{ code: 'REPEATS', field, reason: `is counted with event ${repeats}, another report of its occurrence` }];
}

function movedNotes(original: JsonValue | undefined): EventNote[] {
  if (!isJsonObject(original)) return [];
  return RAW_PAYLOAD_KEYS.filter((key) => Object.hasOwn(original, key)).map((key) => ({
    code: 'VALUE_MOVED',
    field: jsonPointer([key]),
    reason: MOVED_REASON,
  }));
}

function toCut(value: JsonValue): Cut | undefined {
  if (!isJsonObject(value)) return undefined;
  const { field, limit, was, kept } = value;
  const isWhole = typeof field === 'string' && typeof was === 'number' && typeof kept === 'number';
  return isWhole && isLimitName(limit) ? { field, limit, was, kept } : undefined;
}

/** Event time for first and last seen, trends and sorting: the sender's time, at most the receipt; the receipt if the time is missing or invalid. */
export function eventInstant(payload: Pick<RawPayload, 'timestamp'>, receivedAtMicros: number): Instant {
  const sent = payload.timestamp === null ? undefined : parseTimestamp(payload.timestamp);
  const received = instantFromMicros(receivedAtMicros);
  if (sent === undefined) return received;
  const runsAhead = sent.ms > received.ms || (sent.ms === received.ms && sent.nanos > received.nanos);
  return runsAhead ? received : sent;
}
