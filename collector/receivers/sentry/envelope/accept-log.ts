import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import type { MappedRecord } from '../../intake/intake.js';
import type { RecordOutcome } from '../../intake/pending-records.js';
import { mapSentryLog, originOfLog, sentryLogLevel } from '../mapping/map-log.js';
import type { SentryContext, SentryReceiverContext } from '../sentry-context.js';
import { parseItemJson } from './item-json.js';
import type { SentItem } from './read-envelope.js';
import type { ReportClaim } from './repeated-reports.js';

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
  const { account, repeated, minLogLevel } = receiver;
  const slice = beginTimeSlice();
  let accepted = 0;
  let rejection: Fault | undefined;
  for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
    const batch = entries.slice(start, start + BATCH_ENTRIES);
    const reported = batch.filter((entry) => isAtLeastLevel(sentryLogLevel(entry), minLogLevel));
    const belowLevel = batch.length - reported.length;
    if (belowLevel > 0) account.count('filtered', 'SENTRY_LOG_LEVEL', belowLevel);
    const claims = reported.map((entry) => repeated.claimLog(entry, originOfLog(entry), context.project.id));
    const records = recordsOf(reported, claims, context);
    const repetitions = reported.length - records.length;
    if (repetitions > 0) account.count('filtered', 'SENTRY_LOG_REPEATED', repetitions);
    const outcomes: RecordOutcome[] = [];
    try {
      await receiver.intake.accept(records, outcomes);
    } catch (error) {
      const fault = toFault(error);
      for (const claim of claims) if (!claim.isRepeated) claim.undo();
      const rest = entries.length - start - batch.length;
      if (rest > 0) account.count('refused', fault.code, rest);
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
  claims: readonly ReportClaim[],
  context: SentryContext,
): MappedRecord[] {
  return entries
    .filter((_, index) => claims[index]?.isRepeated !== true)
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
