import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { parseSentJson } from '../../../../core/event/sent-json.js';
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
    const most = type === 'event' ? maxMembers : ENTRIES_FACTOR * maxMembers;
    ({ value } = await runSteps(parseSteps(payload, most, true)));
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
    const { value } = parseSentJson(payload?.toString() ?? '', true);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
