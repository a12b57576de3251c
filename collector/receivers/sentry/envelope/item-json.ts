import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { parseSteps, runSteps } from '../../intake/parse-steps.js';
import type { SentryReceiverContext } from '../sentry-context.js';
import { parseLenientJson } from './lenient-json.js';
import type { SentItem } from './read-envelope.js';
import { eventTooLarge } from './sentry-fault.js';

/** The JSON object that an item consists of, or why it is none. */
export type ItemJson =
  | { readonly ok: true; readonly value: JsonObject; readonly payload: Buffer }
  | { readonly ok: false; readonly fault: Fault };

/** Members of a `log` item for each that one event may have: its entries are events of their own. */
const LOG_FACTOR = 4;

/**
 * Reads an item, large ones in turns: `EVENT_TOO_LARGE` for one that was over the bound, `EVENT_TOO_MANY_MEMBERS`, `MALFORMED_JSON`, `EVENT_INVALID` for JSON
 * that is no object.
 */
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
  return { ok: false, fault: new Fault('EVENT_INVALID', `the ${type} is JSON, but no object`) };
}
