import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import type { RecordOutcome } from '../pending-records.js';
import { readItemJson } from './item-json.js';
import { mapSentryEvent } from './map-event.js';
import type { SentItem } from './read-envelope.js';
import type { SentryContext } from './sentry-context.js';
import { createSentryEventId, parseSentryEventId } from './sentry-event-id.js';
import type { SentryLine } from './sentry-line.js';

/** What became of an `event` item. */
export interface TakenSentryEvent {
  /** 32 lowercase hexadecimal characters. */
  readonly id: string;
  /** Why it lies among the dead letters; absent when it was taken. */
  readonly rejection: Fault | undefined;
}

/**
 * Takes one event under the id of the envelope, else its own, else a new one (items 5 and 22). One whose id was seen in its project is counted as
 * `SENTRY_REPEATED` and answered as the first (item 35). Throws when the line refuses it; it was counted as refused.
 */
export async function takeEvent(
  item: SentItem,
  idOfEnvelope: string | undefined,
  context: SentryContext,
  line: SentryLine,
): Promise<TakenSentryEvent> {
  const json = await readItemJson(item, line);
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
  if (isRepeated) line.account.lost('filtered', 'SENTRY_REPEATED');
  return { id, rejection: outcome };
}

async function store(
  event: JsonObject,
  payload: Buffer,
  context: SentryContext,
  { intake }: SentryLine,
): Promise<Fault | undefined> {
  const outcomes: RecordOutcome[] = [];
  await intake.take([{ value: mapSentryEvent(event, context), received: () => payload }], outcomes);
  const [outcome] = outcomes;
  if (outcome?.kind !== 'rejected') return undefined;
  const { code, field, reason } = outcome.rejection;
  return new Fault(code, `the event was not taken: ${field} ${reason}`);
}
