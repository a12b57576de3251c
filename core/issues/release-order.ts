import { compareReleaseVersions, parseReleaseVersion } from '../query/release-version.js';

/** Whether a release comes after all that are known: greater than each, where all are versions (core/query), with or without `v`; else it is none of them. */
export function isLaterThanAll(release: string, known: readonly string[]): boolean {
  const version = parseReleaseVersion(release);
  const versions = known.map(parseReleaseVersion);
  if (version === undefined || versions.includes(undefined)) return !known.includes(release);
  return versions.every((other) => other !== undefined && compareReleaseVersions(version, other) > 0);
}

/** Whether a release is the named one or comes after it: by version where both are one; else it is the same, or was not known. */
export function isFrom(named: string, release: string, known: readonly string[]): boolean {
  const [version, first] = [parseReleaseVersion(release), parseReleaseVersion(named)];
  if (version === undefined || first === undefined) return release === named || !known.includes(release);
  return compareReleaseVersions(version, first) >= 0;
}
