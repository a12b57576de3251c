import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { MappedRecord, RecordOutcome, Rejection } from '../../intake/intake.js';
import { mapSentryEvent } from '../mapping/map-event.js';
import { mapSentryLog, originOfLog, sentryLogLevel } from '../mapping/map-log.js';
import { eventOfReport } from '../mapping/map-security.js';
import { asText, at } from '../mapping/map-values.js';
import type { SentryContext, SentryReceiverContext } from '../sentry-context.js';
import { parseItemJson, rejectItem } from './item-json.js';
import type { SentItem } from './read-envelope.js';
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
  const json = await parseItemJson(item, receiver);
  if (json instanceof Fault) {
    await rejectItem(item, json, intake);
    return { accepted: 0, rejection: json };
  }
  const { items: entries } = json;
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

/** An entry that no event says already. */
interface ClaimedEntry {
  readonly claim: ReportClaim;
  /** Maps it. */
  readonly record: () => MappedRecord;
}

/** Counts filtered and repeated entries; returns the others, and the number of those of an unknown form. */
async function claimEntries(
  entries: readonly JsonValue[],
  type: SentItem['type'],
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<{ readonly claimed: readonly ClaimedEntry[]; readonly unknown: number }> {
  const { account, repeated } = receiver;
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
    // Only entries of logs have a trace.
    const claim = repeated.claimLog(entry, originOfLog(entry), context.project.id);
    if (claim.isRepeated) account.count('filtered', 'SENTRY_LOG_REPEATED');
    else claimed.push({ claim, record: () => ({ value: map(), received: () => Buffer.from(jsonOf(entry)) }) });
  }
  return { claimed, unknown };
}

/** Stores the entries, which are mapped one at a time, and ends their claims; returns why some were rejected. */
async function storeEntries(
  claimed: readonly ClaimedEntry[],
  { origin }: SentryContext,
  { intake }: SentryReceiverContext,
): Promise<readonly Rejection[]> {
  const outcomes: RecordOutcome[] = [];
  try {
    const records = { length: claimed.length, at: (index: number) => claimed[index]?.record() };
    await intake.accept(records, outcomes, origin);
  } finally {
    for (const [index, { claim }] of claimed.entries()) claim.settle(outcomes[index]);
  }
  return outcomes.flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.rejection] : []));
}

/** JSON.stringify throws on thousands of nested levels. */
function jsonOf(entry: JsonValue): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return '';
  }
}
