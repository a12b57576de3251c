import type { FailureReader } from '../../../core/contract/reader.js';
import type { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { printValue } from '../../../core/query/print-query.js';
import { locationKeyOf, type PendingRecord } from './file-record.js';

/** Newest events of a service that are searched, in addition to the number of pending records. */
const SEARCHED_EVENTS = 5_000;
/** Newest events of all services that one search scans. */
const SCANNED_EVENTS = 100_000;
const PAGE_EVENTS = 500;

/**
 * Returns the records that the store does not have yet, for records that a killed process was about to forward. Searches the newest events by service,
 * because the grouping rules may have changed since. Throws what the reader throws.
 */
export async function recordsNotStored(
  records: readonly PendingRecord[],
  payloads: PayloadParser,
  reader: FailureReader,
): Promise<PendingRecord[]> {
  const services = new Map<string, Set<string>>();
  const named = records.map((record) => {
    const reading = payloads.parse(record.value);
    const key = locationKeyOf(record.value['extra']);
    if (!reading.ok || key === undefined) return { record };
    const { app, service } = reading.payload;
    const query = `app:${printValue(app, 'text')} service:${printValue(service, 'text')}`;
    const pending = services.get(query) ?? new Set();
    services.set(query, pending.add(key));
    return { record, query, key };
  });
  const stored = new Map<string, Set<string>>();
  for (const [query, keys] of services) {
    stored.set(query, await storedOf(keys, query, reader, SEARCHED_EVENTS + records.length));
  }
  return named
    .filter(({ query, key }) => query === undefined || key === undefined || stored.get(query)?.has(key) !== true)
    .map(({ record }) => record);
}

/** Returns the wanted location keys among the newest events that match the query. */
async function storedOf(
  wanted: ReadonlySet<string>,
  query: string,
  reader: FailureReader,
  events: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let left = events; left > 0 && found.size < wanted.size; ) {
    const page = await reader.searchEvents({ query, limit: PAGE_EVENTS, ...(cursor !== undefined && { cursor }) });
    left -= page.events.length;
    for (const { event_id } of page.events) {
      const key = locationKeyOf((await reader.getEvent(event_id))?.raw.payload.extra);
      if (key !== undefined && wanted.has(key)) found.add(key);
    }
    if (page.next_cursor === null || page.scanned.events > SCANNED_EVENTS) break;
    cursor = page.next_cursor;
  }
  return found;
}
