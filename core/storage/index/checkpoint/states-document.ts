import type { IssueState, StringPool } from '../content/issue-state.js';
import { decodeUsers, encodeUsers, usersOf } from '../content/user-sketch.js';
import { Dictionary } from '../documents/dictionary.js';
import { DocumentFields } from '../documents/document-fields.js';

/** Counting makes a new list of it. */
const EMPTY: number[] = [];

/**
 * What events change in issues that follow each other, as columns; times are written as distances, which are short.
 * `segmentsOf` gives, newest first, the numbers of the segments that hold an issue's events, down to the first that is sure to be on disk:
 * those above it may come out otherwise when the record is replayed after a crash.
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
    ...encodeSampled(issues),
    level: issues.map((issue) => words.place(issue.level)),
    type: issues.map((issue) => words.place(issue.type)),
    last_seen_age_ms: issues.map((issue) => throughMs - issue.lastSeenMs),
    last_seen_nanos: issues.map((issue) => issue.lastSeenNanos),
    seen_for_ms: issues.map((issue) => issue.lastSeenMs - issue.firstSeenMs),
    first_seen_nanos: issues.map((issue) => issue.firstSeenNanos),
    last_received_age: issues.map((issue) => throughMicros - issue.lastReceivedAtMicros),
    segment_counts: lengthsOf(segments),
    segments: segments.flat(),
    environments: issues.map((issue) => lists.place(JSON.stringify(issue.environments))),
    releases: issues.map((issue) => lists.place(JSON.stringify(issue.releases))),
    release_ages: issues.flatMap((issue) => issue.releasesReceivedAtMicros.map((micros) => throughMicros - micros)),
    hour_counts: lengthsOf(issues.map((issue) => issue.hours)),
    hours: issues.flatMap((issue) => issue.hours),
    ...encodeUsers(issues.map(usersOf)),
    words: words.texts(),
    lists: lists.texts().map((list): unknown => JSON.parse(list)),
  };
}

/** What was read of a shard besides its issues. */
export interface DecodedStates {
  /** The receipt up to which its issues are counted. */
  readonly throughMicros: number;
  /** Whether it names segments that are not on disk: their numbers are given anew in replay, so it must be written again. */
  readonly namesLostSegments: boolean;
}

/** Fills in the issues from what `encodeStates` made of them; `segments` tells how many segments are on disk. Throws `INDEX_UNUSABLE`. */
export function decodeStates(
  path: string,
  data: unknown,
  issues: readonly IssueState[],
  segments: number,
  pool: StringPool,
): DecodedStates {
  const fields = new DocumentFields(path, data);
  const throughMicros = fields.count('through');
  const throughMs = Math.floor(throughMicros / 1000);
  const words = fields.texts('words').map((word) => pool.share(word));
  const lists = fields.textLists('lists').map((list) => list.map((name) => pool.share(name)));
  const column = (key: string): number[] => fields.integers(key, issues.length);
  const pick = <Value>(key: string, from: readonly Value[]): Value[] =>
    column(key).map((place) => {
      const value = from[place];
      if (value === undefined) throw fields.unusable(key);
      return value;
    });
  const counts = column('count');
  const removed = column('removed');
  const sampled = fields.has('sampled') ? column('sampled') : EMPTY;
  const removedSampled = fields.has('removed_sampled') ? column('removed_sampled') : EMPTY;
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
  const hours = cut(fields, 'hours', fields.integers('hours'), column('hour_counts'));
  const segmentLists = cut(fields, 'segments', fields.integers('segments'), column('segment_counts'));
  const users = decodeUsers(fields, issues.length, issues[0]?.ordinal ?? 0);
  issues.forEach((issue, place) => {
    issue.count = counts[place] ?? 0;
    issue.removed = removed[place] ?? 0;
    issue.sampled = sampled[place] ?? 0;
    issue.removedSampled = removedSampled[place] ?? 0;
    issue.level = levels[place] ?? '';
    issue.type = types[place] ?? '';
    issue.lastSeenMs = throughMs - (lastSeenAges[place] ?? 0);
    issue.lastSeenNanos = lastSeenNanos[place] ?? 0;
    issue.firstSeenMs = issue.lastSeenMs - (seenFor[place] ?? 0);
    issue.firstSeenNanos = firstSeenNanos[place] ?? 0;
    issue.lastReceivedAtMicros = throughMicros - (receivedAges[place] ?? 0);
    issue.environments = environments[place] ?? [];
    issue.releases = releases[place] ?? [];
    issue.releasesReceivedAtMicros = receiptLists[place] ?? EMPTY;
    issue.hours = hours[place] ?? EMPTY;
    if (users !== undefined) issue.users = users;
    issue.lastSegment = segmentLists[place]?.find((number) => number < segments) ?? -1;
  });
  return { throughMicros, namesLostSegments: segmentLists.some(([newest = -1]) => newest >= segments) };
}

/** Left out where all events of all issues are stored, as they nearly always are. */
function encodeSampled(issues: readonly IssueState[]): { sampled?: number[]; removed_sampled?: number[] } {
  return {
    ...(issues.some(({ sampled }) => sampled > 0) && { sampled: issues.map(({ sampled }) => sampled) }),
    ...(issues.some(({ removedSampled }) => removedSampled > 0) && {
      removed_sampled: issues.map(({ removedSampled }) => removedSampled),
    }),
  };
}

function lengthsOf(lists: readonly (readonly unknown[])[]): number[] {
  return lists.map(({ length }) => length);
}

/** The lists of a column, which stand one after the other: a list of 100,000 short ones takes twice as long to parse. */
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
