import type { Releases } from '../../generated/reader-answers.js';

/** The instant that the list "New since" begins with, and the time before that it is compared with. */
export interface SinceRange {
  /** The release, duration or date. May be text from outside. */
  readonly name: string;
  /** RFC 3339. */
  readonly from: string;
  readonly before: string;
  /** Of a release; undefined for other ranges. */
  readonly events?: number;
  /** The release before; undefined if none is known. */
  readonly previous?: string;
}

/** A range that is compared with as long a time before it. */
export function rangeFrom(name: string, fromMs: number, nowMs: number): SinceRange {
  const before = new Date(fromMs - Math.max(1, nowMs - fromMs)).toISOString();
  return { name, from: new Date(fromMs).toISOString(), before };
}

/** The range of a release, which is compared with the time of the one before; undefined for one without events. */
export function rangeOfRelease(releases: Releases['releases'], name: string, nowMs: number): SinceRange | undefined {
  const seen = releases.flatMap(({ first_seen: from, ...one }) => (from === null ? [] : [{ ...one, from }]));
  const index = seen.findIndex((one) => one.name === name);
  const [release, previous] = [seen[index], seen[index + 1]];
  if (release === undefined) return undefined;
  const { from, events } = release;
  if (previous === undefined) return { ...rangeFrom(name, Date.parse(from), nowMs), events };
  return { name, from, before: previous.from, events, previous: previous.name };
}
