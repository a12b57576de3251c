import { join } from 'node:path';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import { startCollectorProcess } from './collector-process.js';
import { folderBytes } from './folder-bytes.js';
import { postAll } from './load.js';
import { inRawLineOrder, sampleBody, sampleEvent } from './sample-events.js';

const BATCH = 500;
/** Bodies of the frequent failure, which are repeated. */
const BODIES = 40;
const CONNECTIONS = 4;
const PAGE = 500;

/** Many events of one failure, with rare failures of one event each in between. */
export interface Storm {
  readonly events: number;
  readonly rare: number;
  /** Changes to the default configuration. */
  readonly sets: readonly string[];
}

export interface StormResult {
  readonly acceptedPerSecond: number;
  readonly seconds: number;
  readonly stored: number;
  /** Size of the data folder after the collector was stopped. */
  readonly bytes: number;
}

/** Sends a storm to a new collector, stops it and reads its folder; throws unless all events were accepted, and each issue has its exact count. */
export async function runStorm({ events, rare, sets }: Storm, folder: string): Promise<StormResult> {
  const directory = join(folder, `storm-${events}`);
  const collector = await startCollectorProcess(directory, undefined, sets);
  const began = performance.now();
  const accepted = await postAll(`${collector.ingestUrl}/v1/events`, stormBodies(events, rare), CONNECTIONS);
  const seconds = (performance.now() - began) / 1000;
  await collector.stop();
  if (accepted !== events + rare) throw new Error(`${accepted} events of a storm were accepted, not ${events + rare}`);
  const stored = await checkCounts(directory, events, rare);
  return { acceptedPerSecond: accepted / seconds, seconds, stored, bytes: folderBytes(directory) };
}

/** `events` must be a multiple of the batch. */
function* stormBodies(events: number, rare: number): Generator<Buffer> {
  const bodies = Array.from({ length: BODIES }, (_, index) => sampleBody(index * BATCH, BATCH, 1));
  const batches = events / BATCH;
  let sent = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const due = Math.floor(((batch + 1) * rare) / batches);
    const lines: Buffer[] = [];
    for (; sent < due; sent += 1) lines.push(Buffer.from(`${inRawLineOrder(sampleEvent(1 + sent, sent))}\n`));
    yield Buffer.concat([bodies[batch % BODIES] ?? Buffer.alloc(0), ...lines]);
  }
}

/** Returns the number of stored events; throws unless all counts are exact. */
async function checkCounts(directory: string, events: number, rare: number): Promise<number> {
  const reader = await openFolderReader({ directory });
  const counts: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.listIssues({ sort: 'count', limit: PAGE, ...(cursor !== undefined && { cursor }) });
    counts.push(...page.issues.map(({ count }) => count));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const { events: stored } = await reader.stats();
  await reader.close();
  const [most = 0, ...others] = counts;
  const once = others.filter((count) => count === 1).length;
  if (most === events && once === rare && others.length === rare) return stored;
  throw new Error(
    `a storm of ${events} events and ${rare} others has counts of ${most}, and ${once} others of ${others.length} once`,
  );
}
