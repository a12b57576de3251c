import type { DifferingPart, EqualPart } from '../../generated/reader-answers.js';
import type { BasisPart, FingerprintBasis } from '../fingerprint/fingerprint.js';

const ABSENT = { used: false, value: null, reason: 'The event has no such part.' } as const;

/** What two bases have alike and what not; parts of one name are compared in their order. */
export function compareParts(
  a: FingerprintBasis,
  b: FingerprintBasis,
): { readonly equal: EqualPart[]; readonly differ: DifferingPart[] } {
  const others = byPlace(b.parts);
  const equal: EqualPart[] = [];
  const differ: DifferingPart[] = [];
  for (const [key, one] of byPlace(a.parts)) {
    const other = others.get(key);
    others.delete(key);
    if (other !== undefined && areAlike(one, other)) {
      equal.push({ part: one.part, value: one.value, used: one.used });
    } else differ.push(difference(one.part, one, other ?? ABSENT));
  }
  for (const other of others.values()) differ.push(difference(other.part, ABSENT, other));
  return { equal, differ };
}

function byPlace(parts: readonly BasisPart[]): Map<string, BasisPart> {
  const found = new Map<string, BasisPart>();
  for (const part of parts) {
    let place = 0;
    while (found.has(`${place} ${part.part}`)) place += 1;
    found.set(`${place} ${part.part}`, part);
  }
  return found;
}

type Side = Pick<BasisPart, 'used' | 'value' | 'reason'>;

function areAlike(a: Side, b: Side): boolean {
  return a.used === b.used && JSON.stringify(a.value) === JSON.stringify(b.value);
}

function difference(part: string, a: Side, b: Side): DifferingPart {
  return {
    part,
    a: a.value,
    b: b.value,
    used_a: a.used,
    used_b: b.used,
    reason_a: a.reason,
    reason_b: b.reason,
  };
}
