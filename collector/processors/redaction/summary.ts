import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { ownValue } from '../../../core/event/own-property.js';
import type { Tally } from './tally.js';

/** Members by which a part that Faultline wrote into an event is known; see core/event/faultline-part.ts. */
const OWN_MEMBERS = ['cuts', 'cuts_total', 'original', 'top_level', 'sender', 'redaction'];

/**
 * Says in `extra.faultline.redaction` what was taken out: `masked_count` and `removed_count`, with `debug` also the first 64 places of each. What a sender
 * has under `faultline` moves to `extra.faultline.sender`. Counts of an earlier redaction are added.
 */
export function withSummary(extra: JsonObject | null, tally: Tally, summary: 'debug' | 'info'): JsonObject {
  const part = ownValue(extra ?? {}, 'faultline');
  const isOurs = isJsonObject(part) && OWN_MEMBERS.some((name) => Object.hasOwn(part, name));
  const own: JsonObject = isOurs ? { ...part } : part === undefined ? {} : { sender: part };
  const before = ownValue(own, 'redaction');
  own['redaction'] = {
    masked_count: tally.masked + countIn(before, 'masked_count'),
    ...(summary === 'debug' && { masked_keys: [...tally.maskedKeys] }),
    ...(tally.removed > 0 && { removed_count: tally.removed + countIn(before, 'removed_count') }),
    ...(summary === 'debug' && tally.removed > 0 && { removed_keys: [...tally.removedKeys] }),
  };
  return { ...extra, faultline: own };
}

function countIn(before: JsonValue | undefined, name: string): number {
  const count = ownValue(before, name);
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
