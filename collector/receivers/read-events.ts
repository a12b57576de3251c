import type { IncomingMessage } from 'node:http';
import { Fault } from '../../core/event/fault.js';
import { MAX_KEPT_BYTES } from '../../core/storage/rejected/kept-content.js';
import { type BodyLimits, readBody } from '../http/read-body.js';
import { beginTimeSlice } from '../time-slice.js';
import { withoutByteOrderMark } from './byte-order-mark.js';
import type { EventIntake } from './event-intake.js';
import { JsonBody, type JsonBodyOptions } from './json-body.js';
import { malformedJson, readJsonError } from './json-fault.js';
import { isJsonSpace } from './json-space.js';
import { LineSplitter, type SplitLine } from './line-splitter.js';

/** Bounds of one request. */
export interface ReadEventsOptions extends JsonBodyOptions, BodyLimits {}

/**
 * Reads a body that is one event or an array of them. Nothing is handed on before the whole body is known to be JSON, or an array of things that
 * may be; a bad element is then one rejection.
 */
export async function readJsonEvents(
  request: IncomingMessage,
  intake: EventIntake,
  options: ReadEventsOptions,
): Promise<void> {
  const body = new JsonBody(options);
  let isComplete = false;
  try {
    await readBody(request, options, (chunk) => body.push(chunk));
    isComplete = true;
    if (body.isBlank) throw emptyBody();
    const elements = body.elements();
    if (elements === undefined) takeWhole(body.bytes(), intake);
    else await takeEach(elements, intake);
    await intake.deliver();
  } catch (error) {
    if (error instanceof Fault && error.code === 'MALFORMED_JSON') {
      const bytes = isComplete ? body.length : announcedBytes(request);
      intake.keepMalformedBody(error, body.start(MAX_KEPT_BYTES), bytes);
    }
    throw error;
  } finally {
    body.release();
  }
}

/** Reads a body of one event per line, handing events on while it arrives. A bad line is one rejection; blank lines are passed over. */
export async function readNdjsonEvents(
  request: IncomingMessage,
  intake: EventIntake,
  options: ReadEventsOptions,
): Promise<void> {
  const splitter = new LineSplitter(options.maxEventBytes, options.held);
  let isFirst = true;
  try {
    const bytes = await readBody(request, options, (chunk) => {
      const part = isFirst ? withoutByteOrderMark(chunk) : chunk;
      isFirst = false;
      return takeLines(splitter.push(part), intake);
    });
    if (bytes === 0) throw emptyBody();
    await takeLines(splitter.end(), intake);
    await intake.deliver();
  } finally {
    splitter.release();
  }
}

function takeWhole(bytes: Buffer, intake: EventIntake): void {
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { reason, position } = readJsonError(error, text);
    const hint = isNdjson(text) ? '; it looks like one event per line: send it as application/x-ndjson' : '';
    throw malformedJson(reason + hint, position);
  }
  intake.takeValue(value, bytes);
}

async function takeEach(elements: Iterable<Buffer>, intake: EventIntake): Promise<void> {
  const slice = beginTimeSlice();
  for (const element of elements) {
    intake.take(element);
    if (intake.isFull) await intake.deliver();
    if (slice.isOver) await slice.next();
  }
}

async function takeLines(lines: Iterable<SplitLine>, intake: EventIntake): Promise<void> {
  const slice = beginTimeSlice();
  for (const line of lines) {
    if (line.kind === 'too_long') intake.takeTooLarge();
    else if (!line.bytes.every(isJsonSpace)) intake.take(line.bytes);
    if (intake.isFull) await intake.deliver();
    if (slice.isOver) await slice.next();
  }
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
