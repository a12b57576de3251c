import { hash } from 'node:crypto';
import type { FingerprintValue } from '../event/ids.js';
import { basisParts } from './basis-parts.js';
import { canonicalBasis } from './canonical-basis.js';
import type { Grouping } from './compile-grouping.js';
import type { Findings } from './findings.js';
import type { Fingerprint, FingerprintBasis } from './fingerprint.js';
import { mainError } from './main-error.js';
import { titleOf } from './title.js';

/** Hexadecimal characters of a fingerprint: the first 128 bits of the hash. */
const VALUE_LENGTH = 32;

/** The fingerprint that follows from what was read. */
export function decideFingerprint({ rules }: Grouping, findings: Findings): Fingerprint {
  const main = mainError(rules, findings);
  const basis: FingerprintBasis = { version: rules.version, ...basisParts(rules, findings, main) };
  const culprit = findings.stack.frames?.culprit ?? null;
  return {
    value: hash('sha256', canonicalBasis(basis)).slice(0, VALUE_LENGTH) as FingerprintValue,
    version: rules.version,
    title: titleOf(
      main.type,
      main.kind === 'nameless',
      main.message.firstLine,
      rules.titleNamesCulprit ? culprit : null,
    ),
    culprit,
    basis,
  };
}
