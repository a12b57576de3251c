import type { FailureReader } from '../../../core/contract/reader.js';
import { unqualifiedName } from '../../../core/event/class-name.js';
import type { EventId } from '../../../core/event/ids.js';
import { levelOf } from '../../../core/event/level.js';
import { type RawPayload, repeatsOf, sampledOf, weightOf } from '../../../core/event/raw-payload.js';
import type { DataFolder } from '../../../core/storage/files/store-files.js';
import { createEventIds } from '../../../core/storage/record/partitions/event-id.js';
import { openRecordReader } from '../../../core/storage/record/reader/record-reader.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { everything } from './retention/folder-under-retention.js';

/** Whether an event belongs to an issue by its own content. */
export type IsOwnIssue = (payload: RawPayload, issue: IssueDetail) => boolean;

interface CountsOptions {
  readonly isOwn: IsOwnIssue;
  /** Whether retention removed events, which stay in times and names; default false. */
  readonly hasRemoved?: boolean;
}

/** Compares every issue with the raw lines of its events; returns the occurrences of all issues, removed ones included. */
export async function expectCountsOfRecord(
  reader: FailureReader,
  folder: DataFolder,
  { isOwn, hasRemoved = false }: CountsOptions,
): Promise<number> {
  const record = await recordedPayloads(folder);
  const { details, events } = await everything(reader);
  const listed: string[] = [];
  let occurrences = 0;
  for (const issue of details) {
    if (issue === undefined) throw new Error('an issue of the list does not exist');
    const ids = new Set(await withReports(reader, issue.issue_id, events[issue.issue_id] ?? []));
    listed.push(...ids);
    const payloads = [...record].flatMap(([id, payload]) => (ids.has(id) ? [payload] : []));
    expectCounts(issue, payloads);
    if (issue.merged.length === 0) expectOneFailure(issue, payloads, isOwn);
    if (!hasRemoved) expectFacts(issue, payloads);
    occurrences += issue.count + issue.removed_events;
  }
  expect(listed.sort()).toEqual([...record.keys()].sort());
  return occurrences;
}

/** Ids of listed events, and of the reports that are listed with them. */
async function withReports(reader: FailureReader, issueId: string, listed: readonly string[]): Promise<string[]> {
  const details = await Promise.all(listed.map((id) => reader.getEvent(id as EventId)));
  const reports = details.flatMap((detail) => detail?.reports ?? []).map(({ event }) => event);
  return [...listed, ...reports.filter(({ issue_id: id }) => id === issueId).map(({ event_id: id }) => id)];
}

/** By event id, in order of arrival. */
async function recordedPayloads({ files, directory }: DataFolder): Promise<Map<string, RawPayload>> {
  const found = new Map<string, RawPayload>();
  await using record = await openRecordReader({ files, directory });
  for await (const { receivedAtMicros, events } of record.replay({ afterMicros: 0 })) {
    for (const { partition, line, rawLine } of events) {
      found.set(createEventIds(partition, receivedAtMicros)(line), JSON.parse(rawLine.toString('utf8')));
    }
  }
  return found;
}

function expectCounts(issue: IssueDetail, payloads: readonly RawPayload[]): void {
  const counts = { count: 0, sampled: 0, repeated: 0 };
  for (const { extra } of payloads) {
    counts.count += weightOf(extra);
    counts.sampled += sampledOf(extra);
    counts.repeated += repeatsOf(extra) === undefined ? 0 : 1;
  }
  expect(issue).toMatchObject(counts);
}

/** An event is in an issue of its own names by its own content, or because it repeats a report of the same class. */
function expectOneFailure(issue: IssueDetail, payloads: readonly RawPayload[], isOwn: IsOwnIssue): void {
  for (const payload of payloads) {
    const { app, service, error_name: name, extra } = payload;
    expect([app, service]).toEqual([issue.app, issue.service]);
    const isSameClass = name !== '' && unqualifiedName(name) === unqualifiedName(issue.error_name);
    expect(isOwn(payload, issue) || (repeatsOf(extra) !== undefined && isSameClass)).toBe(true);
  }
}

/** Times, level and names come from the events that count, if there are any. */
function expectFacts(issue: IssueDetail, payloads: readonly RawPayload[]): void {
  const counting = payloads.filter(({ extra }) => weightOf(extra) > 0);
  const deciding = counting.length > 0 ? counting : payloads;
  const times = deciding.flatMap(({ timestamp }) => (timestamp === null ? [] : [Date.parse(timestamp)]));
  expect([issue.first_seen, issue.last_seen].map((time) => Date.parse(time))).toEqual([
    Math.min(...times),
    Math.max(...times),
  ]);
  expect(issue.environments).toEqual(namesIn(deciding.map(({ env }) => env)));
  expect(issue.releases.toSorted()).toEqual(namesIn(deciding.map(({ release }) => release)));
  // Merged issues may have received their last events at the same time.
  const last = deciding.at(-1);
  if (issue.merged.length === 0 && last !== undefined) expect(issue.level).toBe(levelOf(last));
}

function namesIn(all: readonly (string | null)[]): string[] {
  return [...new Set(all.flatMap((name) => name ?? []))].sort();
}
