import { type IssueMemory, type IssueState, usersOf } from '../content/issue-state.js';
import { Dictionary, DocumentFields } from '../documents/document-fields.js';
import { decodeUsers, encodeUsers } from '../segments/user-sketch.js';

/** Shared; replaced, never changed. */
const EMPTY: number[] = [];

/**
 * Encodes what events change in consecutive issues, as columns; times are stored as distances. `segmentsOf` returns the numbers of an
 * issue's segments, newest first, down to the first that is on disk: a replay may number those above it otherwise.
 */
export function encodeStates(
  issues: readonly IssueState[],
  throughMicros: number,
  segmentsOf: (issue: IssueState) => readonly number[],
): object {
  const words = new Dictionary();
  const lists = new Dictionary();
  const throughMs = Math.floor(throughMicros / 1000);
  const segments = issues.map(segmentsOf);
  return {
    through: throughMicros,
    count: issues.map((issue) => issue.count),
    removed: issues.map((issue) => issue.removed),
    ...rareCounts(issues),
    level: issues.map((issue) => words.codeOf(issue.level)),
    type: issues.map((issue) => words.codeOf(issue.type)),
    last_seen_age_ms: issues.map((issue) => throughMs - issue.lastSeenMs),
    last_seen_nanos: issues.map((issue) => issue.lastSeenNanos),
    seen_for_ms: issues.map((issue) => issue.lastSeenMs - issue.firstSeenMs),
    first_seen_nanos: issues.map((issue) => issue.firstSeenNanos),
    last_received_age: issues.map((issue) => throughMicros - issue.lastReceivedAtMicros),
    segment_counts: lengthsOf(segments),
    segments: segments.flat(),
    environments: issues.map((issue) => lists.codeOf(JSON.stringify(issue.environments))),
    releases: issues.map((issue) => lists.codeOf(JSON.stringify(issue.releases))),
    release_ages: issues.flatMap((issue) => issue.releasesReceivedAtMicros.map((micros) => throughMicros - micros)),
    release_spans: issues.flatMap(({ releasesReceivedAtMicros: last, releasesFirstReceivedAtMicros: first }) =>
      last.map((micros, index) => micros - (first[index] ?? 0)),
    ),
    hour_counts: lengthsOf(issues.map((issue) => issue.hours)),
    hours: issues.flatMap((issue) => issue.hours),
    ...encodeUsers(issues.map(usersOf)),
    words: words.texts(),
    lists: lists.texts().map((list): unknown => JSON.parse(list)),
  };
}

/** Columns by the field that they hold; absent if it is 0 in all issues, the common case. */
const RARE_COUNTS = {
  sampled: 'sampled',
  repeated: 'repeated',
  removed_sampled: 'removedSampled',
  removed_repeated: 'removedRepeated',
} as const;

function rareCounts(issues: readonly IssueState[]): object {
  const columns: Record<string, number[]> = {};
  for (const [column, field] of Object.entries(RARE_COUNTS)) {
    if (issues.some((issue) => issue[field] !== 0)) columns[column] = issues.map((issue) => issue[field]);
  }
  return columns;
}

function readRareCounts(fields: DocumentFields, issues: readonly IssueState[]): void {
  for (const [column, field] of Object.entries(RARE_COUNTS)) {
    const counts = fields.has(column) ? fields.integers(column, issues.length) : EMPTY;
    for (const [index, issue] of issues.entries()) issue[field] = counts[index] ?? 0;
  }
}

interface DecodedStates {
  /** The last receipt that its issues count. */
  readonly throughMicros: number;
  /** Whether it names segments that are not on disk: the replay renumbers them, so the shard must be written again. */
  readonly namesLostSegments: boolean;
}

/** Decodes `encodeStates` into the issues; `segments` is the number of segments on disk. Throws `INDEX_UNUSABLE`. */
export function decodeStates(
  path: string,
  data: unknown,
  issues: readonly IssueState[],
  segments: number,
  memory: IssueMemory,
): DecodedStates {
  const fields = new DocumentFields(path, data);
  const throughMicros = fields.count('through');
  const throughMs = Math.floor(throughMicros / 1000);
  const words = fields.texts('words');
  const lists = fields.textLists('lists').map((list) => list.map((name) => memory.share(name)));
  const column = (key: string): number[] => fields.integers(key, issues.length);
  const pick = <Value>(key: string, from: readonly Value[]): Value[] =>
    column(key).map((index) => {
      const value = from[index];
      if (value === undefined) throw fields.unusable(key);
      return value;
    });
  const counts = column('count');
  const removed = column('removed');
  const levels = pick('level', words);
  const types = pick('type', words);
  const lastSeenAges = fields.times('last_seen_age_ms', issues.length);
  const lastSeenNanos = column('last_seen_nanos');
  const seenFor = fields.times('seen_for_ms', issues.length);
  const firstSeenNanos = column('first_seen_nanos');
  const receivedAges = fields.times('last_received_age', issues.length);
  const environments = pick('environments', lists);
  const releases = pick('releases', lists);
  const receipts = fields.times('release_ages').map((age) => throughMicros - age);
  const receiptLists = cut(fields, 'release_ages', receipts, lengthsOf(releases));
  const firstReceipts = fields.times('release_spans').map((span, index) => (receipts[index] ?? 0) - span);
  const firstReceiptLists = cut(fields, 'release_spans', firstReceipts, lengthsOf(releases));
  const hours = cut(fields, 'hours', fields.integers('hours'), column('hour_counts'));
  const segmentLists = cut(fields, 'segments', fields.integers('segments'), column('segment_counts'));
  const users = decodeUsers(fields, issues.length, issues[0]?.ordinal ?? 0);
  readRareCounts(fields, issues);
  issues.forEach((issue, index) => {
    issue.count = counts[index] ?? 0;
    issue.removed = removed[index] ?? 0;
    issue.level = levels[index] ?? '';
    issue.type = types[index] ?? '';
    issue.lastSeenMs = throughMs - (lastSeenAges[index] ?? 0);
    issue.lastSeenNanos = lastSeenNanos[index] ?? 0;
    issue.firstSeenMs = issue.lastSeenMs - (seenFor[index] ?? 0);
    issue.firstSeenNanos = firstSeenNanos[index] ?? 0;
    issue.lastReceivedAtMicros = throughMicros - (receivedAges[index] ?? 0);
    issue.environments = environments[index] ?? [];
    issue.releases = releases[index] ?? [];
    issue.releasesReceivedAtMicros = receiptLists[index] ?? EMPTY;
    issue.releasesFirstReceivedAtMicros = firstReceiptLists[index] ?? EMPTY;
    issue.hours = hours[index] ?? EMPTY;
    if (users !== undefined) issue.users = users;
    issue.lastSegment = segmentLists[index]?.find((number) => number < segments) ?? -1;
  });
  return { throughMicros, namesLostSegments: segmentLists.some(([newest = -1]) => newest >= segments) };
}

function lengthsOf(lists: readonly (readonly unknown[])[]): number[] {
  return lists.map(({ length }) => length);
}

/** Splits a column into lists: one long list parses faster than 100,000 short ones. */
function cut(fields: DocumentFields, key: string, numbers: number[], lengths: readonly number[]): number[][] {
  let end = 0;
  const lists = lengths.map((length) => {
    if (length < 0) throw fields.unusable(key);
    const first = end;
    end += length;
    return length === 0 ? EMPTY : numbers.slice(first, end);
  });
  if (end !== numbers.length) throw fields.unusable(key);
  return lists;
}
