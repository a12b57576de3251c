import type { IssueId } from '../../../core/event/ids.js';
import type { PayloadReader } from '../../../core/event/payload-reader.js';
import { computeFingerprint } from '../../../core/fingerprint/compute-fingerprint.js';
import { issueIdOf } from '../../../core/issues/issue-id.js';
import type { FailureReader } from '../../../core/reader.js';
import { type PendingRecord, placeKeyOf } from './file-record.js';

/** Newest events of an issue that are looked at beyond as many as there are pending records: what others may have sent meanwhile. */
const SEARCHED_EVENTS = 500;
const PAGE_EVENTS = 500;

/**
 * Those of the records that the store does not have yet. Asked once, after a start that finds records which a killed process was about to hand on. The newest
 * events of each record's issue are searched, 500 and as many as there are records. Throws what the reader does.
 */
export async function recordsNotStored(
  records: readonly PendingRecord[],
  payloads: PayloadReader,
  reader: FailureReader,
): Promise<PendingRecord[]> {
  const storedKeys = new Map<IssueId, Set<string>>();
  const missing: PendingRecord[] = [];
  for (const record of records) {
    const reading = payloads.read(record.value);
    const key = placeKeyOf(record.value['extra']);
    if (!reading.ok || key === undefined) {
      missing.push(record);
      continue;
    }
    const { app, service } = reading.payload;
    const issueId = issueIdOf({ app, service, fingerprint: computeFingerprint(reading.payload).value });
    const keys = storedKeys.get(issueId) ?? (await keysOf(issueId, reader, SEARCHED_EVENTS + records.length));
    storedKeys.set(issueId, keys);
    if (!keys.has(key)) missing.push(record);
  }
  return missing;
}

/** The places in files from which the newest events of an issue came. */
async function keysOf(issueId: IssueId, reader: FailureReader, events: number): Promise<Set<string>> {
  const keys = new Set<string>();
  let cursor: string | undefined;
  for (let left = events; left > 0; left -= PAGE_EVENTS) {
    const limit = Math.min(left, PAGE_EVENTS);
    const page = await reader.listEvents(issueId, { limit, ...(cursor !== undefined && { cursor }) });
    for (const { event_id } of page?.events ?? []) {
      const key = placeKeyOf((await reader.getEvent(event_id))?.raw.payload.extra);
      if (key !== undefined) keys.add(key);
    }
    if (page === undefined || page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return keys;
}
