import type { SearchableIssue } from '../query/searchable.js';
import { beginTimeSlice } from '../time-slice.js';

/** What suggestions need of an issue. */
export type ComparedIssue = Pick<
  SearchableIssue,
  'issueId' | 'app' | 'service' | 'errorName' | 'culprit' | 'title' | 'count'
>;

/** Issues of one app, service, type and culprit that are equal but for one part of their messages. */
export interface Candidate {
  /** The one with the most events. */
  readonly issue: ComparedIssue;
  /** Most events first. */
  readonly issues: readonly ComparedIssue[];
  /** The message of `issue`, split at `separator`; the part at `place` varies. */
  readonly parts: readonly string[];
  readonly place: number;
  readonly separator: string;
  /** Distinct. */
  readonly values: readonly string[];
}

/** Distinct values of the part that varies. */
export const MIN_VALUES = 5;
const MAX_PARTS = 48;
/** Above the number of issues, so that a hash of 32 bits and an index fit into one double. */
const HASH_STEP = 2 ** 21;
/** How messages are split, and which parts may vary. */
const SHAPES = [
  { separator: ' ', mayVary: () => true },
  { separator: ': ', mayVary: (place: number, count: number) => place === 0 || place === count - 1 },
];

/** Finds all candidates, in slices of time and with a few numbers of memory for each issue. */
export async function findCandidates(issues: readonly ComparedIssue[]): Promise<Candidate[]> {
  const slice = beginTimeSlice();
  const found: Candidate[] = [];
  for (const { separator, mayVary } of SHAPES) {
    const starts = new Int32Array(issues.length + 1);
    for (const [index, issue] of issues.entries()) {
      if (slice.isOver) await slice.next();
      const { length } = partsOf(issue, separator);
      starts[index + 1] = (starts[index] ?? 0) + (length > 1 && length <= MAX_PARTS ? length : 0);
    }
    const hashes = new Int32Array(starts.at(-1) ?? 0);
    const sums = new Int32Array(issues.length);
    for (const [index, issue] of issues.entries()) {
      if (slice.isOver) await slice.next();
      const start = starts[index] ?? 0;
      const count = (starts[index + 1] ?? 0) - start;
      if (count === 0) continue;
      let sum = hashOf(kindOf(issue), count);
      for (const [place, part] of partsOf(issue, separator).entries()) {
        hashes[start + place] = hashOf(part, place);
        sum += hashes[start + place] ?? 0;
      }
      sums[index] = sum;
    }
    for (let place = 0; place < MAX_PARTS; place += 1) {
      if (slice.isOver) await slice.next();
      const keys = new Float64Array(issues.length);
      let used = 0;
      for (let index = 0; index < issues.length; index += 1) {
        const start = starts[index] ?? 0;
        const count = (starts[index + 1] ?? 0) - start;
        if (place >= count || !mayVary(place, count)) continue;
        const rest = ((sums[index] ?? 0) - (hashes[start + place] ?? 0)) | 0;
        keys[used++] = rest * HASH_STEP + index;
      }
      for (const run of equalRuns(keys.subarray(0, used).sort())) {
        if (slice.isOver) await slice.next();
        const candidate = candidateOf(
          run.flatMap((index) => issues[index] ?? []),
          separator,
          place,
        );
        if (candidate !== undefined) found.push(candidate);
      }
    }
  }
  return found;
}

/** Yields the indexes of at least `MIN_VALUES` equal hashes. */
function* equalRuns(sorted: Float64Array): Generator<number[]> {
  let from = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    const base = Math.floor((sorted[from] ?? 0) / HASH_STEP);
    if (at < sorted.length && Math.floor((sorted[at] ?? 0) / HASH_STEP) === base) continue;
    if (at - from >= MIN_VALUES) yield Array.from(sorted.subarray(from, at), (key) => key - base * HASH_STEP);
    from = at;
  }
}

/** Undefined if too few of the issues are equal in fact. */
function candidateOf(similar: readonly ComparedIssue[], separator: string, place: number): Candidate | undefined {
  const restOf = (one: ComparedIssue): string =>
    JSON.stringify([kindOf(one), ...partsOf(one, separator).toSpliced(place, 1)]);
  const rests = similar.map(restOf);
  const issues = similar.filter((_, at) => rests[at] === rests[0]).sort((one, other) => other.count - one.count);
  const [issue] = issues;
  const values = [...new Set(issues.map((one) => partsOf(one, separator)[place] ?? ''))];
  if (issue === undefined || values.length < MIN_VALUES) return undefined;
  return { issue, issues, parts: partsOf(issue, separator), place, separator, values };
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
