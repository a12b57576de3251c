import { join } from 'node:path';
import { missing } from '../../../helpers/missing.js';
import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { eventIdsOf, everything, filesBelow, HOUR_MS, openFolder, rebuilt } from './folder-under-retention.js';

const TWO_HOURS = { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 };

async function rawHours(disk: ReturnType<typeof createMemoryDisk>): Promise<string[]> {
  const files = await filesBelow(disk.files, join(MEMORY_ROOT, 'raw'));
  return [...new Set(files.map((path) => path.split('/').slice(-3, -1).join(' ')))];
}

describe('retention by age', () => {
  it('removes whole hours, oldest first, and counts them in the issues and the stats', async () => {
    const disk = createMemoryDisk();
    const { store, at, faults } = await openFolder(disk.files, { retention: TWO_HOURS });
    const [gone] = await at(0, [1, 1, 2]);
    await at(0.5, [3], { service: 'web' });
    await at(1.5, [1]);
    const [kept] = await at(3.25, [1, 4]);
    await store.retain();
    expect(await rawHours(disk)).toEqual(['21 11', '21 13']);
    const { issues } = await store.reader.listIssues({ sort: 'first_seen' });
    expect(issues.map(({ count, removed_events }) => [count, removed_events])).toEqual([
      [1, 0],
      [0, 1],
      [2, 2],
      [0, 1],
    ]);
    expect((await store.reader.stats()).removed).toMatchObject({
      events: 4,
      partitions: 2,
      before: '2026-11-21T11:00:00.000000Z',
    });
    expect((await store.reader.stats()).partitions).toBe(2);
    expect(await store.reader.getEvent(gone?.event_id ?? missing())).toBeUndefined();
    expect(await store.reader.getEvent(kept?.event_id ?? missing())).toBeDefined();
    await store.close();
    expect(faults).toEqual([]);
  });

  it('leaves an issue without events with its history and an empty list', async () => {
    const disk = createMemoryDisk();
    const { store, at } = await openFolder(disk.files, { retention: TWO_HOURS });
    const [gone] = await at(0, [1, 1], { release: 'v1', env: 'staging', level: 'critical' });
    const issueId = gone?.issue_id ?? missing();
    await store.act(issueId, { action: 'resolve', actor: 'ada' });
    const before = await store.reader.getIssue(issueId);
    await at(5, [2]);
    await store.retain();
    const issue = (await store.reader.getIssue(issueId)) ?? missing();
    const { trend: _, basis, count, removed_events, automatic_history: changes, ...after } = issue;
    expect(changes.map(({ kind }) => kind)).toEqual(['first_event', 'events_removed']);
    expect([count, removed_events, basis.rule]).toEqual([0, 2, 'unknown']);
    expect(before).toMatchObject(after);
    expect(await store.reader.listEvents(issueId)).toEqual({ events: [], next_cursor: null });
    await store.close();
  });

  it('never removes the hour that is being written', async () => {
    const disk = createMemoryDisk();
    const { store, at } = await openFolder(disk.files, { retention: { maxAgeMs: 1, maxBytes: 1 } });
    await at(0, [1]);
    await at(0.9, [1]);
    await store.retain();
    expect((await store.reader.stats()).events).toBe(2);
    await at(1, [1]);
    await store.retain();
    expect((await store.reader.stats()).events).toBe(1);
    await store.close();
  });

  it('also runs without traffic, and later events have later times than removed ones', async () => {
    const disk = createMemoryDisk();
    const first = await openFolder(disk.files);
    await first.at(0, [1, 1]);
    await first.store.close();
    const clock = { nowMs: TEN_O_CLOCK_MS + 5 * HOUR_MS };
    const { store, at } = await openFolder(disk.files, { retention: { maxAgeMs: HOUR_MS, maxBytes: 0 } }, clock);
    await store.retain();
    expect((await store.reader.stats()).removed).toMatchObject({ events: 2, before: '2026-11-21T11:00:00.000000Z' });
    const [stored] = await at(0.5, [1]);
    expect(stored?.raw.path).toContain('/2026/11/21/11/');
    await store.close();
    const again = await openFolder(disk.files, {}, { nowMs: TEN_O_CLOCK_MS });
    const [later] = await again.at(0, [1]);
    expect(later?.raw.path).toContain('/2026/11/21/11/');
    expect((await again.store.reader.stats()).events).toBe(2);
    expect(again.faults).toEqual([]);
    await again.store.close();
  });

  it('removes nothing without bounds', async () => {
    const disk = createMemoryDisk();
    const { store, at } = await openFolder(disk.files, { retention: { maxAgeMs: 0, maxBytes: 0 } });
    await at(0, [1]);
    await at(24 * 400, [1]);
    await store.retain();
    expect((await store.reader.stats()).events).toBe(2);
    expect((await filesBelow(disk.files, MEMORY_ROOT)).includes('retention.ndjson')).toBe(false);
    await store.close();
  });
});

describe('retention by size', () => {
  it('removes the oldest hours until the rest fits, and no more', async () => {
    const disk = createMemoryDisk();
    const bounds = { maxAgeMs: 0, maxBytes: 1 };
    const { store, at } = await openFolder(disk.files, { retention: bounds });
    await at(0, [1, 2, 3]);
    const hour = await recordBytes(disk);
    for (const later of [1, 2, 3, 4]) await at(later, [1, 2, 3]);
    bounds.maxBytes = Math.ceil(hour * 2.5);
    await store.retain();
    expect(await rawHours(disk)).toEqual(['21 13', '21 14']);
    bounds.maxBytes = 1;
    await store.retain();
    expect(await rawHours(disk)).toEqual(['21 14']);
    expect((await store.reader.stats()).removed).toMatchObject({ events: 12, partitions: 4 });
    await store.close();
  });
});

describe('a folder after retention', () => {
  it('returns the same after a restart and after a rebuild, for issues that lost all, some or none of their events', async () => {
    const disk = createMemoryDisk();
    const opened = await openFolder(disk.files, { retention: TWO_HOURS });
    const { store, at } = opened;
    for (let hour = 0; hour < 24; hour += 1) {
      const extra = hour % 4 === 1 ? { faultline: { sampled: hour } } : null;
      const changes = {
        env: `e${hour % 5}`,
        extra,
        release: `r${hour % 7}`,
        level: hour % 3 === 0 ? 'critical' : null,
      };
      await at(hour + 0.1, [hour % 6, 100 + hour, 7], changes);
      // Event times out of order, also in the trend of an issue that lost events.
      await at(hour + 0.2, [hour % 4, 7], {
        timestamp: new Date(opened.clock.nowMs - (hour % 9) * HOUR_MS).toISOString(),
      });
      if (hour % 11 === 5) await store.retain();
    }
    await store.retain();
    const live = await everything(store.reader);
    expect(live.stats.removed.events).toBeGreaterThan(50);
    expect(live.issues.some(({ count, removed_events }) => count > 0 && removed_events > 0)).toBe(true);
    await store.close();
    const again = await openFolder(disk.files, {}, opened.clock);
    expect(await everything(again.store.reader)).toEqual(live);
    await again.store.close();
    expect(await rebuilt(disk.files, opened.clock)).toEqual(live);
    const third = await openFolder(disk.files, {}, opened.clock);
    expect(await everything(third.store.reader)).toEqual(live);
    expect([...opened.faults, ...again.faults, ...third.faults]).toEqual([]);
    await third.store.close();
    const fourth = await openFolder(disk.files, {}, opened.clock);
    expect(await everything(fourth.store.reader)).toEqual(live);
    expect(fourth.faults).toEqual([]);
    await fourth.store.close();
  });

  it('continues: an issue reappears, a later hour begins, ids ascend', async () => {
    const disk = createMemoryDisk();
    const { store, at, clock } = await openFolder(disk.files, { retention: TWO_HOURS });
    const [first] = await at(0, [1]);
    await at(4, [2]);
    await store.retain();
    const [back] = await at(4.1, [1], { release: 'v9' });
    expect(back?.issue_id).toBe(first?.issue_id);
    expect(await store.reader.getIssue(back?.issue_id ?? missing())).toMatchObject({
      count: 1,
      removed_events: 1,
      releases: ['v1.4.2', 'v9'],
    });
    expect(await eventIdsOf(store.reader, back?.issue_id ?? missing())).toEqual([back?.event_id]);
    const live = await everything(store.reader);
    await store.close();
    expect(await rebuilt(disk.files, clock)).toEqual(live);
  });

  it('has no segments of removed hours on the disk', async () => {
    const disk = createMemoryDisk();
    const filled = await openFolder(disk.files);
    for (let hour = 0; hour < 6; hour += 1) {
      for (let batch = 0; batch < 4; batch += 1)
        await filled.at(
          hour,
          Array.from({ length: 300 }, (_, kind) => kind % 50),
        );
    }
    await filled.store.close();
    const segments = async () =>
      (await filesBelow(disk.files, join(MEMORY_ROOT, 'index'))).filter((path) => path.includes('/events/')).length;
    const before = await segments();
    const { store } = await openFolder(disk.files, { retention: TWO_HOURS }, filled.clock);
    await store.retain();
    expect(before - (await segments())).toBe(4);
    const live = await everything(store.reader);
    await store.close();
    const again = await openFolder(disk.files, {}, filled.clock);
    expect(again.faults).toEqual([]);
    expect(await everything(again.store.reader)).toEqual(live);
    await again.store.close();
  });
});

describe('a reader that pages while hours vanish', () => {
  it('gets each remaining event once, and the end of the list after removed ones', async () => {
    const disk = createMemoryDisk();
    const { store, at, faults } = await openFolder(disk.files, { retention: TWO_HOURS });
    for (let hour = 0; hour < 5; hour += 1) await at(hour, [1, 1, 1, 1]);
    const issueId = (await store.reader.listIssues()).issues[0]?.issue_id ?? missing();
    const first = await store.reader.listEvents(issueId, { limit: 6 });
    const old = await store.reader.listEvents(issueId, { limit: 18 });
    const [, second] = await Promise.all([
      store.retain(),
      store.reader.listEvents(issueId, { limit: 100, cursor: first?.next_cursor ?? missing() }),
    ]);
    expect(second?.events.length).toBeGreaterThanOrEqual(10);
    const rest = await store.reader.listEvents(issueId, { limit: 100, cursor: first?.next_cursor ?? missing() });
    expect(rest?.events).toHaveLength(10);
    expect(rest?.next_cursor).toBeNull();
    expect(await store.reader.listEvents(issueId, { limit: 18, cursor: old?.next_cursor ?? missing() })).toEqual({
      events: [],
      next_cursor: null,
    });
    expect(faults).toEqual([]);
    await store.close();
  });
});

async function recordBytes(disk: ReturnType<typeof createMemoryDisk>): Promise<number> {
  const root = join(MEMORY_ROOT, 'raw');
  let bytes = 0;
  for (const path of await filesBelow(disk.files, root)) bytes += (await disk.files.stat(join(root, path)))?.bytes ?? 0;
  return bytes;
}
