import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { MappedRecord } from '../../intake/intake.js';
import type { RecordOutcome } from '../../intake/pending-records.js';
import { mapSentryEvent } from '../mapping/map-event.js';
import { mapSentryLog, originOfLog, sentryLogLevel } from '../mapping/map-log.js';
import { eventOfReport, parseSecurityReport } from '../mapping/map-security.js';
import type { SentryContext, SentryReceiverContext } from '../sentry-context.js';
import { parseItemJson } from './item-json.js';
import type { SentItem } from './read-envelope.js';
import type { ReportClaim } from './repeated-reports.js';

interface EntriesResult {
  /** Number of entries that were stored or filtered. */
  readonly accepted: number;
  /** Rejection of the item or its first rejected entry; undefined if all were accepted. */
  readonly rejection: Fault | undefined;
}

/** How the entries of an item become events. */
interface EntryFormat {
  /** Whether an entry can be read; others are rejected. */
  isEntry(entry: JsonValue): entry is JsonObject;
  /** Whether an entry becomes an event; others are filtered as `filtered`. */
  isFailure(entry: JsonObject, receiver: SentryReceiverContext): boolean;
  readonly filtered: string;
  map(entry: JsonObject, context: SentryContext): JsonObject;
}

const FORMATS: Readonly<Record<Exclude<SentItem['type'], 'event' | 'client_report'>, EntryFormat>> = {
  log: {
    isEntry: isJsonObject,
    isFailure: (entry, { minLogLevel }) => isAtLeastLevel(sentryLogLevel(entry), minLogLevel),
    filtered: 'SENTRY_LOG_LEVEL',
    map: mapSentryLog,
  },
  raw_security: {
    isEntry: (entry): entry is JsonObject =>
      isJsonObject(entry) && (parseSecurityReport(entry) !== undefined || typeof entry['type'] === 'string'),
    isFailure: (entry) => parseSecurityReport(entry) !== undefined,
    filtered: 'SENTRY_ITEM_DROPPED',
    map: (entry, context) => mapSentryEvent(eventOfReport(entry, context), context),
  },
};

/** Stores the entries of a `log` (items 28 and 29) or the reports of a `raw_security` item. Throws if the pipeline refuses them; entries not stored are counted as refused. */
export async function acceptEntries(
  item: SentItem & { readonly type: keyof typeof FORMATS },
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<EntriesResult> {
  const { account, repeated, intake } = receiver;
  const reject = async (code: string, field: string, reason: string, entries = 1) => {
    const received = item.payload === undefined ? {} : { received: item.payload };
    await intake.reject([{ code, field, reason, ...received, bytes: item.bytes }], entries);
    return new Fault(code, `${field === '' ? '' : `${field} of the ${item.type} `}${reason}`);
  };
  const json = await parseItemJson(item, receiver);
  if (!json.ok) return { accepted: 0, rejection: await reject(json.fault.code, '', json.fault.message) };
  const entries = json.value['items'];
  if (!Array.isArray(entries)) {
    return { accepted: 0, rejection: await reject('EVENT_INVALID', '/items', 'must be an array') };
  }
  const format = FORMATS[item.type];
  const slice = beginTimeSlice();
  const counts = { others: 0, filtered: 0, repeated: 0 };
  const fresh: { readonly entry: JsonObject; readonly claim: ReportClaim }[] = [];
  for (const entry of entries) {
    if (slice.isOver) await slice.next();
    if (!format.isEntry(entry)) counts.others++;
    else if (!format.isFailure(entry, receiver)) counts.filtered++;
    else {
      // Only entries of logs have a trace.
      const claim = repeated.claimLog(entry, originOfLog(entry), context.project.id);
      if (claim.isRepeated) counts.repeated++;
      else fresh.push({ entry, claim });
    }
  }
  if (counts.filtered > 0) account.count('filtered', format.filtered, counts.filtered);
  if (counts.repeated > 0) account.count('filtered', 'SENTRY_LOG_REPEATED', counts.repeated);
  const outcomes: RecordOutcome[] = [];
  try {
    await intake.accept({ length: fresh.length, at: (index) => recordOf(fresh[index]?.entry) }, outcomes);
  } finally {
    for (const [index, { claim }] of fresh.entries()) claim.settle(outcomes[index]);
  }
  const rejected = outcomes.flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.rejection] : []));
  const [first] = rejected;
  const rejection = first && new Fault(first.code, `an entry was rejected: ${first.field} ${first.reason}`);
  const accepted = entries.length - counts.others - rejected.length;
  if (counts.others === 0) return { accepted, rejection };
  return {
    accepted,
    rejection: await reject(
      'EVENT_INVALID',
      '/items',
      `has ${counts.others} entries of an unknown form`,
      counts.others,
    ),
  };

  function recordOf(entry: JsonObject | undefined): MappedRecord | undefined {
    return entry && { value: format.map(entry, context), received: () => Buffer.from(jsonOf(entry)) };
  }
}

/** JSON.stringify throws on thousands of nested levels. */
function jsonOf(entry: JsonValue): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return '';
  }
}
