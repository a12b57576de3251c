import type { IncomingMessage } from 'node:http';
import { isJsonSpace, withoutByteOrderMark } from '../../../core/event/json-bytes.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import type { RequestMemory } from '../../component/ingest-memory.js';
import { readBody } from '../../http/messages/read-body.js';
import { LineSplitter } from '../intake/line-splitter.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { emptyBody } from './body-faults.js';
import type { EventRequest, EventRequestOptions } from './event-request.js';

/** Accepts a body of one event per line and forwards events while it arrives. An invalid line is one rejection; blank lines are skipped. */
export async function readNdjsonEvents(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const splitter = new LineSplitter(options.maxEventBytes, held);
  const batch = new LineBatch();
  const acceptBatch = async (): Promise<void> => {
    const { bytes } = batch;
    await acceptLines(batch.drain(), events, options.parseQueue);
    held.release(bytes);
  };
  const addLines = (lines: Iterable<Buffer | undefined>): undefined | Promise<void> => {
    for (const line of lines) {
      if (line?.every(isJsonSpace)) continue;
      held.acquire(line?.length ?? 0);
      batch.add(line);
    }
    return batch.isFull ? acceptBatch() : undefined;
  };
  let isFirst = true;
  const onChunk = (chunk: Buffer) => {
    const bytes = isFirst ? withoutByteOrderMark(chunk) : chunk;
    isFirst = false;
    return addLines(splitter.push(bytes));
  };
  try {
    const bodyBytes = await readBody(request, options, onChunk, { held });
    if (bodyBytes === 0) throw emptyBody();
    await addLines(splitter.end());
  } finally {
    // Complete lines are accepted also if the request failed.
    await acceptBatch();
  }
}

/** Parses the lines of one batch and forwards it. */
export async function acceptLines(
  lines: readonly (Buffer | undefined)[],
  events: EventRequest,
  turns: SerialQueue,
): Promise<void> {
  if (lines.length === 0) return;
  await turns.run(async () => {
    const slice = beginTimeSlice();
    for (const line of lines) {
      const accepted = line === undefined ? events.rejectTooLarge() : events.accept(line);
      if (accepted !== undefined) await accepted;
      if (slice.isOver) await slice.next();
    }
  });
  await events.deliver();
}

/** Lines to parse at once: parsed on arrival, events of all connections would live long enough for the garbage collector to copy them. */
export class LineBatch {
  #lines: (Buffer | undefined)[] = [];
  bytes = 0;

  /** Undefined stands for a line that is too long. */
  add(line: Buffer | undefined): void {
    this.#lines.push(line);
    this.bytes += line?.length ?? 0;
  }

  get isFull(): boolean {
    return this.#lines.length >= MAX_BATCH_EVENTS || this.bytes >= MAX_BATCH_BYTES;
  }

  /** Returns the lines and empties the batch. */
  drain(): readonly (Buffer | undefined)[] {
    const lines = this.#lines;
    this.#lines = [];
    this.bytes = 0;
    return lines;
  }
}
