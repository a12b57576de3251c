import type { FingerprintedEvent } from '../../../contract/stages.js';
import { printsClass, unqualifiedName } from '../../../event/class-name.js';
import type { EventId } from '../../../event/ids.js';
import { type RawPayload, repeatsOf, withRepeats } from '../../../event/raw-payload.js';
import type { GroupingResult } from '../../../fingerprint/fingerprint.js';
import { payloadOf } from '../../record/reader/decode-line.js';
import type { RecordReader } from '../../record/reader/record-reader.js';
import { unlessUnusable } from '../documents/index-fault.js';
import { eventIdOf } from '../read-event.js';
import { type FindStored, findEventOrOrigin } from './find-events.js';
import type { IndexContent } from './index-content.js';
import type { IssueState } from './issue-state.js';

/** An event that repeats an occurrence, with the fingerprint that its own content has. */
interface RepeatedReport {
  readonly payload: Pick<RawPayload, 'app' | 'service' | 'error_name'>;
  readonly fingerprint: GroupingResult;
}

/** Stacks of two reports, read only if the names of their classes differ. */
interface ReportedStacks {
  readonly own: string | null;
  readonly counted: string | null;
}

/**
 * Returns the fingerprint of an event that repeats an occurrence: that of `counted`, the issue which counts it, if both are of one service
 * and report the same class or one the other as a cause, and `counted` is not grouped by less than the event tells. Else its own: a log line
 * and an exception, or reports under different names, stay two issues. Arriving and replayed events are grouped by this function.
 */
export async function fingerprintOfRepeat(
  { payload, fingerprint }: RepeatedReport,
  counted: IssueState,
  readStacks: () => Promise<ReportedStacks>,
): Promise<GroupingResult> {
  const isSameService = counted.app === payload.app && counted.service === payload.service;
  const lacksFrames = counted.culprit === null && fingerprint.culprit !== null;
  // One commit record has one version.
  const isSameVersion = counted.fingerprintVersion === fingerprint.version;
  if (!isSameService || lacksFrames || !isSameVersion) return fingerprint;
  const [own, other] = [payload.error_name, counted.errorName].map(unqualifiedName);
  if (!own || !other) return fingerprint;
  if (own !== other && !isCause(own, other, await readStacks())) return fingerprint;
  const { fingerprint: value, fingerprintVersion: version, title, culprit } = counted;
  return { value, version, title, culprit };
}

/** Whether the stack of one report prints the class of the other. */
function isCause(ownClass: string, countedClass: string, { own, counted }: ReportedStacks): boolean {
  return printsClass(own ?? '', countedClass) || printsClass(counted ?? '', ownClass);
}

/** Whether an event repeats an occurrence that another event counts. */
export function hasRepeats(events: readonly FingerprintedEvent[]): boolean {
  return events.some(({ payload }) => repeatsOf(payload.extra) !== undefined);
}

interface GroupRepeatsOptions {
  readonly content: IndexContent;
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Translates ids of other collectors. */
  readonly findStored: FindStored;
}

/** Groups arriving events that repeat an occurrence; a mark of another collector becomes that of the event here. */
export async function groupRepeats(
  events: readonly FingerprintedEvent[],
  options: GroupRepeatsOptions,
): Promise<readonly FingerprintedEvent[]> {
  return await Promise.all(events.map((event) => groupRepeat(event, options)));
}

async function groupRepeat(
  event: FingerprintedEvent,
  { content, record, findStored }: GroupRepeatsOptions,
): Promise<FingerprintedEvent> {
  const repeats = repeatsOf(event.payload.extra);
  if (repeats === undefined) return event;
  const first = await unlessUnusable(() => findEventOrOrigin(content, repeats, findStored), undefined);
  // An event that repeats another one counts nothing, so that there are no chains to follow.
  const issue =
    first !== undefined && first.row.repeats === undefined ? content.issues.inOrder[first.row.ordinal] : undefined;
  if (first === undefined || issue === undefined) return event;
  const readStacks = async (): Promise<ReportedStacks> => {
    const { partition, offset, bytes } = first.row;
    const line = await record.readAt(partition, offset, bytes);
    const own = event.encoded === undefined ? event.payload : payloadOf(event.encoded);
    return { own: own?.stack ?? null, counted: (line && payloadOf(line)?.stack) ?? null };
  };
  return {
    ...markedHere(event, eventIdOf(first.row)),
    fingerprint: await fingerprintOfRepeat(event, issue, readStacks),
  };
}

/** The event with the mark of the event that it repeats in this folder. Its line stays the same otherwise, because the log of origins recognises it by that. */
function markedHere(event: FingerprintedEvent, repeats: EventId): FingerprintedEvent {
  const sent = repeatsOf(event.payload.extra);
  if (sent === undefined || sent === repeats) return event;
  if (event.encoded === undefined) return { ...event, payload: withRepeats(event.payload, repeats) };
  const line = Buffer.from(event.encoded);
  const at = line.indexOf(`"repeats":"${sent}"`);
  // Lines that Faultline wrote have this form.
  if (at < 0) return event;
  line.write(repeats, at + '"repeats":"'.length, 'latin1');
  return { ...event, encoded: line, payload: withRepeats(event.payload, repeats) };
}
