import { levelSeverity, normalizeLevel } from '../event/level.js';
import type { Bound, QueryNode, ValueTest, WrittenVersion } from './query-ast.js';
import type { QueryField } from './query-fields.js';
import { compareReleaseVersions, parseReleaseVersion, type ReleaseVersion } from './release-version.js';
import { matchesPattern, type TextPattern } from './text-pattern.js';
import { resolveTimePoint } from './time-point.js';

/** Results cached per term. */
const MAX_CACHED = 1024;
/** UTF-16 units of a cached text: longer texts rarely repeat. */
const MAX_CACHED_LENGTH = 256;

type ValueMatcher = (value: string | number) => boolean;

/** Compiles the test of a single value, in a query that runs at `nowMs`. */
export function valueMatcher(field: QueryField, test: ValueTest, nowMs: number): ValueMatcher {
  switch (test.kind) {
    case 'pattern': {
      const isName = field.kind === 'level' && test.isExact !== true && test.pattern.length === 1;
      const pattern: TextPattern = isName ? [normalizeLevel(test.pattern[0])] : test.pattern;
      const matches: ValueMatcher = (value) => matchesPattern(pattern, String(value).toLowerCase());
      return field.isRepeated ? cached(matches) : matches;
    }
    case 'numbers': {
      const parse = field.kind === 'level' ? toSeverity : toNumber;
      return (value) => isWithin(test, typeof value === 'number' ? value : parse(value), (one, bound) => one - bound);
    }
    case 'versions':
      return cached((value) => {
        const compare = (version: ReleaseVersion, bound: WrittenVersion) =>
          compareReleaseVersions(version, bound.version);
        const version = parseReleaseVersion(String(value));
        return version !== undefined && isWithin(test, version, compare);
      });
    case 'times': {
      const from = test.from === null ? Number.NEGATIVE_INFINITY : resolveTimePoint(test.from, nowMs);
      const to = test.to === null ? Number.POSITIVE_INFINITY : resolveTimePoint(test.to, nowMs);
      return (value) => typeof value === 'number' && value >= from && value < to;
    }
    case 'flag':
      return () => false;
  }
}

/** Whether a value is between two ends, of which one is given; a comparison with NaN is false. */
function isWithin<Value, End>(
  { low, high }: { low: Bound<End> | null; high: Bound<End> | null },
  value: Value,
  compare: (value: Value, end: End) => number,
): boolean {
  const above = low === null ? 1 : compare(value, low.value);
  const below = high === null ? -1 : compare(value, high.value);
  return (low?.isOpen === true ? above > 0 : above >= 0) && (high?.isOpen === true ? below < 0 : below <= 0);
}

/** NaN, which no range contains, for text that is not a number. */
function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** NaN for an unknown level. */
function toSeverity(level: string): number {
  return levelSeverity(level) || Number.NaN;
}

function cached(matches: ValueMatcher): ValueMatcher {
  const results = new Map<string | number, boolean>();
  return (value) => {
    if (typeof value === 'string' && value.length > MAX_CACHED_LENGTH) return matches(value);
    const cachedResult = results.get(value);
    if (cachedResult !== undefined) return cachedResult;
    const result = matches(value);
    if (results.size < MAX_CACHED) results.set(value, result);
    return result;
  };
}

/** The range of receipts, `toMs` exclusive, outside which no event matches a query for events. */
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
