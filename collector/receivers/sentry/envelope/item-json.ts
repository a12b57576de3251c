import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { parseSentJson, type SentJson } from '../../../../core/event/sent-json.js';
import { isSmallText, parseSteps, parseThinned, runSteps } from '../../intake/parse-steps.js';
import type { SentryReceiverContext } from '../receiver-context.js';
import type { SentItem } from './item-types.js';

/** An item with a list of entries may have as many members as this number of events. */
const ENTRIES_FACTOR = 4;
/** What an event may have before it is mapped: mapping adds some members. */
const SENT_PART = 0.9;

/** The JSON of an item. */
export interface ItemJson {
  readonly json: JsonObject;
  /** What was left out of an event because it had too many members. */
  readonly leftOut?: SentJson['leftOut'];
}

/** Parses an item, a large one with pauses, and an event without what is too much; reports of browsers, one or a list, as `{ items }`. Returns why it is invalid: `EVENT_TOO_LARGE`, `EVENT_TOO_MANY_MEMBERS`, `MALFORMED_JSON`, `EVENT_INVALID` if not an object. */
export async function parseItemJson(
  { type, payload }: SentItem,
  { maxEventBytes, maxMembers }: Pick<SentryReceiverContext, 'maxEventBytes' | 'maxMembers'>,
): Promise<ItemJson | Fault> {
  if (payload === undefined) return eventTooLarge(maxEventBytes);
  let sent: SentJson;
  try {
    const maxSent = Math.floor(SENT_PART * maxMembers);
    if (type !== 'event') sent = await runSteps(parseSteps(payload, ENTRIES_FACTOR * maxMembers, true));
    else if (isSmallText(payload, maxSent)) sent = parseSentJson(payload.toString(), true);
    else sent = await runSteps(parseThinned(payload, maxSent, true));
  } catch (cause) {
    if (cause instanceof Fault) return new Fault(cause.code, `the ${type} ${cause.message}`);
    return new Fault('MALFORMED_JSON', `the ${type} is not JSON`, { cause });
  }
  const json = type === 'raw_security' ? { items: [sent.value].flat() } : sent.value;
  return isJsonObject(json)
    ? { json, leftOut: sent.leftOut }
    : new Fault('EVENT_INVALID', `the ${type} is JSON, but not an object`);
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
