import { isJsonObject, type JsonObject, setOwnProperty } from './json.js';
import type { RawPayload } from './raw-payload.js';

/** Fields that another report of the same occurrence may know; those that say where, when and how an event was reported are its own. */
const FILLED = [
  'method',
  'release',
  'request_id',
  'route',
  'session_id',
  'stack',
  'status_code',
  'user_id',
] as const satisfies readonly (keyof RawPayload)[];

/** Fields of the request, which should come from one report: a client's call within the request may have a route of its own. */
const OF_REQUEST = ['method', 'route', 'status_code'] as const satisfies readonly (typeof FILLED)[number][];

/**
 * The payload with the fields, tags and members of `extra` that it lacks as the other reports of its occurrence know them: the one that knows
 * most of the request, then the first one.
 */
export function fillPayload(own: RawPayload, others: readonly RawPayload[]): RawPayload {
  const richestFirst = others.toSorted(
    (one, other) => missingIn(one, OF_REQUEST).length - missingIn(other, OF_REQUEST).length,
  );
  return richestFirst.reduce(fillFrom, own);
}

function missingIn<Field extends keyof RawPayload>(payload: RawPayload, fields: readonly Field[]): Field[] {
  return fields.filter((field) => payload[field] === null || payload[field] === '');
}

function fillFrom(own: RawPayload, other: RawPayload): RawPayload {
  const missing = missingIn(own, FILLED);
  return {
    ...own,
    ...Object.fromEntries(missing.map((field) => [field, other[field]])),
    tags: { ...other.tags, ...own.tags },
    extra: fillExtra(own.extra, other.extra),
  };
}

/** Without what Faultline wrote about the other event itself. */
function fillExtra(own: JsonObject | null, other: JsonObject | null): JsonObject | null {
  const { faultline: _, ...members } = other ?? {};
  return fillMembers(own ?? {}, members);
}

function fillMembers(own: JsonObject, other: JsonObject): JsonObject {
  const filled = { ...own };
  for (const [key, value] of Object.entries(other)) {
    const kept = Object.hasOwn(own, key) ? own[key] : undefined;
    if (kept === undefined) setOwnProperty(filled, key, value);
    else if (isJsonObject(kept) && isJsonObject(value)) setOwnProperty(filled, key, fillMembers(kept, value));
  }
  return filled;
}
