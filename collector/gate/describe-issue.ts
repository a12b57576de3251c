import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId } from '../../core/event/ids.js';
import { cutText, plainText } from '../../core/event/text.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import type { GateIssue } from './gate-report.js';
import type { SourceLocation } from './source-locations.js';

const MAX_TITLE = 300;

/** An issue that a gate saw. */
interface SeenIssue extends Pick<GateIssue, 'events' | 'state' | 'is_failure'> {
  readonly issue: IssueSummary;
  /** Its latest event; undefined if that was removed. */
  readonly latest: EventId | undefined;
}

/** Describes an issue for reports. The title is that of the event, because the one of the issue lacks the values that tell what failed. */
export async function describeIssue(
  reader: Pick<FailureReader, 'getEvent'>,
  locate: (stack: string | null) => Promise<SourceLocation | null>,
  { issue, latest, events, state, is_failure }: SeenIssue,
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
  };
}
