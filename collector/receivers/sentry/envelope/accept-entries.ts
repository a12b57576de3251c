import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { MappedRecord, RecordOutcome } from '../../intake/intake.js';
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

/** Stores the entries of a `log` (items 28 and 29) or the reports of a `raw_security` item. Throws if the pipeline refuses them; entries not stored are counted as refused. */
export async function acceptEntries(
  item: SentItem,
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<ItemResult> {
  const { account, repeated, intake } = receiver;
  const json = await parseItemJson(item, receiver);
  const isInvalid = json instanceof Fault;
  const entries = isInvalid ? undefined : json['items'];
  if (!Array.isArray(entries)) {
    const rejection = isInvalid ? json : new Fault('EVENT_INVALID', `the items of the ${item.type} must be an array`);
    await rejectItem(item, rejection, intake, isInvalid ? '' : '/items');
    return { accepted: 0, rejection };
  }
  const slice = beginTimeSlice();
  const fresh: { readonly claim: ReportClaim; readonly record: () => MappedRecord }[] = [];
  let unknown = 0;
  for (const entry of entries) {
    if (slice.isOver) await slice.next();
    const value = READERS[item.type]?.(entry, context, receiver);
    if (value === undefined || !isJsonObject(entry)) unknown++;
    else if (typeof value === 'string') account.count('filtered', value);
    else {
      // Only entries of logs have a trace.
      const claim = repeated.claimLog(entry, originOfLog(entry), context.project.id);
      if (claim.isRepeated) account.count('filtered', 'SENTRY_LOG_REPEATED');
      else fresh.push({ claim, record: () => ({ value: value(), received: () => Buffer.from(jsonOf(entry)) }) });
    }
  }
  const outcomes: RecordOutcome[] = [];
  try {
    const records = { length: fresh.length, at: (index: number) => fresh[index]?.record() };
    await intake.accept(records, outcomes, context.origin);
  } finally {
    for (const [index, { claim }] of fresh.entries()) claim.settle(outcomes[index]);
  }
  const rejected = outcomes.flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.rejection] : []));
  const accepted = entries.length - unknown - rejected.length;
  const [first] = rejected;
  if (unknown === 0) {
    return {
      accepted,
      rejection: first && new Fault(first.code, `an entry was rejected: ${first.field} ${first.reason}`),
    };
  }
  const rejection = new Fault('EVENT_INVALID', `${unknown} of the items of the ${item.type} have an unknown form`);
  await rejectItem(item, rejection, intake, '/items', unknown);
  return { accepted, rejection };
}

/** JSON.stringify throws on thousands of nested levels. */
function jsonOf(entry: JsonValue): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return '';
  }
}
