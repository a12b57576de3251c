import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { copyMembers, type Steps } from '../event-processor/steps.js';
import type { Tally } from './tally.js';
import { LONG_TEXT } from './text-redactor.js';
import type { Redactors } from './value-redactor.js';

const FIELDS = ['error_name', 'message', 'request_id', 'route', 'session_id', 'stack', 'user_id'] as const;

/** If any of these is present, Faultline wrote `extra.faultline`; see core/event/faultline-part.ts. */
const OWN_MEMBERS = ['cuts', 'cuts_total', 'original', 'top_level', 'sender', 'redaction'];

/**
 * Masks secrets of a payload; returns the same object if it has no secrets. Names of apps, environments, services, releases, levels, methods
 * and times are not scanned, because queries select events by them.
 */
export function* redactPayload(
  payload: RawPayload,
  { texts, values }: Redactors,
  summary: RedactionProcessorSettings['summary'],
  tally: Tally,
): Steps<RawPayload> {
  let copy: RawPayload | undefined;
  for (const field of FIELDS) {
    const value = payload[field];
    if (value === null) continue;
    const result = value.length > LONG_TEXT ? yield* texts.redactInSteps(value, tally) : texts.redact(value, tally);
    if (result === value) continue;
    tally.listMasked('', field);
    copy ??= { ...payload };
    copy[field] = result;
  }
  const tags = yield* values.redactTags(payload.tags, tally);
  const extra = payload.extra === null ? null : yield* values.redactExtra(payload.extra, tally);
  if (copy === undefined && tags === payload.tags && extra === payload.extra) return payload;
  copy ??= { ...payload };
  copy.tags = tags;
  copy.extra = extra;
  if (summary === 'silent') return copy;
  const newExtra: JsonObject =
    extra === null ? {} : extra === payload.extra ? yield* copyMembers(extra, Object.keys(extra)) : extra;
  newExtra['faultline'] = yield* withSummary(ownValue(newExtra, 'faultline'), tally, summary);
  copy.extra = newExtra;
  return copy;
}

/**
 * Returns `extra.faultline` with `redaction`: `masked_count` and `removed_count`, for `debug` also the first 64 paths of each. A
 * sender's value under `faultline` moves to `extra.faultline.sender`. Counts of an earlier redaction are added.
 */
function* withSummary(part: JsonValue | undefined, tally: Tally, summary: 'debug' | 'info'): Steps<JsonObject> {
  const isOurs = isJsonObject(part) && OWN_MEMBERS.some((name) => Object.hasOwn(part, name));
  const own: JsonObject = isOurs
    ? yield* copyMembers(part, Object.keys(part))
    : part === undefined
      ? {}
      : { sender: part };
  const before = ownValue(own, 'redaction');
  const redaction: JsonObject = { masked_count: tally.masked + countIn(before, 'masked_count') };
  if (summary === 'debug') redaction['masked_keys'] = [...tally.maskedKeys];
  if (tally.removed > 0) {
    redaction['removed_count'] = tally.removed + countIn(before, 'removed_count');
    if (summary === 'debug') redaction['removed_keys'] = [...tally.removedKeys];
  }
  own['redaction'] = redaction;
  return own;
}

function countIn(before: JsonValue | undefined, name: string): number {
  const count = ownValue(before, name);
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
