import type { Bound, QueryNode, ValueTest, WrittenVersion } from './query-ast.js';
import type { QueryField } from './query-fields.js';
import { compareReleaseVersions, parseReleaseVersion } from './release-version.js';
import { matchesPattern } from './text-pattern.js';
import { resolveTimePoint } from './time-point.js';

/** Answers that a matcher remembers of one term; few names have more values, and those are compared each time. */
const MAX_REMEMBERED = 1024;
/** UTF-16 units of a text that is remembered, at most: what is longer hardly comes again, and would be held for as long as the matcher. */
const MAX_REMEMBERED_LENGTH = 256;

type ValueMatcher = (value: string | number) => boolean;

/** Tells the values of a field that a test asks for, in a query that is asked at `nowMs`; what a list holds is told one by one. */
export function valueMatcher(field: QueryField, test: ValueTest, nowMs: number): ValueMatcher {
  switch (test.kind) {
    case 'pattern': {
      const { pattern } = test;
      const matches: ValueMatcher = (value) => matchesPattern(pattern, String(value).toLowerCase());
      return field.isRepeated ? remembering(matches) : matches;
    }
    case 'numbers':
      return numbersMatcher(test.low, test.high);
    case 'versions':
      return remembering(versionsMatcher(test.low, test.high));
    case 'times': {
      const from = test.from === null ? Number.NEGATIVE_INFINITY : resolveTimePoint(test.from, nowMs);
      const to = test.to === null ? Number.POSITIVE_INFINITY : resolveTimePoint(test.to, nowMs);
      return (value) => typeof value === 'number' && value >= from && value < to;
    }
    case 'mark':
      return () => false;
  }
}

function numbersMatcher(low: Bound<number> | null, high: Bound<number> | null): ValueMatcher {
  const lowest = low?.value ?? Number.NEGATIVE_INFINITY;
  const highest = high?.value ?? Number.POSITIVE_INFINITY;
  const isLowOpen = low?.isOpen === true;
  const isHighOpen = high?.isOpen === true;
  return (value) => {
    const number = typeof value === 'number' ? value : numberIn(value);
    return (isLowOpen ? number > lowest : number >= lowest) && (isHighOpen ? number < highest : number <= highest);
  };
}

/** NaN, which lies in no range, for text that is no number. */
function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

function versionsMatcher(low: Bound<WrittenVersion> | null, high: Bound<WrittenVersion> | null): ValueMatcher {
  return (value) => {
    const version = parseReleaseVersion(String(value));
    if (version === undefined) return false;
    const above = low === null ? 1 : compareReleaseVersions(version, low.value.version);
    const below = high === null ? -1 : compareReleaseVersions(version, high.value.version);
    return (low?.isOpen === true ? above > 0 : above >= 0) && (high?.isOpen === true ? below < 0 : below <= 0);
  };
}

function remembering(matches: ValueMatcher): ValueMatcher {
  const remembered = new Map<string | number, boolean>();
  return (value) => {
    if (typeof value === 'string' && value.length > MAX_REMEMBERED_LENGTH) return matches(value);
    const known = remembered.get(value);
    if (known !== undefined) return known;
    const answer = matches(value);
    if (remembered.size < MAX_REMEMBERED) remembered.set(value, answer);
    return answer;
  };
}

/** Between which receipts every event lies that a query for events asks for: from the first up to, and without, the second, in milliseconds since the epoch. */
export function receivedRange(query: QueryNode, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  let [fromMs, toMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const node of query.kind === 'and' ? query.nodes : [query]) {
    if (node.kind !== 'field' || node.field.name !== 'received_at' || node.test.kind !== 'times') continue;
    const { from, to } = node.test;
    if (from !== null) fromMs = Math.max(fromMs, resolveTimePoint(from, nowMs));
    if (to !== null) toMs = Math.min(toMs, resolveTimePoint(to, nowMs));
  }
  return { fromMs, toMs };
}
