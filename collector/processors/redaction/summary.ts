import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { ownValue } from '../../../core/event/own-property.js';
import type { Steps } from '../steps.js';
import { copyMembers } from './replace-members.js';
import type { Tally } from './tally.js';

/** Members by which a part that Faultline wrote into an event is known; see core/event/faultline-part.ts. */
const OWN_MEMBERS = ['cuts', 'cuts_total', 'original', 'top_level', 'sender', 'redaction'];

/**
 * What `extra.faultline` becomes, in which `redaction` says what was taken out: `masked_count` and `removed_count`, with `debug` also the first 64 places
 * of each. What a sender has under `faultline` moves to `extra.faultline.sender`. Counts of an earlier redaction are added.
 */
export function* withSummary(part: JsonValue | undefined, tally: Tally, summary: 'debug' | 'info'): Steps<JsonObject> {
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
