import type { FingerprintedEvent } from '../../../contract/stages.js';
import { repeatsOf } from '../../../event/raw-payload.js';
import { unlessUnusable } from '../documents/index-fault.js';
import { findEvent } from './find-events.js';
import type { IndexContent } from './index-content.js';

/** Whether an event repeats an occurrence that another event counts. */
export function hasRepeats(events: readonly FingerprintedEvent[]): boolean {
  return events.some(({ payload }) => repeatsOf(payload.extra) !== undefined);
}

/** Groups arriving events that repeat an occurrence as the stored events that count it. */
export async function groupRepeats(
  events: readonly FingerprintedEvent[],
  content: IndexContent,
): Promise<readonly FingerprintedEvent[]> {
  return await Promise.all(events.map((event) => groupRepeat(event, content)));
}

async function groupRepeat(event: FingerprintedEvent, content: IndexContent): Promise<FingerprintedEvent> {
  const repeats = repeatsOf(event.payload.extra);
  if (repeats === undefined) return event;
  const counted = await unlessUnusable(() => findEvent(content, repeats), undefined);
  const issue = counted && content.issues.inOrder[counted.row.ordinal];
  // One commit record has one version.
  if (issue === undefined || issue.fingerprintVersion !== event.fingerprint.version) return event;
  const { fingerprint: value, fingerprintVersion: version, title, culprit } = issue;
  return { ...event, fingerprint: { value, version, title, culprit } };
}
