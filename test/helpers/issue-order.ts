import type { IssueSort } from '../../core/contract/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const LEVEL_ALIASES: Readonly<Record<string, string>> = { fatal: 'critical', warn: 'warning' };
const STATES = ['resolved', 'ignored', 'open', 'new', 'spiking', 'regressed'];

type Key = (issue: IssueSummary) => number | string;

/** The sort keys: numbers descend; a text ascends. */
const KEYS: Readonly<Record<IssueSort, Key>> = {
  last_seen: () => 0,
  first_seen: ({ first_seen }) => descending(first_seen),
  count: ({ count }) => count,
  users: ({ users }) => users,
  trend: ({ trend }) => trend.reduce((sum, events) => sum + events, 0),
  level: (issue) => severity(issue),
  status: (issue) => STATES.indexOf(stateOf(issue)),
};

const severity = ({ level }: IssueSummary): number =>
  LEVELS.indexOf(LEVEL_ALIASES[level.toLowerCase()] ?? level.toLowerCase());

/** The keys of `last_seen`: the age as it is shown, sign, level, events. */
const stepKeys = (issue: IssueSummary, nowMs: number): string[] => {
  const minutes = Math.max(0, Math.floor((nowMs - Date.parse(issue.last_seen)) / 60_000));
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1_440)];
  const years = Math.floor(days / 365);
  const age = years > 0 ? 3e6 + years : days > 0 ? 2e6 + days : hours > 0 ? 1e6 + hours : minutes;
  const hasSign = ['new', 'spiking', 'regressed'].includes(stateOf(issue));
  return [age, hasSign ? 0 : 1, 9 - severity(issue), 1e9 - issue.count].map((key) => String(key).padStart(10, '0'));
};

/** A simple model of the orders of the issue list; without `nowMs`, `last_seen` has no steps. Returns a comparison of two summaries. */
export function issueOrder(sort: IssueSort, nowMs?: number) {
  const key = KEYS[sort];
  return (one: IssueSummary, other: IssueSummary): number => {
    if (sort === 'last_seen' && nowMs !== undefined) {
      const [left, right] = [one, other].map((issue) => [...stepKeys(issue, nowMs), issue.issue_id].join());
      return compare(left ?? '', right ?? '');
    }
    const compared = compare(key(one), key(other)) || (sort === 'status' ? severity(other) - severity(one) : 0);
    if (compared !== 0) return compared;
    if (one.last_seen !== other.last_seen) return one.last_seen < other.last_seen ? 1 : -1;
    return one.issue_id < other.issue_id ? -1 : 1;
  };
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return other - one;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Encodes a time as a text that ascends when times descend. */
function descending(time: string): string {
  return time.replaceAll(/\d/g, (digit) => String(9 - Number(digit)));
}

function stateOf({ status, regressed, spiking, is_new }: IssueSummary): string {
  if (status !== 'open') return status;
  if (regressed) return 'regressed';
  if (spiking) return 'spiking';
  return is_new ? 'new' : 'open';
}
