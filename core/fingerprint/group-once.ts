import type { RawPayload } from '../event/raw-payload.js';
import { readClientFingerprint } from './client-fingerprint.js';
import { readClientMaterial } from './client-material.js';
import { decideFingerprint } from './decide-fingerprint.js';
import { plainErrorName } from './error-name.js';
import type { Fingerprint } from './fingerprint.js';
import { messageText } from './message-text.js';
import { readStack } from './read-stack.js';
import type { OutcomeOf } from './rules/compile-rules.js';

/** Reads a payload and decides, from nothing but its arguments. */
export function groupOnce(outcomeOf: OutcomeOf, payload: RawPayload): Fingerprint {
  const { error_name: errorName, message, stack, extra } = payload;
  const user = outcomeOf(payload);
  const material = readClientMaterial(extra);
  return decideFingerprint({
    client: readClientFingerprint(extra, material),
    errorName: plainErrorName(errorName),
    isSynthetic: material.isSynthetic,
    stack: readStack({ stack, errorName, message, structured: material.stack, effects: user.frames }),
    message: messageText(message, extra, material, user.parameterize),
    user,
  });
}
