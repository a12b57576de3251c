import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { MAX_KEPT_BYTES } from '../../../core/storage/rejected/kept-content.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { readBody } from '../../http/read-body.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../pipeline.js';
import type { RequestMemory } from '../ingest-memory.js';
import { isJsonSpace, withoutByteOrderMark } from '../json-bytes.js';
import { LineSplitter } from '../line-splitter.js';
import type { Turns } from '../turns.js';
import type { EventRequest, EventRequestOptions } from './event-request.js';
import { JsonBody } from './json-body.js';
import { malformedJson, readJsonError } from './json-fault.js';

/**
 * Reads a body that is one event or an array of them. Nothing is handed on before the whole body is known to be JSON, or an array of things that
 * may be; a bad element is then one rejection.
 */
export async function readJsonEvents(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const body = new JsonBody(held, options);
  let isComplete = false;
  try {
    const keep = (chunk: Buffer): void => body.push(chunk);
    await readBody(request, options, keep, (bytes) => held.expect(bytes));
    isComplete = true;
    if (body.isBlank) throw emptyBody();
    const elements = body.elements();
    if (elements === undefined) {
      await events.take(body.start(body.length), refuseBody);
      await events.deliver();
    } else await takeEach(elements, events, options.turns);
  } catch (error) {
    if (error instanceof Fault && error.code === 'MALFORMED_JSON') {
      const bytes = isComplete ? body.length : announcedBytes(request);
      events.keepMalformedBody(body.start(MAX_KEPT_BYTES), bytes);
    }
    throw error;
  }
}

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

function refuseBody(error: unknown, text: string): never {
  const { reason, position } = readJsonError(error, text);
  const hint = isNdjson(text) ? '; it looks like one event per line: send it as application/x-ndjson' : '';
  throw malformedJson(reason + hint, position);
}

async function takeEach(elements: Iterable<Buffer>, events: EventRequest, turns: Turns): Promise<void> {
  const waiting = new WaitingLines();
  for (const bytes of elements) {
    waiting.add(bytes);
    if (waiting.isFull) await takeLines(waiting.take(), events, turns);
  }
  await takeLines(waiting.take(), events, turns);
}

/** Parses as many lines as one batch has, and hands it on. */
async function takeLines(lines: readonly (Buffer | undefined)[], events: EventRequest, turns: Turns): Promise<void> {
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

/** Whether the first line is a JSON text of its own. */
function isNdjson(text: string): boolean {
  const [line, ...rest] = text.trimStart().split('\n', 2);
  if (line === undefined || rest.length === 0) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The size of a body that was not read to its end; null where only reading it would tell. */
function announcedBytes({ headers }: IncomingMessage): number | null {
  const announced = headers['content-length'];
  return announced === undefined || headers['content-encoding'] !== undefined ? null : Number(announced);
}

function emptyBody(): Fault {
  return new Fault('BODY_EMPTY', 'the body is empty: send one event, an array of events, or one event per line');
}

/**
 * Lines that have arrived and are not parsed yet. Parsed as they arrive, the events of all connections would grow up together, and live long enough
 * to be copied twice by the collector of garbage; bytes are never copied. So lines wait until a batch is there, and are parsed in one go.
 */
class WaitingLines {
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
