import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { placeDocument, readDocument } from '../../../core/storage/index/documents/checked-document.js';
import type { Finding } from '../../../core/storage/verify/finding.js';
import { rebuildIndex } from '../../../core/storage/verify/rebuild-index.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../helpers/unsynced-files.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createMemoryDisk } from './record/memory-disk.js';
import { everything, openFolder, rebuilt } from './retention/folder-under-retention.js';
import { closeStores, createTestGrouper, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;

/** The changes of an event with `sampled` further occurrences. */
function standingFor(sampled: unknown, changes: Partial<RawPayload> = {}): Partial<RawPayload> {
  const extra: unknown = JSON.parse(JSON.stringify({ cart: 1, faultline: { sampled } }));
  return { ...changes, extra: extra as RawPayload['extra'] };
}

async function detailOf(reader: FailureReader, issueId: IssueId | undefined): Promise<IssueDetail> {
  const issue = issueId === undefined ? undefined : await reader.getIssue(issueId);
  if (issue === undefined) throw new Error('the issue does not exist');
  return issue;
}

async function issueOf({ append }: StoreUnderTest, changes: Partial<RawPayload> = {}): Promise<IssueId> {
  const [stored] = await append(changes);
  if (stored === undefined) throw new Error('not stored');
  return stored.issue_id;
}

/** Returns the details, event ids and summaries of all issues. */
async function allOf(reader: FailureReader): Promise<unknown[]> {
  const { issues } = await reader.listIssues({ limit: 500, sort: 'first_seen' });
  return await Promise.all(
    issues.map(async ({ issue_id: id }) => {
      const { is_new, ...detail } = await detailOf(reader, id);
      const { events } = (await reader.listEvents(id, { limit: 500 })) ?? { events: [] };
      return [detail, events.map(({ event_id }) => event_id), await reader.summarizeEvents(id)];
    }),
  );
}

function without(name: string, all: unknown[]): unknown {
  return JSON.parse(JSON.stringify(all), (key, value) => (key === name ? [] : value));
}

async function findings(directory: string): Promise<string[]> {
  const found: string[] = [];
  const onFinding = ({ code, severity }: Finding): void => {
    if (severity === 'damage') found.push(code);
  };
  await verifyFolder({ directory, createGrouper: createTestGrouper, onFinding });
  return found;
}

/** Returns the members of index documents that hold weights. */
async function weightsIn(directory: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const entries = await readdir(join(directory, 'index'), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const { data } = JSON.parse(await readFile(join(entry.parentPath, entry.name), 'utf8'));
    for (const key of ['weighted_rows', 'weights', 'sampled', 'removed_sampled'])
      if (key in data) found[key] = data[key];
  }
  return found;
}

/** Three hours of events of two issues, some with a weight: 137 occurrences of A, 30 of B. */
async function sampleStore(): Promise<StoreUnderTest & { a: IssueId; b: IssueId }> {
  const test = await storeUnderTest();
  const a = await issueOf(test, { error_name: 'A' });
  const b = await issueOf(test, standingFor(24, { error_name: 'B' }));
  test.clock.nowMs += HOUR_MS;
  await test.append(standingFor(99, { error_name: 'A' }), { error_name: 'B' }, { error_name: 'A' });
  test.clock.nowMs += HOUR_MS;
  await test.append(standingFor(34, { error_name: 'A' }), ...Array.from({ length: 4 }, () => ({ error_name: 'B' })));
  return { ...test, a, b };
}

describe('an event with a weight', () => {
  it('counts by its weight in its issue, its trend and its histogram, and as one event in lists and totals', async () => {
    const { reader, a, b } = await sampleStore();
    expect(await detailOf(reader, a)).toMatchObject({ count: 137, sampled: 133, removed_events: 0, users: 1 });
    expect(await detailOf(reader, b)).toMatchObject({ count: 30, sampled: 24 });
    expect(await reader.stats()).toMatchObject({ sampled: 157 });
    expect((await detailOf(reader, a)).trend.slice(-3)).toEqual([1, 101, 35]);
    expect((await detailOf(reader, b)).trend.slice(-3)).toEqual([25, 1, 4]);
    const summary = await reader.summarizeEvents(a, { buckets: 3 });
    expect(summary?.histogram.counts).toEqual([1, 101, 35]);
    expect([summary?.looked_at, summary?.matched, summary?.total]).toEqual([4, 4, 4]);
    expect(summary?.histogram.is_complete).toBe(true);
    expect((await reader.listEvents(a))?.events).toHaveLength(4);
    expect((await reader.searchEvents()).total.events).toBe(10);
    expect((await reader.stats()).events).toBe(10);
    expect((await reader.listIssues({ query: 'count:>100' })).issues.map(({ issue_id: id }) => id)).toEqual([a]);
    expect((await reader.listIssues({ sort: 'count' })).issues.map(({ issue_id: id }) => id)).toEqual([a, b]);
  });

  it('has a note about its weight', async () => {
    const { reader, append } = await storeUnderTest();
    const [one, many, none] = await append(standingFor(1), standingFor(6), {});
    const notesOf = async (id: typeof one) => (id === undefined ? [] : (await reader.getEvent(id.event_id))?.notes);
    const field = '/extra/faultline/sampled';
    const reason = 'stands for 6 further events of its issue that were received and not stored';
    expect(await notesOf(many)).toEqual([{ code: 'SAMPLED', field, reason }]);
    expect(await notesOf(one)).toMatchObject([
      { reason: expect.stringContaining('1 further event of its issue that was') },
    ]);
    expect(await notesOf(none)).toEqual([]);
  });

  it.each([0, -1, 1.5, 1_000_000_001, '5', null, [5], { n: 5 }, true])(
    'counts as one event if its weight is invalid: %j',
    async (sampled) => {
      const test = await storeUnderTest();
      const issueId = await issueOf(test, standingFor(sampled));
      expect(await detailOf(test.reader, issueId)).toMatchObject({ count: 1, sampled: 0 });
    },
  );

  it('may have a weight of a thousand million many times', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, standingFor(1_000_000_000));
    await test.append(...Array.from({ length: 9 }, () => standingFor(1_000_000_000)));
    expect(await detailOf(test.reader, issueId)).toMatchObject({ count: 10_000_000_010, sampled: 10_000_000_000 });
    const before = await allOf(test.reader);
    await test.store.close();
    const again = await storeUnderTest(test.directory);
    expect(await allOf(again.reader)).toEqual(before);
    expect(again.faults).toEqual([]);
  });

  it('counts the same after a restart, after a rebuild, and in another process', async () => {
    const { store, reader, directory, clock, faults } = await sampleStore();
    const live = await allOf(reader);
    await store.checkpoint();
    const beside = await openFolderReader({ directory, createGrouper: createTestGrouper });
    // The folder reader uses the real clock, which changes the trend.
    expect(without('trend', await allOf(beside))).toEqual(without('trend', live));
    await beside.close();
    await store.close();
    expect(await findings(directory)).toEqual([]);
    for (const open of [
      async () => {},
      () => rm(join(directory, 'index'), { recursive: true }),
      () => rebuildIndex({ directory, createGrouper: createTestGrouper }),
    ]) {
      await open();
      const again = await storeUnderTest(directory);
      again.clock.nowMs = clock.nowMs;
      expect(await allOf(again.reader)).toEqual(live);
      await again.store.close();
      expect(await findings(directory)).toEqual([]);
      expect([...faults, ...again.faults]).toEqual([]);
    }
  });

  it('is merged and split with its weight', async () => {
    const { store, reader, a, b } = await sampleStore();
    const before = await allOf(reader);
    expect(await store.act(a, { action: 'merge', issues: [b] })).toMatchObject({ count: 167, sampled: 157 });
    expect((await detailOf(reader, b)).trend.slice(-3)).toEqual([26, 102, 39]);
    expect((await reader.summarizeEvents(b, { buckets: 3 }))?.histogram.counts).toEqual([26, 102, 39]);
    expect((await reader.summarizeEvents(b))?.total).toBe(10);
    await store.act(a, { action: 'split' });
    await store.act(a, { action: 'undo' });
    await store.act(a, { action: 'undo' });
    expect(without('history', await allOf(reader))).toEqual(without('history', before));
  });

  it('ends a snooze by count by its weight', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, standingFor(50));
    await test.store.act(issueId, { action: 'ignore', snooze: '100x' });
    await test.append(standingFor(98));
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'ignored' });
    await test.append({});
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'open', count: 151 });
  });

  it('ends a snooze by rate by its weight, and not before', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, standingFor(5000));
    test.clock.nowMs += 1000;
    await test.store.act(issueId, { action: 'ignore', snooze: '100x/1m' });
    for (const sampled of [48, 48]) {
      test.clock.nowMs += 61_000;
      await test.append(standingFor(sampled), {});
    }
    test.clock.nowMs += 20_000;
    await test.append(standingFor(48));
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'ignored' });
    await test.append({});
    await waitFor('the end of the snooze', async () => (await detailOf(test.reader, issueId)).status === 'open');
    const { history } = await detailOf(test.reader, issueId);
    expect(history.at(-1)).toMatchObject({ action: 'reopen', reason: '100 events within 1m' });
  });

  it('makes an issue spike by its weight', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test);
    for (let hour = 0; hour < 12; hour += 1) {
      test.clock.nowMs += HOUR_MS;
      await test.append({});
    }
    expect(await detailOf(test.reader, issueId)).toMatchObject({ spiking: false });
    await test.append(standingFor(500));
    expect(await detailOf(test.reader, issueId)).toMatchObject({ spiking: true });
    expect(await test.reader.countIssues()).toMatchObject({ spiking: 1 });
  });
});

describe('retention of events with a weight', () => {
  it('subtracts their weight from counts, live, after a restart, and in a rebuilt index', async () => {
    const disk = createMemoryDisk();
    const { store, at, faults, clock } = await openFolder(disk.files, {
      retention: { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 },
    });
    const [first] = await at(0, [1, 2], standingFor(9));
    await at(0.5, [1]);
    await at(2.5, [1], standingFor(4));
    await at(3.25, [3]);
    const issueId = first?.issue_id;
    expect(await detailOf(store.reader, issueId)).toMatchObject({ count: 16, sampled: 13 });
    await store.checkpoint();
    await store.retain();
    expect(await detailOf(store.reader, issueId)).toMatchObject({ count: 5, sampled: 4, removed_events: 11 });
    expect((await detailOf(store.reader, issueId)).trend.slice(-4)).toEqual([0, 0, 5, 0]);
    const { events, removed } = await store.reader.stats();
    expect([events, removed.events]).toEqual([2, 3]);
    const live = await everything(store.reader);
    await store.close();
    const again = await openFolder(disk.files, {}, clock);
    expect(await everything(again.store.reader)).toEqual(live);
    await again.store.close();
    const later = await rebuilt(disk.files, clock);
    expect(later).toEqual(live);
    const third = await openFolder(disk.files, {}, clock);
    expect(await everything(third.store.reader)).toEqual(live);
    await third.store.close();
    expect([...faults, ...again.faults, ...third.faults]).toEqual([]);
  });
});

describe('faultline verify', () => {
  it('reports a row whose weight differs from its raw line', async () => {
    const { store, directory } = await sampleStore();
    await store.close();
    const folder = join(directory, 'index');
    const names = await readdir(folder, { recursive: true });
    const path = join(folder, names.find((name) => /events.*json$/.test(name)) ?? 'nothing');
    const data = await readDocument(unsyncedFiles, path, 'events');
    await placeDocument(unsyncedFiles, path, 'events', { ...Object(data), weights: [25, 101, 35] });
    expect(await findings(directory)).toEqual(['INDEX_ROWS_WRONG']);
  });
});

describe('the index', () => {
  it('stores weights only for the rows that have one', async () => {
    const weighted = await sampleStore();
    await weighted.store.close();
    expect(await weightsIn(weighted.directory)).toEqual({
      weighted_rows: [1, 2, 5],
      weights: [25, 100, 35],
      sampled: [133, 24],
    });
    const plain = await storeUnderTest();
    await plain.append({}, {});
    await plain.store.close();
    expect(await weightsIn(plain.directory)).toEqual({});
  });
});
