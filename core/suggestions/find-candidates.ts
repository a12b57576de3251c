import type { SearchableIssue } from '../query/searchable.js';
import { beginTimeSlice } from '../time-slice.js';

/** What suggestions need of an issue. */
export type ComparedIssue = Pick<
  SearchableIssue,
  'issueId' | 'app' | 'service' | 'errorName' | 'culprit' | 'title' | 'message' | 'count'
>;

/** Issues of one app, service, type and culprit that are equal but for one part of their messages. */
export interface Candidate {
  /** Those with the most events, at most 20, in this order. */
  readonly issues: readonly [ComparedIssue, ...ComparedIssue[]];
  /** The message of the first issue, split at `separator`; the part at `place` varies. */
  readonly parts: readonly string[];
  readonly place: number;
  readonly separator: string;
  /** Distinct values. */
  readonly values: ReadonlySet<string>;
  /** Indexes of all issues. */
  readonly rows: readonly number[];
  readonly eventsTotal: number;
}

/** Distinct values of the part that varies. */
export const MIN_VALUES = 5;
const MAX_ISSUES = 20;
const MAX_CANDIDATES = 1_000;
const MAX_PARTS = 48;
/** Per part, so that sorting 100,000 issues does not block: a power of two. */
const SORTS = 4;
/** Above the number of issues, so that a hash of 32 bits and an index fit into one double. */
const HASH_STEP = 2 ** 21;
/** How messages are split, and which parts may vary. */
const SHAPES = [
  { separator: ' ', mayVary: () => true },
  { separator: ': ', mayVary: (place: number, count: number) => place === 0 || place === count - 1 },
];

/** Finds candidates, most events first, in slices of time and with a few numbers of memory for each issue. */
export async function findCandidates(issues: readonly ComparedIssue[]): Promise<Candidate[]> {
  const slice = beginTimeSlice();
  const found: Candidate[] = [];
  const keys = new Float64Array(issues.length);
  const sums = new Int32Array(issues.length);
  /** Of the parts of all issues, those of issue `index` from `starts[index]`. */
  let hashes = new Int32Array(8 * issues.length);
  const starts = new Int32Array(issues.length + 1);
  for (const { separator, mayVary } of SHAPES) {
    let most = 0;
    for (const [index, issue] of issues.entries()) {
      if (slice.isOver) await slice.next();
      const parts = partsOf(issue, separator);
      const count = parts.length > 1 && parts.length <= MAX_PARTS ? parts.length : 0;
      const start = starts[index] ?? 0;
      starts[index + 1] = start + count;
      most = Math.max(most, count);
      if (start + count > hashes.length) {
        const larger = new Int32Array(2 * hashes.length + MAX_PARTS);
        larger.set(hashes);
        hashes = larger;
      }
      let sum = hashOf(kindOf(issue), count);
      for (let place = 0; place < count; place += 1) {
        hashes[start + place] = hashOf(parts[place] ?? '', place);
        sum = (sum + (hashes[start + place] ?? 0)) | 0;
      }
      sums[index] = sum;
    }
    for (let step = 0; step < most * SORTS; step += 1) {
      if (slice.isOver) await slice.next();
      const place = Math.floor(step / SORTS);
      let used = 0;
      for (let index = 0; index < issues.length; index += 1) {
        const start = starts[index] ?? 0;
        const count = (starts[index + 1] ?? 0) - start;
        if (place >= count || !mayVary(place, count)) continue;
        const rest = ((sums[index] ?? 0) - (hashes[start + place] ?? 0)) | 0;
        if ((rest & (SORTS - 1)) === step % SORTS) keys[used++] = rest * HASH_STEP + index;
      }
      const sorted = keys.subarray(0, used).sort();
      if (slice.isOver) await slice.next();
      for (const rows of equalRuns(sorted)) {
        const candidate = await candidateOf(issues, rows, separator, place);
        if (candidate !== undefined) found.push(candidate);
        if (found.length > 2 * MAX_CANDIDATES) keepLargest(found);
      }
    }
  }
  keepLargest(found);
  return found;
}

function keepLargest(found: Candidate[]): void {
  found.sort((one, other) => other.eventsTotal - one.eventsTotal).splice(MAX_CANDIDATES);
}

/** Yields the indexes of at least `MIN_VALUES` equal hashes. */
function* equalRuns(sorted: Float64Array): Generator<number[]> {
  let from = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    const base = Math.floor((sorted[from] ?? 0) / HASH_STEP) * HASH_STEP;
    if (at < sorted.length && (sorted[at] ?? 0) < base + HASH_STEP) continue;
    if (at - from >= MIN_VALUES) yield Array.from(sorted.subarray(from, at), (key) => key - base);
    from = at;
  }
}

/** Undefined if the values are too few. */
async function candidateOf(
  issues: readonly ComparedIssue[],
  rows: readonly number[],
  separator: string,
  place: number,
): Promise<Candidate | undefined> {
  const slice = beginTimeSlice();
  const values = new Set<string>();
  const most: ComparedIssue[] = [];
  let rest: string | undefined;
  let eventsTotal = 0;
  for (const row of rows) {
    if (slice.isOver) await slice.next();
    const issue = issues[row];
    if (issue === undefined) continue;
    const parts = partsOf(issue, separator);
    const [value = ''] = parts.splice(place, 1);
    const others = JSON.stringify([kindOf(issue), parts]);
    rest ??= others;
    // Different texts may share a hash.
    if (others !== rest) continue;
    values.add(value);
    eventsTotal += issue.count;
    if (most.length === MAX_ISSUES && issue.count <= (most.at(-1)?.count ?? 0)) continue;
    most.push(issue);
    most.sort((one, other) => other.count - one.count).splice(MAX_ISSUES);
  }
  const [first, ...others] = most;
  if (first === undefined || values.size < MIN_VALUES) return undefined;
  return { issues: [first, ...others], parts: partsOf(first, separator), place, separator, values, rows, eventsTotal };
}

function kindOf({ app, service, errorName, culprit }: ComparedIssue): string {
  return JSON.stringify([app, service, errorName, culprit]);
}

function partsOf(issue: ComparedIssue, separator: string): string[] {
  return messageOf(issue).split(separator);
}

/** The first line of an issue's message with its values replaced: its title, without the type. */
export function messageOf({ title, errorName }: ComparedIssue): string {
  const type = `${errorName}: `;
  return title.startsWith(type) ? title.slice(type.length) : title;
}

/** FNV-1a. */
function hashOf(text: string, seed: number): number {
  let hash = Math.imul(seed + 1, 0x811c9dc5);
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
