import { randomUUID } from 'node:crypto';
import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { toFault } from '../../../http/messages/problem.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { RecordOutcome } from '../../intake/pending-records.js';
import { mapSentryEvent } from '../mapping/map-event.js';
import type { SentryContext, SentryReceiverContext } from '../sentry-context.js';
import { acceptLog } from './accept-log.js';
import { parseItemJson } from './item-json.js';
import { parseLenientJson } from './lenient-json.js';
import type { SentItem, SentItems } from './read-envelope.js';

const ID = /^[0-9a-f]{32}$/;
const MAX_ID_LENGTH = 36;
const DASHED = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

/** An event id as 32 lowercase hexadecimal characters, from that or from the form with dashes, item 22; undefined for anything else. */
function parseSentryEventId(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ID_LENGTH) return undefined;
  const text = value.toLowerCase().replace(DASHED, '$1$2$3$4$5');
  return ID.test(text) ? text : undefined;
}

/** A new id for an event that came without one, item 5. */
function createSentryEventId(): string {
  return randomUUID().replaceAll('-', '');
}

/** What the answer to a request says. */
export interface AcceptedItems {
  /** Of the envelope, else of its first event; undefined when there is neither. */
  readonly eventId: string | undefined;
  /** Why nothing was taken although there was something; undefined when anything was, or when there was nothing. */
  readonly rejection: Fault | undefined;
}

/** Takes all items of one request and counts them. Throws when the line refuses one of them; it and those after it were counted as refused. */
export async function acceptEnvelopeItems(
  { context, items, skipped }: SentItems,
  line: SentryReceiverContext,
): Promise<AcceptedItems> {
  const { account } = line;
  if (skipped > 0) account.count('filtered', 'SENTRY_ITEM_DROPPED', skipped);
  for (const item of items) if (item.type === 'client_report') countClientReport(item, account);

  const idOfEnvelope = parseSentryEventId(context.envelope['event_id']);
  let eventId = idOfEnvelope;
  let accepted = 0;
  let rejection: Fault | undefined;
  const take = async (item: SentItem, freeId: string | undefined): Promise<void> => {
    if (item.type === 'event') {
      const taken = await acceptEvent(item, freeId, context, line);
      eventId ??= taken.id;
      rejection ??= taken.rejection;
      if (taken.rejection === undefined) accepted++;
    } else {
      const taken = await acceptLog(item, context, line);
      rejection ??= taken.rejection;
      accepted += taken.accepted;
    }
  };

  const kept = items.filter(({ type }) => type !== 'client_report');
  // There may be one event; the id of the envelope is that of the first, and a further one is not lost.
  const firstEvent = kept.find(({ type }) => type === 'event');
  for (const [index, item] of kept.entries()) {
    try {
      await take(item, item === firstEvent ? idOfEnvelope : undefined);
    } catch (error) {
      const fault = toFault(error);
      const rest = kept.length - index - 1;
      if (rest > 0) account.count('refused', fault.code, rest);
      throw fault;
    }
  }
  return { eventId, rejection: accepted === 0 ? rejection : undefined };
}

/** What became of an `event` item. */
interface EventResult {
  /** 32 lowercase hexadecimal characters. */
  readonly id: string;
  /** Why it lies among the dead letters; absent when it was taken. */
  readonly rejection: Fault | undefined;
}

/**
 * Takes one event under the id of the envelope, else its own, else a new one (items 5 and 22). One whose id was seen in its project is counted as
 * `SENTRY_REPEATED` and answered as the first (item 35). Throws when the line refuses it; it was counted as refused.
 */
async function acceptEvent(
  item: SentItem,
  idOfEnvelope: string | undefined,
  context: SentryContext,
  line: SentryReceiverContext,
): Promise<EventResult> {
  const json = await parseItemJson(item, line);
  const ownId = json.ok ? parseSentryEventId(json.value['event_id']) : undefined;
  const id = idOfEnvelope ?? ownId ?? createSentryEventId();
  const { outcome, isRepeated } = await line.recent.once(`${context.project.id}/${id}`, async () => {
    if (json.ok) {
      json.value['event_id'] = id;
      return store(json.value, json.payload, context, line);
    }
    const { code, message } = json.fault;
    const received = item.payload === undefined ? {} : { received: item.payload };
    await line.intake.reject([{ code, field: '', reason: message, ...received, bytes: item.bytes }]);
    return json.fault;
  });
  if (isRepeated) line.account.count('filtered', 'SENTRY_REPEATED');
  return { id, rejection: outcome };
}

async function store(
  event: JsonObject,
  payload: Buffer,
  context: SentryContext,
  { intake }: SentryReceiverContext,
): Promise<Fault | undefined> {
  const outcomes: RecordOutcome[] = [];
  await intake.accept([{ value: mapSentryEvent(event, context), received: () => payload }], outcomes);
  const [outcome] = outcomes;
  if (outcome?.kind !== 'rejected') return undefined;
  const { code, field, reason } = outcome.rejection;
  return new Fault(code, `the event was not taken: ${field} ${reason}`);
}

/** Of what is lost in the others nothing would be stored here; `ratelimit_backoff` of transactions is our own doing. */
const CATEGORIES: ReadonlySet<JsonValue | undefined> = new Set(['error', 'default', 'log_item']);
const REASON = /^[a-z0-9_]{1,64}$/;
const OTHER_REASON = 'other';
/** Nobody loses more between two reports. */
const MAX_QUANTITY = 1_000_000_000;

/** Counts what the application lost before it came here, item 30, by Sentry's reason. What is no report counts nothing: it stands for no event. */
function countClientReport({ payload }: SentItem, account: ReceiverAccount): void {
  for (const { category, reason, quantity } of discardedEvents(payload)) {
    if (!CATEGORIES.has(category) || !isQuantity(quantity)) continue;
    const isReason = typeof reason === 'string' && REASON.test(reason);
    account.lostByClient(isReason ? reason : OTHER_REASON, quantity);
  }
}

function discardedEvents(payload: Buffer | undefined): JsonObject[] {
  try {
    const report = parseLenientJson(payload?.toString() ?? '');
    const discarded = isJsonObject(report) ? report['discarded_events'] : undefined;
    return Array.isArray(discarded) ? discarded.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}

function isQuantity(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= MAX_QUANTITY;
}
