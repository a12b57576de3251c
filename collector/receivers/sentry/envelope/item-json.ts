import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { parseSteps, runSteps } from '../../intake/parse-steps.js';
import type { SentryReceiverContext } from '../sentry-context.js';
import { parseLenientJson } from './lenient-json.js';
import type { SentItem } from './read-envelope.js';

/** The JSON object of an item, or why it is invalid. */
type ItemJson =
  | { readonly ok: true; readonly value: JsonObject; readonly payload: Buffer }
  | { readonly ok: false; readonly fault: Fault };

/** A `log` item may have as many members as this number of events, because its entries are events. */
const LOG_FACTOR = 4;

/** Parses an item, a large one with pauses. Faults: `EVENT_TOO_LARGE`, `EVENT_TOO_MANY_MEMBERS`, `MALFORMED_JSON`, `EVENT_INVALID` if not an object. */
export async function parseItemJson(
  { type, payload }: SentItem,
  { maxEventBytes, maxMembers }: Pick<SentryReceiverContext, 'maxEventBytes' | 'maxMembers'>,
): Promise<ItemJson> {
  if (payload === undefined) return { ok: false, fault: eventTooLarge(maxEventBytes) };
  let value: unknown;
  try {
    value = await runSteps(
      parseSteps(payload, type === 'log' ? LOG_FACTOR * maxMembers : maxMembers, parseLenientJson),
    );
  } catch (cause) {
    if (cause instanceof Fault) return { ok: false, fault: new Fault(cause.code, `the ${type} ${cause.message}`) };
    return { ok: false, fault: new Fault('MALFORMED_JSON', `the ${type} is not JSON`, { cause }) };
  }
  if (isJsonObject(value)) return { ok: true, value, payload };
  return { ok: false, fault: new Fault('EVENT_INVALID', `the ${type} is JSON, but not an object`) };
}

/** Creates the fault `EVENT_TOO_LARGE` for an event or log item over the bound. */
export function eventTooLarge(maxEventBytes: number): Fault {
  return new Fault(
    'EVENT_TOO_LARGE',
    `one event takes ${maxEventBytes} bytes: send less, for example fewer breadcrumbs`,
  );
}
