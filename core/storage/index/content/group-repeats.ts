import type { FingerprintedEvent } from '../../../contract/stages.js';
import { unqualifiedName } from '../../../event/class-name.js';
import { type RawPayload, repeatsOf } from '../../../event/raw-payload.js';
import type { GroupingResult } from '../../../fingerprint/fingerprint.js';
import { unlessUnusable } from '../documents/index-fault.js';
import { type FindStored, findEventOrOrigin } from './find-events.js';
import type { IndexContent } from './index-content.js';
import type { IssueState } from './issue-state.js';

/** An event that repeats an occurrence, with the fingerprint that its own content has. */
interface RepeatedReport {
  readonly payload: Pick<RawPayload, 'app' | 'service' | 'error_name'>;
  readonly fingerprint: GroupingResult;
}

/**
 * Returns the fingerprint of an event that repeats an occurrence: that of `counted`, the issue which counts it, if both report the same class
 * of one service, and `counted` is not grouped by less than the event tells. Else its own: a log line and an exception, or reports under
 * different names, stay two issues. Arriving and replayed events are grouped by this function.
 */
export function fingerprintOfRepeat({ payload, fingerprint }: RepeatedReport, counted: IssueState): GroupingResult {
  const className = unqualifiedName(payload.error_name);
  const isSameService = counted.app === payload.app && counted.service === payload.service;
  const isSameClass = className !== '' && className === unqualifiedName(counted.errorName);
  const lacksFrames = counted.culprit === null && fingerprint.culprit !== null;
  // One commit record has one version.
  const isSameVersion = counted.fingerprintVersion === fingerprint.version;
  if (!isSameService || !isSameClass || lacksFrames || !isSameVersion) return fingerprint;
  const { fingerprint: value, fingerprintVersion: version, title, culprit } = counted;
  return { value, version, title, culprit };
}

/** Whether an event repeats an occurrence that another event counts. */
export function hasRepeats(events: readonly FingerprintedEvent[]): boolean {
  return events.some(({ payload }) => repeatsOf(payload.extra) !== undefined);
}

/** Groups arriving events that repeat an occurrence; `findStored` translates ids of other collectors. */
export async function groupRepeats(
  events: readonly FingerprintedEvent[],
  content: IndexContent,
  findStored: FindStored,
): Promise<readonly FingerprintedEvent[]> {
  return await Promise.all(events.map((event) => groupRepeat(event, content, findStored)));
}

async function groupRepeat(
  event: FingerprintedEvent,
  content: IndexContent,
  findStored: FindStored,
): Promise<FingerprintedEvent> {
  const repeats = repeatsOf(event.payload.extra);
  if (repeats === undefined) return event;
  const first = await unlessUnusable(() => findEventOrOrigin(content, repeats, findStored), undefined);
  // An event that repeats another one counts nothing, so that there are no chains to follow.
  const issue = first !== undefined && first.row.repeats === undefined ? content.issues.inOrder[first.row.ordinal] : undefined;
  return issue === undefined ? event : { ...event, fingerprint: fingerprintOfRepeat(event, issue) };
}
