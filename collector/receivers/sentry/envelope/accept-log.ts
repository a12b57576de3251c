import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import type { MappedRecord } from '../../intake/intake.js';
import type { RecordOutcome } from '../../intake/pending-records.js';
import { mapSentryLog, sentryLogLevel } from '../mapping/map-log.js';
import type { SentryContext, SentryReceiverContext } from '../sentry-context.js';
import { parseItemJson } from './item-json.js';
import type { SentItem } from './read-envelope.js';

interface LogResult {
  /** Number of entries that were stored, or filtered by level or a processor. */
  readonly accepted: number;
  /** Rejection of the item or its first rejected entry; undefined if all were accepted. */
  readonly rejection: Fault | undefined;
}

const BATCH_ENTRIES = 200;

/** Stores the entries of one `log` item, items 28 and 29. Throws if the pipeline refuses them; entries not stored are counted as refused. */
export async function acceptLog(
  item: SentItem,
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<LogResult> {
  const json = await parseItemJson(item, receiver);
  const received = item.payload === undefined ? {} : { received: item.payload };
  const reject = (code: string, field: string, reason: string, entries: number) =>
    receiver.intake.reject([{ code, field, reason, ...received, bytes: item.bytes }], entries);
  if (!json.ok) {
    await reject(json.fault.code, '', json.fault.message, 1);
    return { accepted: 0, rejection: json.fault };
  }
  const all = json.value['items'];
  if (!Array.isArray(all)) {
    await reject('EVENT_INVALID', '/items', 'must be an array', 1);
    return { accepted: 0, rejection: new Fault('EVENT_INVALID', 'the items of the log must be an array') };
  }
  const entries = all.filter(isJsonObject);
  const others = all.length - entries.length;
  let rejection: Fault | undefined;
  if (others > 0) {
    await reject('EVENT_INVALID', '/items', `${others} of the entries are not objects`, others);
    rejection = new Fault('EVENT_INVALID', `${others} of the entries of the log are not objects`);
  }
  const result = await acceptEntries(entries, context, receiver);
  return { accepted: result.accepted, rejection: rejection ?? result.rejection };
}

async function acceptEntries(
  entries: readonly JsonObject[],
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<LogResult> {
  const slice = beginTimeSlice();
  let accepted = 0;
  let rejection: Fault | undefined;
  for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
    const batch = entries.slice(start, start + BATCH_ENTRIES);
    const records = recordsOf(batch, context, receiver.minLogLevel);
    const belowLevel = batch.length - records.length;
    if (belowLevel > 0) receiver.account.count('filtered', 'SENTRY_LOG_LEVEL', belowLevel);
    const outcomes: RecordOutcome[] = [];
    try {
      await receiver.intake.accept(records, outcomes);
    } catch (error) {
      const fault = toFault(error);
      const rest = entries.length - start - batch.length;
      if (rest > 0) receiver.account.count('refused', fault.code, rest);
      throw fault;
    }
    const rejected = outcomes.flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.rejection] : []));
    const [first] = rejected;
    if (first !== undefined)
      rejection ??= new Fault(first.code, `a log entry was rejected: ${first.field} ${first.reason}`);
    accepted += batch.length - rejected.length;
    if (slice.isOver) await slice.next();
  }
  return { accepted, rejection };
}

function recordsOf(
  entries: readonly JsonObject[],
  context: SentryContext,
  minLogLevel: SentryReceiverContext['minLogLevel'],
): MappedRecord[] {
  return entries
    .filter((entry) => isAtLeastLevel(sentryLogLevel(entry), minLogLevel))
    .map((entry) => ({ value: mapSentryLog(entry, context), received: () => Buffer.from(jsonOf(entry)) }));
}

/** JSON.stringify throws on thousands of nested levels. */
function jsonOf(entry: JsonValue): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return '';
  }
}
