import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { parseSteps, runSteps } from '../../intake/parse-steps.js';
import type { SentryReceiverContext } from '../sentry-context.js';
import type { SentItem } from './read-envelope.js';

/** An item with a list of entries may have as many members as this number of events. */
const ENTRIES_FACTOR = 4;

/** Parses an item, a large one with pauses; reports of browsers, one or a list, as `{ items }`. Returns why it is invalid: `EVENT_TOO_LARGE`, `EVENT_TOO_MANY_MEMBERS`, `MALFORMED_JSON`, `EVENT_INVALID` if not an object. */
export async function parseItemJson(
  { type, payload }: SentItem,
  { maxEventBytes, maxMembers }: Pick<SentryReceiverContext, 'maxEventBytes' | 'maxMembers'>,
): Promise<JsonObject | Fault> {
  if (payload === undefined) return eventTooLarge(maxEventBytes);
  let value: unknown;
  try {
    value = await runSteps(
      parseSteps(payload, type === 'event' ? maxMembers : ENTRIES_FACTOR * maxMembers, parseLenientJson),
    );
  } catch (cause) {
    if (cause instanceof Fault) return new Fault(cause.code, `the ${type} ${cause.message}`);
    return new Fault('MALFORMED_JSON', `the ${type} is not JSON`, { cause });
  }
  if (type === 'raw_security') value = { items: [value].flat() };
  return isJsonObject(value) ? value : new Fault('EVENT_INVALID', `the ${type} is JSON, but not an object`);
}

/** Sends an invalid item to the dead letters and counts it as `entries` events. Throws if the pipeline refuses it. */
export async function rejectItem(
  { payload, bytes }: SentItem,
  { code, message }: Fault,
  intake: SentryReceiverContext['intake'],
  field = '',
  entries = 1,
): Promise<void> {
  const received = payload === undefined ? {} : { received: payload };
  await intake.reject([{ code, field, reason: message, ...received, bytes }], entries);
}

/** Creates the fault `EVENT_TOO_LARGE` for an event or log item over the bound. */
export function eventTooLarge(maxEventBytes: number): Fault {
  return new Fault(
    'EVENT_TOO_LARGE',
    `one event takes ${maxEventBytes} bytes: send less, for example fewer breadcrumbs`,
  );
}

/** Creates the fault for minidumps and Unreal crashes, whose stack only a debugger with the symbols can read. */
export function minidumpUnsupported(): Fault {
  const sentence = 'minidumps are not supported: let the SDK send events with a stack to /api/<project>/envelope/';
  return new Fault('CONTENT_TYPE_UNSUPPORTED', sentence);
}

/** The object in a small item; empty if it is invalid. */
export function objectIn({ payload }: SentItem): JsonObject {
  try {
    const value = parseLenientJson(payload?.toString() ?? '');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BARE_NUMBER = /-?(?:NaN|Infinity)/y;
/** First characters of a bare number. */
const BEGINNINGS: ReadonlySet<number> = new Set([0x2d, 0x49, 0x4e]);

/** Parses JSON in which old SDKs wrote `NaN`, `Infinity` or `-Infinity` as null. Throws JSON.parse's SyntaxError. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mended = withoutBareNumbers(text);
    if (mended === undefined) throw error;
    return JSON.parse(mended);
  }
}

/** Undefined if the text has none. */
function withoutBareNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let copied = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isInString && unit === BACKSLASH) at++;
    else if (unit === QUOTE) isInString = !isInString;
    else if (!isInString && BEGINNINGS.has(unit)) {
      BARE_NUMBER.lastIndex = at;
      if (!BARE_NUMBER.test(text)) continue;
      parts.push(text.slice(copied, at), 'null');
      copied = BARE_NUMBER.lastIndex;
      at = copied - 1;
    }
  }
  return copied === 0 ? undefined : parts.join('') + text.slice(copied);
}
