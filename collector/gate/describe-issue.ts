import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId } from '../../core/event/ids.js';
import { cutText, plainText } from '../../core/event/text.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { IssueSummary, SuspectCommit } from '../../generated/reader-answers.js';
import type { GateIssue } from './gate-report.js';
import { createSourceLocations, type SourceLocation } from './source-locations.js';

const MAX_TITLE = 300;
/** Failures whose commits are looked up, each for at most 2 s. */
const MAX_BLAMED = 20;

/** An issue that a gate saw. */
export interface SeenIssue extends Pick<GateIssue, 'events' | 'state' | 'is_failure'> {
  readonly issue: IssueSummary;
  /** Its latest event; undefined if that was removed. */
  readonly latest: EventId | undefined;
}

type Reader = Pick<FailureReader, 'getEvent' | 'getIssue'>;

/** Describes issues for reports, with places in files below a folder; the first failures with the suspect commit that the reader names. */
export async function describeIssues(reader: Reader, folder: string, seen: readonly SeenIssue[]): Promise<GateIssue[]> {
  const locate = await createSourceLocations(folder);
  const blamed = new Set(seen.filter(({ is_failure }) => is_failure).slice(0, MAX_BLAMED));
  const described: GateIssue[] = [];
  // One by one, because a search that waits for others would end without a commit.
  for (const seenIssue of seen) {
    const commit = blamed.has(seenIssue)
      ? ((await reader.getIssue(seenIssue.issue.issue_id))?.suspect_commit ?? null)
      : null;
    described.push(await describeIssue(reader, locate, seenIssue, commit));
  }
  return described;
}

/** The title is that of the event, because the one of the issue lacks the values that tell what failed. */
async function describeIssue(
  reader: Reader,
  locate: (stack: string | null) => Promise<SourceLocation | null>,
  { issue, latest, events, state, is_failure }: SeenIssue,
  suspect_commit: SuspectCommit | null,
): Promise<GateIssue> {
  const payload = latest === undefined ? undefined : (await reader.getEvent(latest))?.raw.payload;
  const title = payload !== undefined ? failureTitle(payload.error_name, plainText(payload.message)) : issue.title;
  return {
    issue_id: issue.issue_id,
    app: plainText(issue.app),
    service: plainText(issue.service),
    fingerprint: issue.fingerprint,
    title: cutText(plainText(title), MAX_TITLE),
    culprit: issue.culprit === null ? null : plainText(issue.culprit),
    level: issue.level,
    events,
    state,
    is_failure,
    location: await locate(payload?.stack ?? null),
    suspect_commit,
  };
}
