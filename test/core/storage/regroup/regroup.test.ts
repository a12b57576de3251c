import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { IssueId } from '../../../../core/event/ids.js';
import { createGrouper, type Grouper } from '../../../../core/fingerprint/grouper.js';
import {
  DEFAULT_GROUPING,
  type GroupingSettings,
  groupingKey,
} from '../../../../core/fingerprint/grouping-settings.js';
import { regroupFolder } from '../../../../core/storage/acting-folder.js';
import type { EventStore } from '../../../../core/storage/event-store.js';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import { rebuildIndex } from '../../../../core/storage/verify/rebuild-index.js';
import { verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import {
  ALL_ONE,
  BY_MESSAGE,
  BY_NAME,
  countsOf,
  createTestGrouper,
  grouped,
  issuesOf,
  openGrouped,
  payloadOf,
  send,
} from './regrouped-folder.js';

afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;
const opened: EventStore[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** A store grouped by message with six events in four issues. */
async function sampleStore(options: Parameters<typeof openGrouped>[1] = {}) {
  const disk = createMemoryDisk();
  const store = await openGrouped(MEMORY_ROOT, { files: disk.files, ...options });
  opened.push(store);
  await send(store, payloadOf('A', 'one'), payloadOf('A', 'two'), payloadOf('B', 'two'));
  await send(store, payloadOf('A', 'one'), payloadOf('B', 'three'), payloadOf('C', 'four'));
  return { disk, store };
}

const BY_MESSAGE_COUNTS = ['4 four: 1 open', '4 one: 2 open', '4 three: 1 open', '4 two: 2 open'];
const BY_NAME_COUNTS = ['1 A: 3 open', '1 B: 2 open', '1 C: 1 open'];

async function issueTitled(store: EventStore, title: string): Promise<IssueId> {
  const { issues } = await store.reader.listIssues({ limit: 500 });
  const found = issues.find((issue) => issue.title === title);
  if (found === undefined) throw new Error(`no issue ${title}`);
  return found.issue_id;
}

async function findings({ files }: MemoryDisk): Promise<string[]> {
  const codes: string[] = [];
  await verifyFolder({
    directory: MEMORY_ROOT,
    files,
    createGrouper: createTestGrouper,
    onFinding: ({ code }) => codes.push(code),
  });
  return codes;
}

describe('a regrouping', () => {
  it('groups all received events, and new events by its version', async () => {
    const { store } = await sampleStore();
    expect(await countsOf(store.reader)).toEqual(BY_MESSAGE_COUNTS);
    const result = await store.regroup.apply(BY_NAME);
    expect(result).toMatchObject({ events: 6, issues_before: 4, issues_after: 3 });
    expect(await countsOf(store.reader)).toEqual(BY_NAME_COUNTS);
    expect(store.grouper.settings.version).toBe(1);
    await send(store, payloadOf('C', 'six'));
    expect(await countsOf(store.reader)).toEqual(['1 A: 3 open', '1 B: 2 open', '1 C: 2 open']);
  });

  it('survives a restart without a replay, and a rebuild returns the same', async () => {
    const { disk, store } = await sampleStore();
    await store.regroup.apply(BY_NAME);
    await send(store, payloadOf('C', 'six'), payloadOf('D', 'seven'));
    const before = await issuesOf(store.reader);
    await store.close();
    let replayed = 0;
    const faults: Error[] = [];
    const again = await openGrouped(MEMORY_ROOT, {
      files: disk.files,
      onProgress: ({ doneEvents }) => {
        replayed += doneEvents;
      },
      onFault: (fault) => faults.push(fault),
    });
    expect([await issuesOf(again.reader), replayed, faults]).toEqual([before, 0, []]);
    await again.close();
    expect(await findings(disk)).toEqual([]);
    await rebuildIndex({ directory: MEMORY_ROOT, files: disk.files, createGrouper: createTestGrouper });
    const rebuilt = await openGrouped(MEMORY_ROOT, { files: disk.files });
    opened.push(rebuilt);
    expect(await issuesOf(rebuilt.reader)).toEqual(before);
    await rebuilt.close();
    expect(await findings(disk)).toEqual([]);
  });

  it('is rolled back completely: issues, counts and statuses are restored', async () => {
    const { disk, store } = await sampleStore();
    await store.act(await issueTitled(store, '4 two'), { action: 'resolve' });
    await store.act(await issueTitled(store, '4 one'), { action: 'ignore' });
    const before = await issuesOf(store.reader);
    await store.regroup.apply(BY_NAME);
    expect(await countsOf(store.reader)).not.toEqual(BY_MESSAGE_COUNTS);
    await store.regroup.rollBack();
    expect(await issuesOf(store.reader)).toEqual(before);
    expect(store.grouper.settings.version).toBe(4);
    await expect(store.regroup.rollBack()).rejects.toMatchObject({ code: 'REGROUP_NOTHING_TO_ROLL_BACK' });
    await store.close();
    const again = await openGrouped(MEMORY_ROOT, { files: disk.files });
    opened.push(again);
    expect(await issuesOf(again.reader)).toEqual(before);
  });

  it('is rolled back with later events, even if the earlier generation is missing', async () => {
    for (const isGone of [false, true]) {
      const { disk, store } = await sampleStore();
      await store.regroup.apply(BY_NAME);
      await send(store, payloadOf('A', 'four'), payloadOf('D', 'five'));
      await store.close();
      if (isGone) await disk.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'index.unusable-1'));
      const again = await openGrouped(MEMORY_ROOT, { files: disk.files });
      opened.push(again);
      await send(again, payloadOf('E', 'one'));
      expect(await again.regroup.rollBack()).toMatchObject({ events: 9, issues_after: 5 });
      const counts = ['4 five: 1 open', '4 four: 2 open', '4 one: 3 open', '4 three: 1 open', '4 two: 2 open'];
      expect(await countsOf(again.reader)).toEqual(counts);
      await send(again, payloadOf('E', 'five'));
      await again.close();
      expect((await findings(disk)).filter((code) => code !== 'INDEX_SET_ASIDE')).toEqual([]);
    }
  });

  it('neither loses nor duplicates events that arrive meanwhile, whatever their grouping', async () => {
    const { disk, store } = await sampleStore();
    const batches: Promise<unknown>[] = [];
    let isDone = false;
    const sending = (async () => {
      for (let batch = 0; !isDone || batch < 20; batch += 1) {
        const { grouper } = store;
        const payloads = [payloadOf('A', `m${batch % 7}`), payloadOf(`N${batch % 3}`, 'same')];
        const events = payloads.map((payload) => ({ payload, fingerprint: grouper.fingerprint(payload) }));
        // Not at every turn: most of the time would go to writing.
        for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        batches.push(store.append(events, { groupedBy: grouper.key }));
        // A few appends are always in flight.
        await batches.at(-4);
      }
    })();
    await store.regroup.apply(BY_NAME);
    await store.regroup.rollBack();
    await store.regroup.apply(ALL_ONE);
    await store.regroup.apply(BY_NAME);
    isDone = true;
    await sending;
    await Promise.all(batches);
    const { issues } = await store.reader.listIssues({ limit: 500 });
    expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(6 + 2 * batches.length);
    expect(issues.map(({ title }) => title).sort()).toEqual(['1 A', '1 B', '1 C', '1 N0', '1 N1', '1 N2']);
    const before = await issuesOf(store.reader);
    await store.close();
    expect(await findings(disk)).toEqual([]);
    await rebuildIndex({ directory: MEMORY_ROOT, files: disk.files, createGrouper: createTestGrouper });
    const rebuilt = await openGrouped(MEMORY_ROOT, { files: disk.files });
    opened.push(rebuilt);
    expect(await issuesOf(rebuilt.reader)).toEqual(before);
  });

  it('moves actions with the events: an issue resolved by message is resolved in every issue that has one of them', async () => {
    const { store } = await sampleStore();
    await store.act(await issueTitled(store, '4 two'), { action: 'resolve' });
    await store.regroup.apply(BY_NAME);
    expect(await countsOf(store.reader)).toEqual(['1 A: 3 resolved', '1 B: 2 resolved', '1 C: 1 open']);
    await store.act(await issueTitled(store, '1 C'), { action: 'ignore' });
    await store.regroup.rollBack();
    expect(await countsOf(store.reader)).toEqual([
      '4 four: 1 ignored',
      '4 one: 2 open',
      '4 three: 1 open',
      '4 two: 2 resolved',
    ]);
  });

  it('runs one at a time, and ends with the store', async () => {
    const { store } = await sampleStore();
    const first = store.regroup.apply(BY_NAME);
    await expect(store.regroup.apply(BY_NAME)).rejects.toMatchObject({ code: 'REGROUP_RUNNING', retryable: true });
    await first;
    const last = store.regroup.apply(BY_MESSAGE);
    await Promise.all([expect(last).rejects.toMatchObject({ code: 'STORE_CLOSING' }), store.close()]);
  });

  it('that is aborted changes nothing', async () => {
    const { disk, store } = await sampleStore();
    const before = await issuesOf(store.reader);
    const stop = new AbortController();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(store.regroup.apply(BY_NAME, { signal: stop.signal })).rejects.toBe(reason);
    await expect(store.regroup.preview(BY_NAME, { signal: stop.signal })).rejects.toBe(reason);
    expect(await issuesOf(store.reader)).toEqual(before);
    await store.close();
    expect(await findings(disk)).toEqual([]);
  });

  it('is visible to a reader of the same folder', async () => {
    const { disk, store } = await sampleStore();
    const faults: Error[] = [];
    const createGrouper = createTestGrouper;
    const reader = await openFolderReader({
      directory: MEMORY_ROOT,
      files: disk.files,
      createGrouper,
      onFault: (fault) => faults.push(fault),
    });
    await store.act(await issueTitled(store, '4 two'), { action: 'resolve' });
    await store.regroup.apply(BY_NAME);
    await expectSoon(() => countsOf(reader), ['1 A: 3 resolved', '1 B: 2 resolved', '1 C: 1 open']);
    await store.regroup.rollBack();
    await expectSoon(() => countsOf(reader), await countsOf(store.reader));
    expect((await reader.stats()).grouping).toEqual((await store.reader.stats()).grouping);
    expect(faults).toEqual([]);
    await reader.close();
  });

  it('works on a folder without a collector', async () => {
    const { disk, store } = await sampleStore();
    const options = { directory: MEMORY_ROOT, files: disk.files, createGrouper: createTestGrouper };
    await expect(regroupFolder(options, ({ regroup }) => regroup.apply(BY_NAME))).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
    await store.close();
    const progress: number[] = [];
    const result = await regroupFolder(options, ({ regroup }) =>
      regroup.apply(BY_NAME, { onProgress: ({ doneEvents }) => progress.push(doneEvents) }),
    );
    expect([result.issues_after, progress.at(-1)]).toEqual([3, 6]);
    const missing = { ...options, directory: join(MEMORY_ROOT, 'nothing') };
    await expect(regroupFolder(missing, ({ regroup }) => regroup.rollBack())).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
  });

  it('works while retention removes hours', async () => {
    const clock = { nowMs: TEN_O_CLOCK_MS };
    const { disk, store } = await sampleStore({
      nowMs: () => clock.nowMs,
      retention: { maxAgeMs: HOUR_MS, maxBytes: 0 },
    });
    await store.act(await issueTitled(store, '4 two'), { action: 'ignore' });
    clock.nowMs += 3 * HOUR_MS;
    await send(store, payloadOf('A', 'one'), payloadOf('C', 'two'));
    await Promise.all([store.regroup.apply(BY_NAME), store.retain()]);
    clock.nowMs += 1_000;
    await store.retain();
    const stats = await store.reader.stats();
    expect([stats.events, stats.removed.events]).toEqual([2, 6]);
    await send(store, payloadOf('B', 'one'));
    const before = await issuesOf(store.reader);
    await store.close();
    expect(await findings(disk)).toEqual([]);
    await rebuildIndex({ directory: MEMORY_ROOT, files: disk.files, createGrouper: createTestGrouper });
    const again = await openGrouped(MEMORY_ROOT, {
      files: disk.files,
      nowMs: () => clock.nowMs,
    });
    opened.push(again);
    expect(await issuesOf(again.reader)).toEqual(before);
    await again.regroup.rollBack();
    const { issues } = await again.reader.listIssues({ limit: 500 });
    expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect(issues.reduce((sum, { removed_events: removed }) => sum + removed, 0)).toBe(6);
  });

  it('equals a rebuild for any sequence of appends, regroupings and rollbacks', async () => {
    const step = fc.oneof(
      fc.record({
        name: fc.constantFrom('A', 'B', 'C'),
        message: fc.constantFrom('x', 'y', 'z'),
        sampled: fc.constantFrom(0, 0, 7),
      }),
      fc.constantFrom('by name', 'by message', 'all one', 'back', 'reopen', 'checkpoint'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const disk = createMemoryDisk();
        let store = await openGrouped(MEMORY_ROOT, { files: disk.files });
        let sent = 0;
        let received = 0;
        for (const one of steps) {
          if (typeof one === 'object') {
            sent += 1;
            received += 1 + one.sampled;
            await send(store, payloadOf(one.name, one.message, { extra: { faultline: { sampled: one.sampled } } }));
          } else if (one === 'by name') await store.regroup.apply(BY_NAME);
          else if (one === 'by message') await store.regroup.apply(BY_MESSAGE);
          else if (one === 'all one') await store.regroup.apply(ALL_ONE);
          else if (one === 'back') await store.regroup.rollBack().catch(() => undefined);
          else if (one === 'checkpoint') await store.checkpoint();
          else {
            await store.close();
            store = await openGrouped(MEMORY_ROOT, { files: disk.files });
          }
        }
        const before = await issuesOf(store.reader);
        expect((await store.reader.stats()).events).toBe(sent);
        const { issues } = await store.reader.listIssues({ limit: 500 });
        expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(received);
        await store.close();
        await rebuildIndex({ directory: MEMORY_ROOT, files: disk.files, createGrouper: createTestGrouper });
        const rebuilt = await openGrouped(MEMORY_ROOT, { files: disk.files });
        expect(await issuesOf(rebuilt.reader)).toEqual(before);
        await rebuilt.close();
      }),
      // A run takes 100 ms.
      { numRuns: 15 },
    );
  });
});

describe('a preview of a regrouping', () => {
  it('returns what would merge, split and appear, and changes nothing', async () => {
    const { store } = await sampleStore();
    const before = await issuesOf(store.reader);
    const preview = await store.regroup.preview(BY_NAME);
    expect(preview).toMatchObject({
      events: 6,
      issues_before: 4,
      issues_after: 3,
      unchanged_total: 0,
      renamed_total: 1,
      merged_total: 2,
      split_total: 1,
      appeared_total: 0,
    });
    const titles = (issues: readonly { title: string; events: number }[]) =>
      issues.map(({ title, events }) => `${title}: ${events}`);
    expect(preview.merged.map((one) => [one.title, one.events, titles(one.parts)])).toEqual([
      ['1 A', 3, ['4 one: 2', '4 two: 1']],
      ['1 B', 2, ['4 two: 1', '4 three: 1']],
    ]);
    expect(preview.split.map((one) => [one.title, titles(one.parts)])).toEqual([['4 two', ['1 A: 1', '1 B: 1']]]);
    const [sample] = preview.merged[0]?.sample_events ?? [];
    expect((await store.reader.getEvent(sample ?? ('' as never)))?.normalized.message).toBe('one');
    expect(await issuesOf(store.reader)).toEqual(before);
  });

  it('with the active settings returns no changes', async () => {
    const { store } = await sampleStore();
    const preview = await store.regroup.preview(BY_MESSAGE);
    expect(preview).toMatchObject({ issues_before: 4, issues_after: 4, unchanged_total: 4, merged: [], split: [] });
  });
});

/** As the program with version 3 of the rules grouped: one issue for each error name. */
function createOlderGrouper(settings: GroupingSettings): Grouper {
  const { fingerprint, ...rest } = createTestGrouper({ ...BY_NAME, version: 1 });
  return {
    ...rest,
    settings,
    key: groupingKey(settings),
    fingerprint: (payload) => ({ ...fingerprint(payload), version: 3, title: payload.error_name }),
  };
}

/** A folder with three events in two issues, one commented, one resolved. */
async function folderOfVersion3(): Promise<string> {
  const directory = await temporaryFolder();
  const store = await openGrouped(directory, { createGrouper: createOlderGrouper });
  opened.push(store);
  const payloads = [payloadOf('SyncError', 'exit status 1'), payloadOf('SyncError', 'exit status 2')];
  await send(store, ...payloads, payloadOf('CartError', 'is empty'));
  await store.act(await issueTitled(store, 'SyncError'), { action: 'comment', text: 'looking into it' });
  await store.act(await issueTitled(store, 'CartError'), { action: 'resolve' });
  await store.close();
  const log = join(directory, 'groupings.ndjson');
  await writeFile(log, (await readFile(log, 'utf8')).replaceAll('"version":4', '"version":3'));
  return directory;
}

describe('a folder of an earlier version of the rules', () => {
  it('is read as it is, groups new events by the newest version, and moves to it with states and comments', async () => {
    const directory = await folderOfVersion3();
    const store = await openGrouped(directory, { createGrouper });
    opened.push(store);
    expect(await countsOf(store.reader)).toEqual(['CartError: 1 resolved', 'SyncError: 2 open']);
    expect((await store.reader.stats()).grouping).toMatchObject({ version: 3, newest_version: 4, is_current: false });
    await send(store, payloadOf('CartError', 'is empty'));
    expect(await countsOf(store.reader)).toContain('CartError: is empty: 1 open');
    const result = await store.regroup.apply(DEFAULT_GROUPING);
    expect(result).toMatchObject({ events: 4, issues_before: 3, issues_after: 3 });
    const { issues } = await store.reader.listIssues({ limit: 500 });
    const found = issues
      .map(({ title, count, regressed }) => `${title}: ${count}${regressed ? ' regressed' : ''}`)
      .sort();
    const parts = ['SyncError: exit status 1', 'SyncError: exit status 2'];
    expect(found).toEqual(['CartError: is empty: 2 regressed', ...parts.map((title) => `${title}: 1`)]);
    for (const title of parts) {
      const issue = await store.reader.getIssue(await issueTitled(store, title));
      expect(JSON.stringify(issue)).toContain('looking into it');
    }
    expect((await store.reader.stats()).grouping).toMatchObject({ version: 4, is_current: true });
    await store.regroup.rollBack();
    expect(await countsOf(store.reader)).toContain('SyncError: 2 open');
    await store.close();
  });

  it('is not damaged: its titles are those of its rules, before it is regrouped and after a rollback', async () => {
    const directory = await folderOfVersion3();
    const codes: string[] = [];
    const verify = async (): Promise<string[]> => {
      await verifyFolder({ directory, onFinding: ({ code }) => codes.push(code) });
      return codes;
    };
    expect(await verify()).toEqual([]);
    const store = await openGrouped(directory, { createGrouper });
    opened.push(store);
    await store.regroup.apply(DEFAULT_GROUPING);
    await store.regroup.rollBack();
    await store.close();
    expect(await verify()).toEqual([]);
  });
});

describe('the rules of a store', () => {
  it('count for new events at once, and for old ones after a regrouping', async () => {
    const { disk, store } = await sampleStore();
    expect((await store.reader.stats()).grouping).toMatchObject({ version: 4, newest_version: 4, is_current: true });
    await store.close();
    const { rules, patterns_off } = ALL_ONE;
    const again = await openGrouped(MEMORY_ROOT, {
      files: disk.files,
      groupingRules: { rules, patterns_off },
    });
    opened.push(again);
    await send(again, payloadOf('A', 'one'));
    expect(await countsOf(again.reader)).toEqual(['4 all: 1 open', ...BY_MESSAGE_COUNTS].sort());
    expect((await again.reader.stats()).grouping.is_current).toBe(false);
    await again.regroup.apply(ALL_ONE);
    expect(await countsOf(again.reader)).toEqual(['4 all: 7 open']);
    const { grouping } = await again.reader.stats();
    expect(grouping).toEqual({ version: 4, newest_version: 4, key: again.grouper.key, is_current: true });
    await again.close();
    // Opening it without rules leaves them.
    const last = await openGrouped(MEMORY_ROOT, { files: disk.files });
    opened.push(last);
    expect(last.grouper.key).toBe(grouping.key);
  });

  it('regroup a batch from an older grouper', async () => {
    const { store } = await sampleStore();
    const { key } = store.grouper;
    const events = grouped(store, [payloadOf('A', 'one')]);
    await store.regroup.apply(BY_NAME);
    await store.append(events, { groupedBy: key });
    expect(await countsOf(store.reader)).toEqual(['1 A: 4 open', '1 B: 2 open', '1 C: 1 open']);
  });
});

/** Followers poll twice a second. */
async function expectSoon(look: () => Promise<unknown>, expected: unknown): Promise<void> {
  await waitFor('what a follower sees', async () => {
    expect(await look()).toEqual(expected);
    return true;
  });
}
