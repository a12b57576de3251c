import { isJsonObject, type JsonObject } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';

/** Sets how many further events an event represents; a sender's value there that is not an object moves to `extra.faultline.sender`. */
export function withSampledCount(payload: RawPayload, sampled: number): RawPayload {
  const { extra } = payload;
  const part = partOf(extra);
  if (sampled > 0) return { ...payload, extra: { ...extra, faultline: { ...part, sampled } } };
  if (part?.['sampled'] === undefined) return payload;
  const { sampled: _, ...rest } = part;
  return { ...payload, extra: { ...extra, faultline: rest } };
}

function partOf(extra: JsonObject | null): JsonObject | undefined {
  if (extra === null || !Object.hasOwn(extra, 'faultline')) return undefined;
  const part = extra['faultline'];
  return isJsonObject(part) ? part : { sender: part ?? null };
}
