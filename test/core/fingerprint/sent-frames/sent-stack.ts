import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint, decidingFrames } from '../compute-fingerprint.js';

/** What the receiver keeps of an event with one exception; `frames` are in the order of SDKs, the caller first. */
export function sentExtra(platform: string, frames: JsonObject[], more: JsonObject = {}): JsonObject {
  const exception = { values: [{ type: 'E', stacktrace: { frames } }] };
  return { sentry: { platform, exception, mapping: { exceptions: [0] }, ...more } };
}

/** The deciding frames of an event whose frames an SDK sent; here the innermost comes first, as in a text. */
export function sentKeys(platform: string, frames: JsonObject[]): JsonValue | undefined {
  const extra = sentExtra(platform, frames.toReversed());
  return decidingFrames(computeFingerprint(serverPayload({ extra, stack: null })));
}

/** The deciding frames of a text. */
export function textKeys(stack: string): JsonValue | undefined {
  return decidingFrames(computeFingerprint(serverPayload({ stack, extra: null })));
}
