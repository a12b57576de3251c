import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { parseTimeAgo, parseWrittenTime } from '../../core/query/time-point.js';
import { rangeFrom, rangeOfRelease, type SinceRange } from '../state/since-range.js';

/** Adds the term of `--since` to a query; `field` has the times that count. Throws as `findSince`. */
export async function withSince(
  reader: FailureReader,
  { query, since }: { readonly query?: string | undefined; readonly since?: string | undefined },
  field: 'last_seen' | 'timestamp',
): Promise<string | undefined> {
  if (since === undefined) return query;
  const term = `${field}:>=${(await findSince(async () => reader, since)).from}`;
  return query === undefined || query.trim() === '' ? term : `(${query}) ${term}`;
}

const MAX_RELEASES = 500;
const MAX_LISTED = 3;

/** Resolves the text of `--since`: a duration, a date or a release. Throws `ARGUMENT_INVALID` for another text. */
export async function findSince(openReader: () => Promise<FailureReader>, typed: string): Promise<SinceRange> {
  const nowMs = Date.now();
  const agoMs = parseTimeAgo(typed);
  if (agoMs !== undefined) return rangeFrom(`${typed} ago`, nowMs - agoMs, nowMs);
  const time = parseWrittenTime(typed);
  if (time !== undefined) return rangeFrom(typed, time.fromMs, nowMs);
  const { releases } = await (await openReader()).listReleases({ limit: MAX_RELEASES });
  const range = rangeOfRelease(releases, typed, nowMs);
  if (range !== undefined) return range;
  const latest = releases.slice(0, MAX_LISTED).map(({ name }) => name);
  const known = latest.length === 0 ? 'No event has one.' : `The latest are ${latest.join(', ')}.`;
  throw new Fault('ARGUMENT_INVALID', `--since ${typed} is not a duration (24h), a date or a release. ${known}`);
}
