import type { JsonObject } from '../../../../../core/event/json.js';
import type { RawPayload } from '../../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';

/** The fingerprint of an event whose frames an SDK sent, the innermost first as in a text. */
function sentFingerprint(platform: string, frames: JsonObject[], changes: Partial<RawPayload> = {}): Fingerprint {
  const values = [{ type: 'E', stacktrace: { frames: frames.toReversed() } }];
  const sentry = { platform, exception: { values }, mapping: { exceptions: [0] } };
  return computeFingerprint(serverPayload({ extra: { sentry }, stack: null, ...changes }));
}

/** The deciding frames of such an event. */
export function sentKeys(platform: string, frames: JsonObject[]): unknown {
  return sentFingerprint(platform, frames).basis.parts.find(({ part }) => part === 'frames')?.value;
}

/** The deciding frames of a text. */
export function textKeys(stack: string): unknown {
  const { basis } = computeFingerprint(serverPayload({ stack, extra: null }));
  return basis.parts.find(({ part }) => part === 'frames')?.value;
}
