import { randomUUID } from 'node:crypto';
import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import type { LeftOut } from '../../../../core/event/validate/repairs.js';
import type { SessionReport } from '../../../../core/storage/releases/session-tally.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { MappedRecord, RecordOutcome } from '../../intake/intake.js';
import { mapSentryEvent } from '../mapping/map-event.js';
import type { SentryReceiverContext } from '../receiver-context.js';
import type { SentryContext } from '../sentry-context.js';
import { acceptEntries, type ItemResult } from './accept-entries.js';
import { countOf, endClaim } from './failure-reports.js';
import { type ItemJson, minidumpUnsupported, objectIn, parseItemJson, rejectItem } from './item-json.js';
import { isTransaction, type SentItem } from './item-types.js';
import type { SentItems } from './read-envelope.js';
import { readSessions } from './read-sessions.js';

const ID = /^[0-9a-f]{32}$/;
const MAX_ID_LENGTH = 36;
const DASHED = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
/** The id of an SDK that captured nothing: it identifies no event. */
const NIL_ID = '0'.repeat(32);

/** Parses an event id with or without dashes to 32 lowercase hexadecimal characters; undefined for other values and for zeros. */
function parseSentryEventId(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ID_LENGTH) return undefined;
  const text = value.toLowerCase().replace(DASHED, '$1$2$3$4$5');
  return ID.test(text) && text !== NIL_ID ? text : undefined;
}

/** Types whose items become events. Events first: a log entry may repeat one. */
const STORED: readonly SentItem['type'][] = ['event', 'log', 'raw_security'];

/** What became of the items of one request. */
interface AcceptedItems {
  /** The id of the envelope, else of its first event. */
  readonly eventId: string | undefined;
  /** The first rejection if no item was accepted. */
  readonly rejection: Fault | undefined;
}

/** Stores and counts all items of one request. Throws if the pipeline refuses one; it and the items after it are counted as refused. */
export async function acceptEnvelopeItems(
  { context, items, skipped }: SentItems,
  receiver: SentryReceiverContext,
): Promise<AcceptedItems> {
  const { account } = receiver;
  if (skipped.items > 0) account.count('filtered', 'SENTRY_ITEM_DROPPED', skipped.items);
  for (const item of items) if (item.type === 'client_report') countClientReport(item, account);
  const minidumps = skipped.minidumps > 0 ? minidumpUnsupported() : undefined;
  if (minidumps !== undefined) account.count('rejected', minidumps.code, skipped.minidumps);

  const idOfEnvelope = parseSentryEventId(context.envelope['event_id']);
  const results = await acceptStored(items, idOfEnvelope, context, receiver);
  await countSessions(items, context, receiver);
  const isAnyAccepted = results.some(({ accepted }) => accepted > 0);
  const rejection = minidumps ?? results.find((result) => result.rejection !== undefined)?.rejection;
  return {
    eventId: idOfEnvelope ?? results.find(({ id }) => id !== undefined)?.id,
    rejection: isAnyAccepted ? undefined : rejection,
  };
}

/** Stores the items that become events, in their order of `STORED`. */
async function acceptStored(
  items: readonly SentItem[],
  idOfEnvelope: string | undefined,
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<readonly ItemResult[]> {
  const stored = STORED.flatMap((type) => items.filter((item) => item.type === type));
  const results: ItemResult[] = [];
  for (const item of stored) {
    try {
      // The protocol allows one event; the envelope's id belongs to the first, and further ones are accepted too.
      const eventId = results.length === 0 ? idOfEnvelope : undefined;
      const isEvent = item.type === 'event';
      results.push(
        await (isEvent ? acceptEvent(item, eventId, context, receiver) : acceptEntries(item, context, receiver)),
      );
    } catch (error) {
      const fault = toFault(error);
      const rest = stored.length - results.length - 1;
      if (rest > 0) receiver.account.count('refused', fault.code, rest);
      throw fault;
    }
  }
  return results;
}

/** Counts the sessions of a request in their releases. Throws if they cannot be written; their items are counted as refused. */
async function countSessions(
  items: readonly SentItem[],
  context: SentryContext,
  { account, countSessions: count }: SentryReceiverContext,
): Promise<void> {
  const all = items.filter(({ type }) => type === 'session' || type === 'sessions');
  if (all.length === 0) return;
  const slice = beginTimeSlice();
  const reports: SessionReport[][] = [];
  for (const item of all) {
    if (slice.isOver) await slice.next();
    const read = readSessions(item, context);
    if (read.length > 0) reports.push(read);
  }
  const unread = all.length - reports.length;
  if (unread > 0) account.count('filtered', 'SENTRY_ITEM_DROPPED', unread);
  if (reports.length === 0) return;
  // Counting is one turn of the event loop, so that all of them are written together.
  await slice.next();
  try {
    await count(reports.flat());
  } catch (error) {
    account.count('refused', toFault(error).code, reports.length);
    throw error;
  }
  account.count('filtered', 'SENTRY_SESSION_COUNTED', reports.length);
}

/** Stores one event under the id of the envelope, else its own; a repeated one has the result of the first. */
async function acceptEvent(
  item: SentItem,
  idOfEnvelope: string | undefined,
  context: SentryContext,
  receiver: SentryReceiverContext,
): Promise<ItemResult> {
  const sent: SentEvent = await parseItemJson(item, receiver).then((parsed) =>
    parsed instanceof Fault ? { json: {}, fault: parsed } : { ...parsed, fault: undefined },
  );
  const { fault } = sent;
  const id = idOfEnvelope ?? parseSentryEventId(sent.json['event_id']) ?? randomUUID().replaceAll('-', '');
  const { outcome, isRepeated } = await receiver.recent.once(`${context.project.id}/${id}`, async () => {
    if (fault === undefined) return store(sent, id, item, context, receiver);
    await rejectItem(item, fault, receiver.intake);
    return fault;
  });
  if (isRepeated) receiver.account.count('filtered', 'SENTRY_REPEATED');
  return { id, accepted: outcome === undefined ? 1 : 0, rejection: outcome };
}

/** An event until it is mapped: a frame that kept it while the disk writes would make the garbage collector copy it. */
interface SentEvent {
  json: JsonObject;
  readonly leftOut?: ItemJson['leftOut'];
  readonly fault: Fault | undefined;
}

async function store(
  sent: SentEvent,
  id: string,
  { payload = Buffer.alloc(0) }: SentItem,
  context: SentryContext,
  { intake, account, repeated, failures }: SentryReceiverContext,
): Promise<Fault | undefined> {
  if (isTransaction(sent.json)) {
    account.count('filtered', 'SENTRY_ITEM_DROPPED');
    return undefined;
  }
  sent.json['event_id'] = id;
  let value = mapSentryEvent(sent.json, context);
  const failure = failures.claimEvent(sent.json, value, context);
  const text = await repeated.claimEvent(sent.json, context.project.id);
  sent.json = {};
  const repeats = await countOf(failure);
  if (repeats === 'sampled' || (text.isRepeated && repeats === undefined)) {
    endClaim(failure, { kind: 'dropped', as: repeats === undefined ? 'filtered' : 'sampled' });
    account.count('filtered', 'SENTRY_LOG_REPEATED');
    return undefined;
  }
  const record = (): MappedRecord => {
    const mapped = value;
    value = {};
    return { value: mapped, leftOut: sent.leftOut?.map(inPayload), received: () => payload, repeats };
  };
  const outcomes: RecordOutcome[] = [];
  try {
    await intake.accept({ length: 1, at: record }, outcomes, context.origin);
  } finally {
    text.settle(outcomes[0]);
    endClaim(failure, outcomes[0]);
  }
  const [outcome] = outcomes;
  if (outcome?.kind !== 'rejected') return undefined;
  const { code, field, reason } = outcome.rejection;
  return new Fault(code, `the event was rejected: ${`${field} ${reason}`.trim()}`);
}

/** `mapSentryEvent` keeps these members of an event; all else is in `extra.sentry`. */
const KEPT_MEMBERS: ReadonlySet<string | number | undefined> = new Set(['extra', 'tags']);

function inPayload(part: LeftOut): LeftOut {
  const { path } = part;
  return path.length === 0 || KEPT_MEMBERS.has(path[0]) ? part : { ...part, path: ['extra', 'sentry', ...path] };
}

/** Other categories are never stored; `ratelimit_backoff` of transactions is caused by our own rate limits. */
const CATEGORIES: ReadonlySet<JsonValue | undefined> = new Set(['error', 'default', 'log_item']);
const REASON = /^[a-z0-9_]{1,64}$/;
/** Larger quantities are not plausible. */
const MAX_QUANTITY = 1_000_000_000;

/** Counts events that the client discarded (https://develop.sentry.dev/sdk/client-reports/) by Sentry's reason. Ignores an invalid report. */
function countClientReport(item: SentItem, account: ReceiverAccount): void {
  const { discarded_events: discarded } = objectIn(item);
  if (!Array.isArray(discarded)) return;
  for (const { category, reason, quantity } of discarded.filter(isJsonObject)) {
    if (!CATEGORIES.has(category) || typeof quantity !== 'number') continue;
    if (!Number.isSafeInteger(quantity) || quantity <= 0 || quantity > MAX_QUANTITY) continue;
    const isReason = typeof reason === 'string' && REASON.test(reason);
    account.lostByClient(isReason ? reason : 'other', quantity);
  }
}
