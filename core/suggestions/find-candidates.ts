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

/** How messages are split, and which parts may vary. */
interface Shape {
  readonly separator: string;
  readonly mayVary: (place: number, count: number) => boolean;
}

const SHAPES: readonly Shape[] = [
  { separator: ' ', mayVary: () => true },
  { separator: ': ', mayVary: (place, count) => place === 0 || place === count - 1 },
];

/** Finds candidates, most events first, in slices of time. */
export async function findCandidates(issues: readonly ComparedIssue[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const shape of SHAPES) {
    for (const alike of await alikeRows(issues, shape.separator)) {
      await addCandidates(candidates, issues, alike, shape);
    }
  }
  keepLargest(candidates);
  return candidates;
}

function keepLargest(candidates: Candidate[]): void {
  candidates.sort((one, other) => other.eventsTotal - one.eventsTotal).splice(MAX_CANDIDATES);
}

/** The issues of one app, service, type and culprit whose messages have equally many parts. */
interface AlikeRows {
  readonly rows: readonly number[];
  readonly count: number;
}

async function alikeRows(issues: readonly ComparedIssue[], separator: string): Promise<AlikeRows[]> {
  const slice = beginTimeSlice();
  const byKind = new Map<string, { rows: number[]; count: number }>();
  for (const [row, issue] of issues.entries()) {
    if (slice.isOver) await slice.next();
    const count = partsOf(issue, separator).length;
    if (count === 1 || count > MAX_PARTS) continue;
    const kind = JSON.stringify([issue.app, issue.service, issue.errorName, issue.culprit, count]);
    const alike = byKind.get(kind);
    if (alike === undefined) byKind.set(kind, { rows: [row], count });
    else alike.rows.push(row);
  }
  return [...byKind.values()].filter(({ rows }) => rows.length >= MIN_VALUES);
}

/** Adds a candidate for each part in which five or more of these issues differ, and in nothing else. */
async function addCandidates(
  candidates: Candidate[],
  issues: readonly ComparedIssue[],
  { rows, count }: AlikeRows,
  { separator, mayVary }: Shape,
): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    if (!mayVary(place, count)) continue;
    for (const equalRows of await rowsByRest(issues, rows, separator, place)) {
      const candidate = await candidateOf(issues, equalRows, separator, place);
      if (candidate !== undefined) candidates.push(candidate);
      if (candidates.length > 2 * MAX_CANDIDATES) keepLargest(candidates);
    }
  }
}

/** Groups rows whose messages are equal but for the part at `place`. */
async function rowsByRest(
  issues: readonly ComparedIssue[],
  rows: readonly number[],
  separator: string,
  place: number,
): Promise<number[][]> {
  const slice = beginTimeSlice();
  const byRest = new Map<string, number[]>();
  for (const row of rows) {
    if (slice.isOver) await slice.next();
    const issue = issues[row];
    if (issue === undefined) continue;
    const rest = partsOf(issue, separator).with(place, '').join(separator);
    const equalRows = byRest.get(rest);
    if (equalRows === undefined) byRest.set(rest, [row]);
    else equalRows.push(row);
  }
  return [...byRest.values()].filter(({ length }) => length >= MIN_VALUES);
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
  const largest: ComparedIssue[] = [];
  let eventsTotal = 0;
  for (const row of rows) {
    if (slice.isOver) await slice.next();
    const issue = issues[row];
    if (issue === undefined) continue;
    values.add(partsOf(issue, separator)[place] ?? '');
    eventsTotal += issue.count;
    if (largest.length === MAX_ISSUES && issue.count <= (largest.at(-1)?.count ?? 0)) continue;
    largest.push(issue);
    largest.sort((one, other) => other.count - one.count).splice(MAX_ISSUES);
  }
  const [first, ...others] = largest;
  if (first === undefined || values.size < MIN_VALUES) return undefined;
  return { issues: [first, ...others], parts: partsOf(first, separator), place, separator, values, rows, eventsTotal };
}

function partsOf(issue: ComparedIssue, separator: string): string[] {
  return messageOf(issue).split(separator);
}

/** The first line of an issue's message with its values replaced: its title, without the type. */
export function messageOf({ title, errorName }: ComparedIssue): string {
  const type = `${errorName}: `;
  return title.startsWith(type) ? title.slice(type.length) : title;
}
