import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { parseLenientJson } from './lenient-json.js';
import type { SentItem } from './sent-items.js';

/** Of what is lost in the others nothing would be stored here; `ratelimit_backoff` of transactions is our own doing. */
const CATEGORIES: ReadonlySet<JsonValue | undefined> = new Set(['error', 'default', 'log_item']);
const REASON = /^[a-z0-9_]{1,64}$/;
const OTHER_REASON = 'other';
/** Nobody loses more between two reports. */
const MAX_QUANTITY = 1_000_000_000;

/** Counts what the application lost before it came here, item 30, by Sentry's reason. What is no report counts nothing: it stands for no event. */
export function countClientReport({ payload }: SentItem, account: ReceiverAccount): void {
  for (const { category, reason, quantity } of discardedEvents(payload)) {
    if (!CATEGORIES.has(category) || !isQuantity(quantity)) continue;
    const isReason = typeof reason === 'string' && REASON.test(reason);
    account.lostByClient(isReason ? reason : OTHER_REASON, quantity);
  }
}

function discardedEvents(payload: Buffer | undefined): JsonObject[] {
  try {
    const report = parseLenientJson(payload?.toString() ?? '');
    const discarded = isJsonObject(report) ? report['discarded_events'] : undefined;
    return Array.isArray(discarded) ? discarded.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}

function isQuantity(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= MAX_QUANTITY;
}
