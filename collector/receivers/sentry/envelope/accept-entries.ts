import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/event/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import type { MappedRecord, RecordOutcome, Rejection } from '../../intake/intake.js';
import type { Claim } from '../../intake/new-report.js';
import { mapSentryEvent } from '../mapping/map-event.js';
import { mapSentryLog, originOfLog, sentryLogLevel } from '../mapping/map-log.js';
import { eventOfReport } from '../mapping/map-security.js';
import { asText, at } from '../mapping/map-values.js';
import type { SentryReceiverContext } from '../receiver-context.js';
import type { SentryContext } from '../sentry-context.js';
import { countOf, endClaim } from './failure-reports.js';
import { parseItemJson, rejectItem } from './item-json.js';
import type { SentItem } from './item-types.js';
import type { ReportClaim } from './repeated-reports.js';

/** The result of an item. */
export interface ItemResult {
  /** Only of an event: 32 lowercase hexadecimal characters. */
  readonly id?: string;
  /** Number of events or entries that were stored or filtered. */
  readonly accepted: number;
  /** The first rejection; undefined if all were accepted. */
  readonly rejection: Fault | undefined;
}

/** Returns how to map an entry; a code: it is filtered; undefined: its form is unknown. */
type EntryReader = (
  entry: JsonValue,
  context: SentryContext,
  receiver: SentryReceiverContext,
) => (() => JsonObject) | string | undefined;

const READERS: Readonly<Record<string, EntryReader>> = {
  log(entry, context, { minLogLevel }) {
    if (!isJsonObject(entry)) return undefined;
    return isAtLeastLevel(sentryLogLevel(entry), minLogLevel) ? () => mapSentryLog(entry, context) : 'SENTRY_LOG_LEVEL';
  },
  raw_security(entry, context) {
    const event = eventOfReport(entry, context);
    if (event !== undefined) return () => mapSentryEvent(event, context);
    // Another type of the Reporting API.
    return asText(at(entry, 'type')) && 'SENTRY_ITEM_DROPPED';
  },
};

/** Stores the entries of a `log` or the reports of a `raw_security` item. Throws if the pipeline refuses them; entries not stored are counted as refused. */
export async function acceptEntries(
  item: SentItem,
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<ItemResult> {
  const { intake } = receiver;
  const parsed = await parseItemJson(item, receiver);
  if (parsed instanceof Fault) {
    await rejectItem(item, parsed, intake);
    return { accepted: 0, rejection: parsed };
  }
  const { items: entries } = parsed.json;
  if (!Array.isArray(entries)) {
    const rejection = new Fault('EVENT_INVALID', `the items of the ${item.type} must be an array`);
    await rejectItem(item, rejection, intake, '/items');
    return { accepted: 0, rejection };
  }
  const { claimed, unknown } = await claimEntries(entries, item.type, context, receiver);
  const rejected = await storeEntries(claimed, context, receiver);
  const accepted = entries.length - unknown - rejected.length;
  if (unknown > 0) {
    const rejection = new Fault('EVENT_INVALID', `${unknown} of the items of the ${item.type} have an unknown form`);
    await rejectItem(item, rejection, intake, '/items', unknown);
    return { accepted, rejection };
  }
  const [first] = rejected;
  if (first === undefined) return { accepted, rejection: undefined };
  return { accepted, rejection: new Fault(first.code, `an entry was rejected: ${first.field} ${first.reason}`) };
}

/** An entry to store. */
interface ClaimedEntry {
  readonly text: ReportClaim;
  /** Undefined if it is no exception. */
  readonly failure: Claim | undefined;
  readonly record: MappedRecord;
}

/** Counts filtered and repeated entries; returns the others, and the number of those of an unknown form. */
async function claimEntries(
  entries: readonly JsonValue[],
  type: SentItem['type'],
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<{ readonly claimed: readonly ClaimedEntry[]; readonly unknown: number }> {
  const { account } = receiver;
  const slice = beginTimeSlice();
  const claimed: ClaimedEntry[] = [];
  let unknown = 0;
  for (const entry of entries) {
    if (slice.isOver) await slice.next();
    const map = READERS[type]?.(entry, context, receiver);
    if (map === undefined || !isJsonObject(entry)) {
      unknown++;
      continue;
    }
    if (typeof map === 'string') {
      account.count('filtered', map);
      continue;
    }
    const claim = claimEntry(entry, map(), context, receiver);
    if (claim === undefined) account.count('filtered', 'SENTRY_LOG_REPEATED');
    else claimed.push(claim);
  }
  return { claimed, unknown };
}

/** Returns undefined for an entry that adds nothing to earlier reports. Only entries of logs have a trace. */
function claimEntry(
  entry: JsonObject,
  value: JsonObject,
  context: SentryContext,
  { repeated, failures }: SentryReceiverContext,
): ClaimedEntry | undefined {
  const origin = originOfLog(entry);
  const failure = failures.claimEntry(entry, value, origin, context);
  const text = repeated.claimLog(entry, context.project.id);
  if (failure?.kind === 'repeated' || (text.isRepeated && !isFurther(failure))) {
    endClaim(failure, FILTERED);
    text.settle(FILTERED);
    return undefined;
  }
  return { text, failure, record: { value, received: () => Buffer.from(jsonOf(entry)) } };
}

/** Whether an earlier report counts the occurrence. */
function isFurther(failure: Claim | undefined): boolean {
  return failure?.kind === 'new' && failure.countedBy !== undefined;
}

const FILTERED: RecordOutcome = { kind: 'dropped', as: 'filtered' };

/** Stores the entries and ends their claims; returns why some were rejected. Those that count come first, because others wait for them. */
async function storeEntries(
  claimed: readonly ClaimedEntry[],
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<readonly Rejection[]> {
  const counting = claimed.filter(({ failure }) => !isFurther(failure));
  const further = claimed.filter(({ failure }) => isFurther(failure));
  const batches = [counting, ...further.map((entry) => [entry])];
  const rejections: Rejection[] = [];
  for (const [index, batch] of batches.entries()) {
    try {
      rejections.push(...(await storeBatch(batch, context, receiver)));
    } catch (error) {
      const rest = batches.slice(index + 1).flat();
      if (rest.length > 0) receiver.account.count('refused', toFault(error).code, rest.length);
      for (const entry of rest) endEntry(entry, undefined);
      throw error;
    }
  }
  return rejections;
}

/** Stores entries that count, or one that another event counts. */
async function storeBatch(
  batch: readonly ClaimedEntry[],
  { origin }: SentryContext,
  { intake, account }: SentryReceiverContext,
): Promise<readonly Rejection[]> {
  const repeats = await countOf(batch[0]?.failure);
  if (repeats === 'sampled') {
    account.count('filtered', 'SENTRY_LOG_REPEATED', batch.length);
    for (const entry of batch) endEntry(entry, { kind: 'dropped', as: 'sampled' });
    return [];
  }
  const outcomes: RecordOutcome[] = [];
  try {
    const records = batch.map(({ record }) => ({ ...record, repeats }));
    await intake.accept({ length: records.length, at: (index) => records[index] }, outcomes, origin);
  } finally {
    for (const [index, entry] of batch.entries()) endEntry(entry, outcomes[index]);
  }
  return outcomes.flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.rejection] : []));
}

function endEntry({ text, failure }: ClaimedEntry, outcome: RecordOutcome | undefined): void {
  text.settle(outcome);
  endClaim(failure, outcome);
}

/** JSON.stringify throws on thousands of nested levels. */
function jsonOf(entry: JsonValue): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return '';
  }
}
