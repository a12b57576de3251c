import type { IssueSort } from '../../core/contract/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const LEVEL_ALIASES: Readonly<Record<string, string>> = { fatal: 'critical', warn: 'warning' };
const STATES = ['resolved', 'ignored', 'open', 'new', 'regressed'];

type Key = (issue: IssueSummary) => number | string;

/** The sort keys: numbers descend; a text ascends. */
const KEYS: Readonly<Record<IssueSort, Key>> = {
  last_seen: () => 0,
  first_seen: ({ first_seen }) => descending(first_seen),
  count: ({ count }) => count,
  users: ({ users }) => users,
  trend: ({ trend }) => trend.reduce((sum, events) => sum + events, 0),
  level: ({ level }) => LEVELS.indexOf(LEVEL_ALIASES[level.toLowerCase()] ?? level.toLowerCase()),
  status: (issue) => STATES.indexOf(stateOf(issue)),
};

/** A simple model of the orders of the issue list; returns a comparison of two summaries. */
export function issueOrder(sort: IssueSort) {
  const key = KEYS[sort];
  return (one: IssueSummary, other: IssueSummary): number => {
    const compared = compare(key(one), key(other));
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

function stateOf({ status, regressed, is_new }: IssueSummary): string {
  if (status !== 'open') return status;
  if (regressed) return 'regressed';
  return is_new ? 'new' : 'open';
}
