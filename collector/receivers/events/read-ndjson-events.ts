import type { IncomingMessage } from 'node:http';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import type { RequestMemory } from '../../component/ingest-memory.js';
import { readBody } from '../../http/messages/read-body.js';
import { isJsonSpace, withoutByteOrderMark } from '../intake/json-bytes.js';
import { LineSplitter } from '../intake/line-splitter.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { emptyBody } from './body-faults.js';
import type { EventRequest, EventRequestOptions } from './event-request.js';

/** Reads a body of one event per line, handing events on while it arrives. A bad line is one rejection; blank lines are passed over. */
export async function readNdjsonEvents(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const splitter = new LineSplitter(options.maxEventBytes, held);
  const waiting = new WaitingLines();
  const takeWaiting = async (): Promise<void> => {
    const { bytes } = waiting;
    await takeLines(waiting.take(), events, options.turns);
    held.give(bytes);
  };
  const wait = (lines: Iterable<Buffer | undefined>): undefined | Promise<void> => {
    for (const line of lines) {
      if (line?.every(isJsonSpace)) continue;
      held.take(line?.length ?? 0);
      waiting.add(line);
    }
    return waiting.isFull ? takeWaiting() : undefined;
  };
  let isFirst = true;
  try {
    const bytes = await readBody(request, options, (chunk) => {
      const part = isFirst ? withoutByteOrderMark(chunk) : chunk;
      isFirst = false;
      return wait(splitter.push(part));
    });
    if (bytes === 0) throw emptyBody();
    await wait(splitter.end());
    await takeWaiting();
  } catch (error) {
    // What had arrived whole counts, whatever became of the rest.
    await takeWaiting();
    throw error;
  }
}

/** Parses as many lines as one batch has, and hands it on. */
export async function takeLines(
  lines: readonly (Buffer | undefined)[],
  events: EventRequest,
  turns: SerialQueue,
): Promise<void> {
  if (lines.length === 0) return;
  await turns.take(async () => {
    const slice = beginTimeSlice();
    for (const line of lines) {
      const taking = line === undefined ? events.takeTooLarge() : events.take(line);
      if (taking !== undefined) await taking;
      if (slice.isOver) await slice.next();
    }
  });
  await events.deliver();
}

/**
 * Lines that have arrived and are not parsed yet. Parsed as they arrive, the events of all connections would grow up together, and live long enough
 * to be copied twice by the garbage collector; bytes are never copied. So lines wait until a batch is there, and are parsed in one go.
 */
export class WaitingLines {
  #lines: (Buffer | undefined)[] = [];
  #bytes = 0;

  /** Undefined for one that is too long. */
  add(line: Buffer | undefined): void {
    this.#lines.push(line);
    this.#bytes += line?.length ?? 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#lines.length >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
  }

  /** The lines so far, which wait no more. */
  take(): readonly (Buffer | undefined)[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    return lines;
  }
}
