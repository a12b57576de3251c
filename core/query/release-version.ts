import { compareTexts } from '../event/text.js';

/** A release name in the order of Semantic Versioning 2.0.0, with any number of numbers. */
export interface ReleaseVersion {
  readonly numbers: readonly number[];
  /** Identifiers after the `-`; a release without any comes after its pre-releases. */
  readonly preRelease: readonly string[];
}

const MAX_LENGTH = 128;
const VERSION = /^v?(\d{1,15}(?:\.\d{1,15})*)(?:-([0-9a-z.-]+))?(?:\+[0-9a-z.-]*)?$/i;
const WHOLE_NUMBER = /^\d{1,15}$/;

/** Parses `1.4`, `v1.4.0-rc.1`, `shop@1.4.0+build`; undefined for other names and those over 128 characters. */
export function parseReleaseVersion(name: string): ReleaseVersion | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const match = VERSION.exec(name.slice(name.lastIndexOf('@') + 1));
  if (match === null) return undefined;
  const [, numbers = '', preRelease] = match;
  return { numbers: numbers.split('.').map(Number), preRelease: preRelease?.split('.') ?? [] };
}

/** Negative if `left` comes first; a missing number counts as 0. */
export function compareReleaseVersions(left: ReleaseVersion, right: ReleaseVersion): number {
  for (let index = 0; index < Math.max(left.numbers.length, right.numbers.length); index += 1) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePreReleases(left.preRelease, right.preRelease);
}

function comparePreReleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = compareIdentifiers(left[index] ?? '', right[index] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Numbers sort before names. */
function compareIdentifiers(left: string, right: string): number {
  const isNumber = WHOLE_NUMBER.test(left);
  if (isNumber !== WHOLE_NUMBER.test(right)) return isNumber ? -1 : 1;
  if (isNumber) return Number(left) - Number(right);
  return compareTexts(left, right);
}
