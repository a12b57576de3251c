import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { getLatencies } from '../load.js';
import type { PeerProcess } from '../peer-process.js';
import { percentile, type Row, row } from '../row.js';
import { sampleBody } from '../sample-events.js';

const BATCH = 1000;

/** Fills the collector up to a number of stored events, spread over a number of issues, and answers some event ids. */
async function fill(collector: CollectorProcess, from: number, to: number, issues: number): Promise<string[]> {
  const ids: string[] = [];
  for (let first = from; first < to; first += BATCH) {
    const response = await fetch(`${collector.ingestUrl}/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: new Uint8Array(sampleBody(first, BATCH, issues)),
    });
    if (response.status !== 200) throw new Error(`the collector answered ${response.status}`);
    const answer: unknown = await response.json();
    for (const [, id] of JSON.stringify(answer).matchAll(/"event_id":"([0-9a-f-]{36})"/g)) {
      if (id !== undefined && ids.length * 97 < first - from) ids.push(id);
    }
  }
  return ids;
}

/** Reading at two sizes of the store, starting on the larger one, and the memory it takes. */
export async function readRows(directory: string, peer: PeerProcess, nodeStartMs: number): Promise<Row[]> {
  const rows: Row[] = [];
  let collector = await startCollectorProcess(directory);
  const eventIds: string[] = [];
  let stored = 0;
  for (const [size, issues] of [
    [10_000, 1000],
    [100_000, 10_000],
  ] as const) {
    eventIds.push(...(await fill(collector, stored, size, issues)));
    stored = size;
    const floor = percentile(await getLatencies([`${peer.url}/fixed`], 400), 0.95);
    const events = eventIds.map((id) => `${collector.queryUrl}/api/v1/events/${id}`);
    const label = `${size.toLocaleString('en')} events`;
    rows.push(
      row(
        `event by id, ${label}, p95 ms`,
        percentile(await getLatencies(events, 400), 0.95),
        'bare Express answering 2 kB, p95 ms',
        floor,
        'lower',
      ),
    );
    for (const sort of ['last_seen', 'count']) {
      const pages = [`${collector.queryUrl}/api/v1/issues?sort=${sort}&limit=50`];
      rows.push(
        row(
          `first page of issues by ${sort}, ${label}, p95 ms`,
          percentile(await getLatencies(pages, 200), 0.95),
          'bare Express answering 2 kB, p95 ms',
          floor,
          'lower',
        ),
      );
    }
  }
  rows.push(
    row(
      'resident memory at 100,000 events, 10,000 issues, MiB',
      collector.residentMib(),
      'bare Express after its rows, MiB',
      peer.residentMib(),
      'lower',
    ),
  );
  await collector.stop();
  collector = await startCollectorProcess(directory);
  rows.push(
    row(
      'start to ready after a clean stop at 100,000 events, ms',
      collector.startMs,
      'node -e 0, ms',
      nodeStartMs,
      'lower',
    ),
  );
  await collector.stop();
  return rows;
}
