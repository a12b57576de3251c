import { join } from 'node:path';
import type { EventStore } from '../../../../core/storage/event-store.js';
import { createMemoryDisk, type Fate, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { BY_NAME, countsOf, issuesOf, openGrouped, payloadOf, send } from './regrouped-folder.js';

/** Longer than any test: only a test starts checkpoints. */
const NEVER_MS = 2 ** 30;

/** How often a disk syncs. */
type Durability = 'fsync' | 'os';

function open(disk: MemoryDisk, durability: Durability): Promise<EventStore> {
  return openGrouped(MEMORY_ROOT, { files: disk.files, durability, checkpointIntervalMs: NEVER_MS });
}

/** Results of a process before it died. */
interface Results {
  events: number;
  /** Events that may have been stored. */
  unacknowledged: number;
  regrouping: 'none' | 'applying' | 'applied' | 'rolling back' | 'rolled back';
}

async function runProcess(store: EventStore, results: Results): Promise<void> {
  const sendCounted = async (...payloads: Parameters<typeof payloadOf>[]): Promise<void> => {
    results.unacknowledged = payloads.length;
    await send(store, ...payloads.map((one) => payloadOf(...one)));
    results.unacknowledged = 0;
    results.events += payloads.length;
  };
  await sendCounted(['A', 'one'], ['A', 'two'], ['B', 'two']);
  await sendCounted(['A', 'one'], ['B', 'three'], ['C', 'four']);
  const { issues } = await store.reader.listIssues();
  const two = issues.find(({ title }) => title === '4 two');
  if (two !== undefined) await store.act(two.issue_id, { action: 'resolve' });
  results.regrouping = 'applying';
  await store.regroup.apply(BY_NAME);
  results.regrouping = 'applied';
  await sendCounted(['D', 'two']);
  await store.checkpoint();
  results.regrouping = 'rolling back';
  await store.regroup.rollBack();
  results.regrouping = 'rolled back';
  await sendCounted(['E', 'five']);
  await store.close();
}

/** Returns a folder whose process died at a call that changes the disk, in the middle of a regrouping, a rollback or the time between. */
export async function diedAt(at: number, effect: Fate['effect'], durability: Durability) {
  const disk = createMemoryDisk();
  const results: Results = { events: 0, unacknowledged: 0, regrouping: 'none' };
  let calls = 0;
  disk.fateOf = () => {
    calls += 1;
    return calls <= at ? undefined : { code: 'EIO', effect: calls === at + 1 ? effect : 'none' };
  };
  let store: EventStore | undefined;
  try {
    store = await open(disk, durability);
    await runProcess(store, results);
  } catch (error) {
    if (calls <= at) throw error;
  }
  const resultsAtDeath = { ...results };
  const killed = disk.kill();
  // Releases timers; the calls fail.
  void store?.close().catch(() => undefined);
  return { disk: killed, results: resultsAtDeath, calls };
}

/** Expected issues of the first six events by grouping. */
const COUNTS = {
  'by message': ['4 four: 1 open', '4 one: 2 open', '4 three: 1 open', '4 two: 2 resolved'],
  'by name': ['1 A: 3 resolved', '1 B: 2 resolved', '1 C: 1 open'],
};

/** Expects the complete old grouping or the complete new one, now, after a restart and in a rebuilt index. */
export async function expectOldOrNew(
  { disk, results }: Awaited<ReturnType<typeof diedAt>>,
  durability: Durability,
): Promise<void> {
  const store = await open(disk, durability);
  const { events } = await store.reader.stats();
  expect(events).toBeGreaterThanOrEqual(results.events);
  expect(events).toBeLessThanOrEqual(results.events + results.unacknowledged);
  const { version } = store.grouper.settings;
  if (results.regrouping === 'none' || results.regrouping === 'rolled back') expect(version).toBe(4);
  if (results.regrouping === 'applied') expect(version).toBe(1);
  if (events === 6 && results.regrouping !== 'none') {
    expect(await countsOf(store.reader)).toEqual(COUNTS[version === 1 ? 'by name' : 'by message']);
  }
  await send(store, payloadOf('F', 'six'));
  const before = await issuesOf(store.reader);
  await store.close();
  const withoutIndex = disk.copy();
  await withoutIndex.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'index.old'));
  for (const one of [disk, withoutIndex]) {
    const again = await open(one, durability);
    expect(await issuesOf(again.reader)).toEqual(before);
    await again.close();
  }
}
