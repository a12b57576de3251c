import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { Fault } from '../../../core/event/fault.js';
import type { EventId } from '../../../core/event/ids.js';
import { decodeSentLine } from '../../../core/event/raw-line.js';
import { repeatsOf } from '../../../core/event/raw-payload.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import type { EventOrigin } from '../../../core/storage/origins/origin-line.js';
import type { OriginLog } from '../../../core/storage/origins/origin-log.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Consumer } from '../../component/consumer.js';
import { untilDone } from '../../component/until-done.js';
import { toFault } from '../../http/messages/problem.js';
import { type ChunkEvent, formatPosition } from '../../nats/chunk.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';

/** Where events of chunks are stored. */
export interface ChunkTarget {
  /** Component id of the receiver. */
  readonly id: string;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly logger: Logger;
  readonly origins: OriginLog;
}

/** An event of a chunk with what is known of it here. */
interface IncomingEvent extends ChunkEvent {
  /** Undefined: the line is invalid, or the event is stored already. */
  readonly event?: ReceivedEvent;
  readonly stored?: EventId;
  readonly rejected?: RejectedPayload;
  /** Whether it repeats the occurrence of an earlier event, which must be stored before. */
  readonly isRepeat: boolean;
}

const LOG_RETRY_MS = 1_000;
/** Larger events are grouped in time slices by the store. */
const MAX_PREPARED_BYTES = 64 * 1024;

/** Stores events of one source and partition in order, and then logs their ids and position; calls `onStored` with the last event of each step. */
export async function storeEvents(
  chunked: readonly ChunkEvent[],
  { source, partition }: { readonly source: string; readonly partition: number },
  target: ChunkTarget,
  onStored: (last: ChunkEvent) => void,
): Promise<void> {
  const { origins } = target;
  const slice = beginTimeSlice();
  const incoming: IncomingEvent[] = [];
  for (const event of chunked) {
    // Chunks of all partitions may arrive in one turn of the event loop.
    if (slice.isOver) await slice.next();
    incoming.push(decodeEvent(event, target));
  }
  let done = 0;
  try {
    for (const group of groupsOf(incoming)) {
      const last = group.at(-1);
      if (last === undefined) continue;
      const end = origins.begin();
      try {
        const to = formatPosition(last.position);
        const found = await append(`nats:${source}:${partition}:${to}`, group, target);
        await logOrigins({ source, partition, to, origins: found }, target);
      } finally {
        end();
      }
      onStored(last);
      done += group.length;
    }
  } catch (error) {
    for (const { line, stored } of incoming.slice(done)) if (stored !== undefined) origins.putBack(line, stored);
    throw error;
  }
}

async function append(
  batchId: string,
  incoming: readonly IncomingEvent[],
  { id: receiver, consumer, account }: ChunkTarget,
): Promise<EventOrigin[]> {
  const rejected = incoming.flatMap((one) => one.rejected ?? []);
  const events = incoming.flatMap(({ event }) => event ?? []);
  const isEmpty = events.length === 0 && rejected.length === 0;
  try {
    const outcomes = isEmpty ? [] : await consumer.consume({ receiver, events, batchId, rejected });
    for (const { code } of rejected) account.count('rejected', code);
    let next = 0;
    return incoming.map(({ id, event, stored }) => {
      if (event === undefined) return { origin: id, stored };
      const outcome = outcomes[next++];
      if (outcome?.kind === 'stored') account.stored({});
      else if (outcome?.kind === 'dropped') account.count(outcome.as, outcome.reason);
      return { origin: id, stored: outcome?.kind === 'stored' ? outcome.stored.event_id : undefined };
    });
  } catch (error) {
    account.count('refused', toFault(error).code, events.length);
    throw error;
  }
}

/** Small events are encoded and grouped now, so that their payloads are garbage before the disk writes. */
function decodeEvent(chunked: ChunkEvent, { consumer, origins }: ChunkTarget): IncomingEvent {
  const { line } = chunked;
  const stored = origins.takeUnlogged(line);
  if (stored !== undefined) return { ...chunked, stored, isRepeat: false };
  try {
    const event = decodeSentLine(line);
    const isRepeat = repeatsOf(event.payload.extra) !== undefined;
    const isSmall = line.length <= MAX_PREPARED_BYTES;
    return { ...chunked, event: (isSmall && consumer.prepare?.(event)) || event, isRepeat };
  } catch (error) {
    const { code, message: reason } = toFault(error);
    const rejected = { code, field: '', reason, received: line, bytes: line.length };
    return { ...chunked, rejected, isRepeat: false };
  }
}

/** Logs the ids of stored events, and the position behind them; retries, or a repetition would store them again. Throws `STORE_CLOSING`. */
export async function logOrigins(
  applied: Parameters<OriginLog['append']>[0],
  { origins, logger }: Pick<ChunkTarget, 'origins' | 'logger'>,
): Promise<void> {
  const onFailure = (error: unknown): void => {
    if (error instanceof Fault && error.code === 'STORE_CLOSING') throw error;
    logger.error({ err: error }, 'the ids of stored events could not be written; trying again');
  };
  await untilDone(() => origins.append(applied), { stop: NEVER, firstMs: LOG_RETRY_MS, onFailure });
}

const NEVER = new AbortController().signal;

/** Splits events so that one that repeats another one's occurrence is stored after it. */
function* groupsOf(events: readonly IncomingEvent[]): Generator<IncomingEvent[]> {
  let group: IncomingEvent[] = [];
  for (const event of events) {
    if (group.length > 0 && event.isRepeat) {
      yield group;
      group = [];
    }
    group.push(event);
  }
  yield group;
}
