import { isFingerprint, toIssueId } from '../../../event/ids.js';
import { type HourCounts, type IssueHeader, IssueState, type SharedTexts } from '../content/issue-state.js';
import { Dictionary, DocumentFields } from '../documents/document-fields.js';
import { decodeUsers, encodeUsers } from '../segments/user-sketch.js';

/** Encodes the headers of consecutive issues as columns: a list for each field, in the order of the issues. */
export function encodeIssueHeaders(headers: readonly IssueHeader[]): object {
  const names = new Dictionary();
  return {
    issue_id: headers.map((header) => header.issueId),
    fingerprint: headers.map((header) => header.fingerprint),
    fingerprint_version: headers.map((header) => header.fingerprintVersion),
    app: headers.map((header) => names.codeOf(header.app)),
    service: headers.map((header) => names.codeOf(header.service)),
    title: headers.map((header) => header.title),
    culprit: headers.map((header) => header.culprit),
    error_name: headers.map((header) => names.codeOf(header.errorName)),
    message: headers.map((header) => header.message),
    first_received_at: headers.map((header) => header.firstReceivedAtMicros),
    first_release: headers.map((header) => names.codeOf(header.firstRelease)),
    names: names.texts(),
  };
}

/** Decodes `encodeIssueHeaders` into `count` issues without events, from the ordinal `first`. Throws `INDEX_UNUSABLE`. */
export function decodeIssueHeaders(
  path: string,
  data: unknown,
  { first, count }: { readonly first: number; readonly count: number },
  texts: SharedTexts,
): IssueState[] {
  const fields = new DocumentFields(path, data);
  const names = fields.texts('names').map((name) => texts.share(name));
  const ids = fields.texts('issue_id', count);
  const fingerprints = fields.texts('fingerprint', count);
  const versions = fields.integers('fingerprint_version', count);
  const apps = pick(fields, 'app', count, names);
  const services = pick(fields, 'service', count, names);
  const titles = fields.texts('title', count);
  const culprits = fields.textsOrNulls('culprit', count);
  const errorNames = pick(fields, 'error_name', count, names);
  const messages = fields.texts('message', count);
  const firstReceivedAt = fields.integers('first_received_at', count);
  const firstReleases = pick(fields, 'first_release', count, names);
  return ids.map((id, index) => {
    const issueId = toIssueId(id);
    const fingerprint = fingerprints[index] ?? '';
    if (issueId === undefined) throw fields.unusable('issue_id');
    if (!isFingerprint(fingerprint)) throw fields.unusable('fingerprint');
    const header: IssueHeader = {
      issueId,
      fingerprint,
      fingerprintVersion: versions[index] ?? 0,
      app: apps[index] ?? '',
      service: services[index] ?? '',
      title: titles[index] ?? '',
      culprit: culprits[index] ?? null,
      errorName: errorNames[index] ?? '',
      message: messages[index] ?? '',
      firstReceivedAtMicros: firstReceivedAt[index] ?? 0,
      firstRelease: firstReleases[index] ?? '',
    };
    return new IssueState(header, first + index);
  });
}

/** Columns of counts; one that is 0 in all issues, as is common, is left out. */
const COUNTS = {
  count: 'count',
  sampled: 'sampled',
  repeated: 'repeated',
  removed: 'removed',
  removed_sampled: 'removedSampled',
  removed_repeated: 'removedRepeated',
} as const;

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
    ...encodeCounts(issues),
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
    ...encodeUsers(issues.map((issue) => issue.users)),
    words: words.texts(),
    lists: lists.texts().map((list): unknown => JSON.parse(list)),
  };
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
  texts: SharedTexts,
): DecodedStates {
  const fields = new DocumentFields(path, data);
  const throughMicros = fields.count('through');
  decodeCounts(fields, issues);
  decodeTimes(fields, issues, throughMicros);
  decodeNames(fields, issues, throughMicros, texts);
  const hours = decodeHours(fields, issues.length);
  const users = decodeUsers(fields, issues.length);
  const segmentLists = cut(fields, 'segments', fields.integers('segments'), column(fields, 'segment_counts', issues));
  for (const [index, issue] of issues.entries()) {
    issue.hours = hours[index] ?? [];
    issue.users = users[index] ?? issue.users;
    issue.lastSegment = segmentLists[index]?.find((number) => number < segments) ?? -1;
  }
  return { throughMicros, namesLostSegments: segmentLists.some(([newest = -1]) => newest >= segments) };
}

function encodeCounts(issues: readonly IssueState[]): object {
  const columns: Record<string, number[]> = {};
  for (const [name, field] of Object.entries(COUNTS)) {
    if (issues.some((issue) => issue[field] !== 0)) columns[name] = issues.map((issue) => issue[field]);
  }
  return columns;
}

function decodeCounts(fields: DocumentFields, issues: readonly IssueState[]): void {
  for (const [name, field] of Object.entries(COUNTS)) {
    if (!fields.has(name)) continue;
    const counts = column(fields, name, issues);
    for (const [index, issue] of issues.entries()) issue[field] = counts[index] ?? 0;
  }
}

function decodeTimes(fields: DocumentFields, issues: readonly IssueState[], throughMicros: number): void {
  const throughMs = Math.floor(throughMicros / 1000);
  const lastSeenAges = fields.integers('last_seen_age_ms', issues.length);
  const lastSeenNanos = column(fields, 'last_seen_nanos', issues);
  const seenFor = fields.integers('seen_for_ms', issues.length);
  const firstSeenNanos = column(fields, 'first_seen_nanos', issues);
  const receivedAges = fields.integers('last_received_age', issues.length);
  for (const [index, issue] of issues.entries()) {
    issue.lastSeenMs = throughMs - (lastSeenAges[index] ?? 0);
    issue.lastSeenNanos = lastSeenNanos[index] ?? 0;
    issue.firstSeenMs = issue.lastSeenMs - (seenFor[index] ?? 0);
    issue.firstSeenNanos = firstSeenNanos[index] ?? 0;
    issue.lastReceivedAtMicros = throughMicros - (receivedAges[index] ?? 0);
  }
}

function decodeNames(
  fields: DocumentFields,
  issues: readonly IssueState[],
  throughMicros: number,
  texts: SharedTexts,
): void {
  const words = fields.texts('words').map((word) => texts.share(word));
  const lists = fields.textLists('lists').map((list) => list.map((name) => texts.share(name)));
  const levels = pick(fields, 'level', issues.length, words);
  const types = pick(fields, 'type', issues.length, words);
  const environments = pick(fields, 'environments', issues.length, lists);
  const releases = pick(fields, 'releases', issues.length, lists);
  const receipts = fields.integers('release_ages').map((age) => throughMicros - age);
  const receiptLists = cut(fields, 'release_ages', receipts, lengthsOf(releases));
  const firstReceipts = fields.integers('release_spans').map((span, index) => (receipts[index] ?? 0) - span);
  const firstReceiptLists = cut(fields, 'release_spans', firstReceipts, lengthsOf(releases));
  for (const [index, issue] of issues.entries()) {
    issue.level = levels[index] ?? '';
    issue.type = types[index] ?? '';
    issue.environments = environments[index] ?? [];
    issue.releases = releases[index] ?? [];
    issue.releasesReceivedAtMicros = receiptLists[index] ?? [];
    issue.releasesFirstReceivedAtMicros = firstReceiptLists[index] ?? [];
  }
}

function decodeHours(fields: DocumentFields, issues: number): HourCounts[] {
  return cut(fields, 'hours', fields.integers('hours'), fields.integers('hour_counts', issues));
}

function column(fields: DocumentFields, key: string, { length }: readonly IssueState[]): number[] {
  return fields.integers(key, length);
}

/** Reads a column of indexes into a list of values. */
function pick<Value>(fields: DocumentFields, key: string, count: number, from: readonly Value[]): Value[] {
  return fields.integers(key, count).map((index) => {
    const value = from[index];
    if (value === undefined) throw fields.unusable(key);
    return value;
  });
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
    return numbers.slice(first, end);
  });
  if (end !== numbers.length) throw fields.unusable(key);
  return lists;
}
