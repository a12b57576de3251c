import { hash } from 'node:crypto';
import { cutText } from '../event/cut-text.js';
import type { FingerprintValue } from '../event/ids.js';
import { basisParts } from './basis-parts.js';
import { canonicalBasis } from './canonical-basis.js';
import type { Findings } from './findings.js';
import type { Fingerprint, FingerprintBasis } from './fingerprint.js';
import { FINGERPRINT_VERSION } from './grouping-settings.js';
import { mainError } from './main-error.js';

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
