import { hash } from 'node:crypto';
import type { FingerprintValue } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { cutText } from '../event/text.js';
import { basisParts } from './basis-parts.js';
import { readClientFingerprint } from './client-fingerprint.js';
import { readClientMaterial } from './client-material.js';
import type { Fingerprint, FingerprintBasis } from './fingerprint.js';
import { FINGERPRINT_VERSION } from './grouping-settings.js';
import { type Findings, mainError, plainErrorName } from './main-error.js';
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

const MAX_TITLE = 256;

/** What a person reads in a list: type and message, or what is there of them; without a message the culprit, where one is given. All come as plain text. */
function titleOf(type: string, isNameless: boolean, firstLine: string, culprit: string | null): string {
  if (firstLine !== '') return cutTitle(isNameless ? firstLine : `${type}: ${firstLine}`);
  const name = type === '' ? 'Unnamed failure' : type;
  return cutTitle(culprit === null ? name : `${name} in ${culprit}`);
}

function cutTitle(title: string): string {
  return title.length <= MAX_TITLE ? title : `${cutText(title, MAX_TITLE - 1)}…`;
}

/** Hexadecimal characters of a fingerprint: the first 128 bits of the hash. */
const VALUE_LENGTH = 32;

/** The fingerprint that follows from what was read. */
export function decideFingerprint(findings: Findings): Fingerprint {
  const main = mainError(findings);
  const basis: FingerprintBasis = { version: FINGERPRINT_VERSION, ...basisParts(findings, main) };
  const culprit = findings.stack.frames?.culprit ?? null;
  return {
    value: hash('sha256', canonicalBasis(basis)).slice(0, VALUE_LENGTH) as FingerprintValue,
    version: FINGERPRINT_VERSION,
    title: titleOf(main.type, main.kind === 'nameless', main.message.firstLine, culprit),
    culprit,
    basis,
  };
}

/** What JSON writes otherwise than it is, or may. */
const NEEDS_ESCAPE = /[^\u0020-\u007e]|["\\]/;

/** The text that is hashed: version, rule, then name and value of each used part in their order, nothing else. Well-formed whatever the parts hold. */
export function canonicalBasis(basis: FingerprintBasis): string {
  let text = `[${basis.version},${jsonOf(basis.rule)}`;
  for (const part of basis.parts) if (part.used) text += `,${jsonOf(part.part)},${jsonOf(part.value)}`;
  return `${text}]`;
}

/** As `JSON.stringify` writes a value. Its call costs more than a look at a text that it would only put in quotes. */
function jsonOf(value: JsonValue): string {
  if (typeof value === 'string') return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  // One frame decides most often.
  const only = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  return typeof only === 'string' ? `[${jsonOf(only)}]` : JSON.stringify(value);
}
