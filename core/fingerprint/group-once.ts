import type { RawPayload } from '../event/raw-payload.js';
import { readClientFingerprint } from './client-fingerprint.js';
import { readClientMaterial } from './client-material.js';
import type { Grouping } from './compile-grouping.js';
import { decideFingerprint } from './decide-fingerprint.js';
import { plainErrorName } from './error-name.js';
import type { Fingerprint } from './fingerprint.js';
import { messageText } from './message-text.js';
import { readStack } from './read-stack.js';

/** Reads a payload and decides, from nothing but its arguments. */
export function groupOnce(grouping: Grouping, payload: RawPayload): Fingerprint {
  const { error_name: errorName, message, stack, extra } = payload;
  const user = grouping.outcomeOf(payload);
  const material = readClientMaterial(extra, grouping.rules.version);
  return decideFingerprint(grouping, {
    client: readClientFingerprint(extra, material),
    errorName: plainErrorName(errorName),
    isSynthetic: material.isSynthetic,
    stack: readStack(grouping.rules, { stack, errorName, message, structured: material.stack, effects: user.frames }),
    message: messageText(message, extra, material, user.parameterize),
    user,
  });
}
