import { cutKey, cutString } from './cut-string.js';
import { setOwnProperty } from './own-property.js';
import type { PayloadLimits } from './payload-limits.js';
import { addCut, type Repairs } from './repairs.js';

/** True when there are no more than `maxTags` tags and no key is too long. The values are the payload check's business. */
export function areTagsWithinLimits(tags: Record<string, string>, limits: PayloadLimits): boolean {
  let count = 0;
  for (const key in tags) {
    if (++count > limits.maxTags || key.length > limits.maxStringLength) return false;
  }
  return true;
}

/** A copy of the tags within the limits: the first `maxTags` in the sender's order, with keys and values cut. */
export function cutTags(tags: Record<string, string>, limits: PayloadLimits, repairs: Repairs): Record<string, string> {
  const entries = Object.entries(tags);
  if (entries.length > limits.maxTags) addCut(repairs, 'max_tags', ['tags'], entries.length, limits.maxTags);
  const copy: Record<string, string> = {};
  const isTaken = (key: string) => Object.hasOwn(tags, key) || Object.hasOwn(copy, key);
  for (const [sentKey, value] of entries.slice(0, limits.maxTags)) {
    const key = cutKey(sentKey, limits.maxStringLength, ['tags'], repairs, isTaken);
    if (key !== undefined) setOwnProperty(copy, key, cutString(value, limits.maxStringLength, ['tags', key], repairs));
  }
  return copy;
}
