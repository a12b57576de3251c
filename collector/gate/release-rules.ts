import { readPages } from '../../core/contract/read-pages.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { printValue } from '../../core/query/print-query.js';
import { compareReleases } from '../../core/storage/releases/summarize-release.js';
import type { IssueSummary, ReleaseSummary } from '../../generated/reader-answers.js';
import { brokenRule, type GateRule } from './gate-report.js';

/** The limits of a release gate; undefined: no such rule. */
export interface ReleaseLimits {
  readonly maxNew: number | undefined;
  /** How many times as many events per hour as the compared release had in its first time. */
  readonly maxRate: number | undefined;
  /** Percent of the sessions. */
  readonly minCrashFree: number | undefined;
  /** Queries that no issue of the release may match. */
  readonly queries: readonly string[];
}

/** The judged release, and what it is compared with. */
export interface ReleaseChoice {
  readonly release: string;
  /** A name, or `previous`: the one before it by first event. */
  readonly compare: string;
}

/** Issues by id that a rule counts, to be described in reports. */
export type CountedIssues = Map<string, IssueSummary>;

const MAX_RELEASES = 500;
const MAX_ISSUES = 50;
const MAX_EVENTS = 100_000;
const PAGE = 500;
const HOUR_MS = 3_600_000;
const quoted = (name: string): string => printValue(name, 'text');

/** Judges the rules as things are now. Throws only if the collector cannot be reached; adds what it counts to `counted`. */
export async function judgeRelease(
  reader: FailureReader,
  { release, compare }: ReleaseChoice,
  { maxNew, maxRate, minCrashFree, queries }: ReleaseLimits,
  { nowMs, counted }: { readonly nowMs: number; readonly counted: CountedIssues },
): Promise<GateRule[]> {
  // By name, because senders can name more releases than a list has.
  const judged = await reader.getRelease(release);

  const rule = async (name: string, limit: number | undefined, judge: (limit: number) => Promise<Judged>) => {
    if (limit === undefined) return [];
    const empty = { name, observed: null, threshold: limit, reason: null, issues: [] };
    const noData = (reason: string): GateRule => ({ ...empty, status: 'no_data', reason });
    if (judged === undefined) return [noData('the release is not known yet')];
    try {
      const judgement = await judge(limit);
      return [typeof judgement === 'string' ? noData(judgement) : { ...empty, ...judgement }];
    } catch (error) {
      if (error instanceof Fault && error.retryable) throw error;
      return [brokenRule(name, messageOf(error))];
    }
  };
  const countIssues = async (query: string, most: number): Promise<Judged> => {
    const { issues, total } = await reader.listIssues({ query, limit: MAX_ISSUES });
    for (const issue of issues) counted.set(issue.issue_id, issue);
    return { status: total > most ? 'fail' : 'pass', observed: total, issues: issues.map(({ issue_id }) => issue_id) };
  };
  const judgeRate = async (ratio: number): Promise<Judged> => {
    if (judged === undefined || !hasEvents(judged)) return 'no events of the release';
    const other = await (compare === 'previous' ? releaseBefore(reader, judged) : reader.getRelease(compare));
    if (other === undefined || !hasEvents(other)) return 'no events of a release to compare with';
    const lengthMs = Math.max(1, nowMs - Date.parse(judged.first_seen ?? ''));
    const count = async ({ name, first_seen }: ReleaseSummary): Promise<number> => {
      const from = Date.parse(first_seen ?? '');
      const times = [from, from + lengthMs].map((time) => new Date(time).toISOString());
      return await countEvents(reader, `release:${quoted(name)} timestamp:>=${times[0]} timestamp:<=${times[1]}`);
    };
    const after = await count(judged);
    const before = await count(other);
    if (before === 0) return `no events of ${other.name} are left to compare with`;
    const perHour = (events: number): number => Math.round((events / lengthMs) * HOUR_MS * 100) / 100;
    const observed = Math.round((after / before) * 100) / 100;
    const reason = `${perHour(after)} events per hour after ${perHour(before)} of ${other.name}`;
    return { status: after > ratio * before ? 'fail' : 'pass', observed, reason };
  };
  const judgeCrashFree = async (least: number): Promise<Judged> => {
    const share = judged?.health?.crash_free_sessions ?? null;
    if (share === null) return 'no sessions of the release';
    return { status: share < least ? 'fail' : 'pass', observed: share };
  };

  const rules = [
    rule('max-new', maxNew, (most) => countIssues(`new_in:${quoted(release)}`, most)),
    rule('max-rate', maxRate, judgeRate),
    rule('min-crash-free', minCrashFree, judgeCrashFree),
    ...queries.map((query) => rule(query, 0, (most) => countIssues(`(${query}) release:${quoted(release)}`, most))),
  ];
  return (await Promise.all(rules)).flat();
}

/** A sentence says why data is missing. */
type Judged = (Pick<GateRule, 'status' | 'observed'> & Partial<GateRule>) | string;

/** The latest release with events whose first one is before that of a release; undefined without one. */
async function releaseBefore(reader: FailureReader, judged: ReleaseSummary): Promise<ReleaseSummary | undefined> {
  const { releases } = await reader.listReleases({ limit: MAX_RELEASES });
  return releases.find(
    (release) => release.name !== judged.name && hasEvents(release) && compareReleases(judged, release) <= 0,
  );
}

/** A release that was only recorded has no first event. */
function hasEvents(release: ReleaseSummary): boolean {
  return release.first_seen !== null;
}

/** Counts occurrences as issues do: by the weights of events. */
async function countEvents(reader: FailureReader, query: string): Promise<number> {
  let stored = 0;
  let count = 0;
  for await (const { events } of readPages((cursor) => reader.searchEvents({ query, limit: PAGE, cursor }))) {
    stored += events.length;
    for (const { weight = 1 } of events) count += weight;
    if (stored >= MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events to count`);
  }
  return count;
}
