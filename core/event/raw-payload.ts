import { type IndexedPayload, indexedFields } from '../../generated/event-fields.js';
import type { Payload } from '../../generated/payload.js';
import { type EventId, toEventId } from './ids.js';
import { isJsonObject, type JsonObject, ownValue } from './json.js';
import { cutText } from './text.js';

export { RAW_PAYLOAD_KEYS } from '../../generated/event-fields.js';

/** A failure as its sender described it: exactly the 17 keys of `payload-schema.json`; other fields of the sender are in `extra`. */
export type RawPayload = Payload;

const MAX_HOPS = 1_000;

/** Number of collectors that forwarded an event before this one: `extra.faultline.hops`, at most 1,000; 0 if it is missing or not a positive integer. */
export function hopsOf(extra: JsonObject | null): number {
  const hops = ownValue(ownValue(extra, 'faultline'), 'hops');
  return typeof hops === 'number' && Number.isInteger(hops) && hops >= 1 ? Math.min(hops, MAX_HOPS) : 0;
}

/** Limit of `sampledOf`. */
export const MAX_SAMPLED = 1_000_000_000;

/** Number of events received and not stored that an event also stands for: `extra.faultline.sampled`, 1 to `MAX_SAMPLED`; 0 if it is missing or invalid. */
export function sampledOf(extra: JsonObject | null): number {
  const faultline = extra?.['faultline'];
  if (!isJsonObject(faultline)) return 0;
  const sampled = faultline['sampled'];
  const isUsable = typeof sampled === 'number' && Number.isInteger(sampled) && sampled >= 1 && sampled <= MAX_SAMPLED;
  return isUsable ? sampled : 0;
}

/** The event that counts the same occurrence: `extra.faultline.repeats`; undefined if it is missing or invalid. */
export function repeatsOf(extra: JsonObject | null): EventId | undefined {
  const faultline = extra?.['faultline'];
  const repeats = isJsonObject(faultline) ? faultline['repeats'] : undefined;
  return typeof repeats === 'string' ? toEventId(repeats) : undefined;
}

/** The payload as a further report of an occurrence that another event counts. */
export function withRepeats<Payload extends Pick<RawPayload, 'extra'>>(payload: Payload, repeats: EventId): Payload {
  const faultline = payload.extra?.['faultline'];
  const members = isJsonObject(faultline) ? faultline : {};
  return { ...payload, extra: { ...payload.extra, faultline: { ...members, repeats } } };
}

/** For how many occurrences an event counts: itself, unless another event counts its occurrence, and those of `sampledOf`. */
export function weightOf(extra: JsonObject | null): number {
  return (repeatsOf(extra) === undefined ? 1 : 0) + sampledOf(extra);
}

/** Whether `extra.faultline.sampled` or `repeats` is set to any value; senders must not set them. */
export function claimsWeight(extra: JsonObject | null): boolean {
  const faultline = extra?.['faultline'];
  return isJsonObject(faultline) && (Object.hasOwn(faultline, 'sampled') || Object.hasOwn(faultline, 'repeats'));
}

/** The members of `extra.faultline` that set the weight, if they are valid. */
export function weightMembers(extra: JsonObject | null): JsonObject {
  const sampled = sampledOf(extra);
  const repeats = repeatsOf(extra);
  return { ...(repeats !== undefined && { repeats }), ...(sampled > 0 && { sampled }) };
}

/** UTF-16 units. */
const MAX_LISTED_MESSAGE = 512;

/** The part of a message that lists show and the index stores. */
export function listedMessage(message: string): string {
  return cutText(message, MAX_LISTED_MESSAGE);
}

/** The fields of a payload that the index counts and shows in lists, needed after the raw line is encoded. */
export type GroupedPayload = IndexedPayload;

/** The payload without its large values: one unit of the stack remains to show that it exists, and of `extra` only the weight. */
export function groupedPayload(payload: RawPayload): GroupedPayload {
  const { extra, message, stack } = payload;
  return {
    ...indexedFields(payload),
    extra: claimsWeight(extra) ? { faultline: weightMembers(extra) } : null,
    message: listedMessage(message),
    stack: stack === null ? null : stack.slice(0, 1),
  };
}
