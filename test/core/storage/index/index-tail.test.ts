import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FingerprintedEvent } from '../../../../core/contract/stages.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { eventsOf } from '../../../../core/storage/index/content/find-events.js';
import type { IndexContent } from '../../../../core/storage/index/content/index-content.js';
import { isIndexUnusable } from '../../../../core/storage/index/documents/index-fault.js';
import { type FollowingIndexOptions, openFollowingIndex } from '../../../../core/storage/index/index-tail.js';
import type { IssueIndex } from '../../../../core/storage/index/issue-index.js';
import { openIssueIndex } from '../../../../core/storage/index/open-issue-index.js';
import type { CommittedEvent } from '../../../../core/storage/record/commits/committed-event.js';
import { openRecordReader, type RecordReader } from '../../../../core/storage/record/reader/record-reader.js';
import type { RecordWriter } from '../../../../core/storage/record/writer/record-writer.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRecord } from '../record/open-record.js';
import { countingFiles } from './counting-files.js';
import { stateOf } from './index-state.js';
import { cachedFingerprint } from './memory-record.js';
import { failures } from './open-index.js';

afterAll(removeTemporaryFolders);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A folder with a record writer and its index. */
interface Folder {
  readonly directory: string;
  readonly record: RecordReader;
  readonly writer: RecordWriter;
  readonly index: IssueIndex;
  append(payloads: readonly RawPayload[]): Promise<readonly CommittedEvent[]>;
}

async function openFolder(): Promise<Folder> {
  const directory = await temporaryFolder();
  const record = await openRecordReader({ directory, files: unsyncedFiles });
  let index: IssueIndex | undefined;
  const onCommitted = (events: readonly CommittedEvent[]): void => index?.apply(events);
  const { writer } = await openRecord(directory, { onCommitted });
  index = await openIssueIndex({
    directory,
    files: unsyncedFiles,
    record,
    grouping: groupingBy(cachedFingerprint),
    checkpointIntervalMs: 2 ** 30,
  });
  closers.push(
    () => record.close(),
    () => index?.close() ?? Promise.resolve(),
    () => writer.close(),
  );
  const append = (payloads: readonly RawPayload[]) => writer.append(payloads.map(toEvent));
  return { directory, record, writer, index, append };
}

function toEvent(payload: RawPayload): FingerprintedEvent {
  return { payload, fingerprint: cachedFingerprint(payload) };
}

async function follow(directory: string, options: Partial<FollowingIndexOptions> = {}) {
  const record = await openRecordReader({ directory, files: unsyncedFiles });
  const faults: Error[] = [];
  const { plan, createGrouper } = groupingBy(cachedFingerprint);
  const index = await openFollowingIndex({
    directory,
    files: unsyncedFiles,
    record,
    plan: async () => plan,
    createGrouper,
    refreshIntervalMs: 0,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  closers.push(
    () => record.close(),
    () => index.close(),
  );
  return { index, faults };
}

/** Addresses of all events of a content, sorted. */
async function addressesIn(content: IndexContent): Promise<string[]> {
  const { issues } = await stateOf(content);
  return issues.flatMap((issue) => issue.locations).toSorted();
}

function addressesOf(events: Iterable<CommittedEvent>): string[] {
  return Array.from(
    events,
    ({ receivedAtMicros, partition, line, offset, bytes }) =>
      `${receivedAtMicros} ${partition.folder} ${line} ${offset} ${bytes}`,
  ).toSorted();
}

const inServices = (payloads: RawPayload[], services: number): RawPayload[] =>
  payloads.map((payload, index) => ({ ...payload, service: `service-${index % services}` }));

describe('an index of a reader in another process', () => {
  it('has the content of the writer, before and after checkpoints, and writes nothing', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(700));
    const files = countingFiles(unsyncedFiles);
    const following = await follow(directory, { files });
    expect(await stateOf(following.index.content)).toEqual(await stateOf(index.content));

    await append(failures(300, 500));
    await index.checkpoint();
    await append(failures(20, 790));
    await following.index.refresh();
    expect(await stateOf(following.index.content)).toEqual(await stateOf(index.content));

    const later = await follow(directory, { files });
    expect(later.index.lagEvents).toBe(20);
    expect(await stateOf(later.index.content)).toEqual(await stateOf(index.content));
    expect([files.changes, following.faults, later.faults]).toEqual([0, [], []]);
  });

  it('reads the record at most once for each interval', async () => {
    const { directory, append } = await openFolder();
    await append(failures(1));
    const { index } = await follow(directory, { refreshIntervalMs: 2 ** 30 });
    await append(failures(1));
    await index.refresh();
    expect(index.content.segments.events).toBe(1);
  });

  it('restarts from the newer manifest if a checkpoint removes a document while it loads', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(700));
    await index.checkpoint();
    let isFirst = true;
    const files: StoreFiles = {
      ...unsyncedFiles,
      async readFile(path) {
        if (isFirst && path.includes('/states/')) {
          isFirst = false;
          await append(failures(700));
          await index.checkpoint();
        }
        return await unsyncedFiles.readFile(path);
      },
    };
    const following = await follow(directory, { files });
    expect(isFirst).toBe(false);
    expect([following.index.lagEvents, following.faults]).toEqual([0, []]);
    expect(await stateOf(following.index.content)).toEqual(await stateOf(index.content));
  });

  it('loads the newer index when it has followed too many events', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(10));
    const following = await follow(directory, { maxFollowedEvents: 50 });
    await append(failures(60));
    await following.index.refresh();
    await following.index.refresh();
    expect(following.index.lagEvents).toBe(70);
    await index.checkpoint();
    await following.index.refresh();
    expect(following.index.lagEvents).toBe(0);
    expect(await stateOf(following.index.content)).toEqual(await stateOf(index.content));
  });

  it('counts each event once while commits reach one partition after the other', async () => {
    const { directory, append } = await openFolder();
    const { index } = await follow(directory);
    const stored: CommittedEvent[] = [];
    let isDone = false;
    const writing = (async () => {
      for (let commit = 0; commit < 150; commit += 1) {
        const services = (commit % 5) + 1;
        stored.push(...(await append(inServices(failures(services + 1), services))));
      }
      isDone = true;
    })();
    while (!isDone) await index.refresh();
    await writing;
    await waitFor('the last commit', async () => {
      await index.refresh();
      return index.content.segments.events >= stored.length;
    });
    expect(await addressesIn(index.content)).toEqual(addressesOf(stored));
    const { lastReceivedAtMicros } = index.content;
    expect(lastReceivedAtMicros).toBe(Math.max(...stored.map((event) => event.receivedAtMicros)));
  });

  it('applies the rest of a commit that arrives in parts', async () => {
    const { directory, append } = await openFolder();
    const stored = await append(inServices(failures(4), 2));
    const late = stored.find((event) => event.event.payload.service === 'service-1');
    if (late === undefined) throw new Error('no second partition');
    const path = join(directory, late.partition.folder, 'commits.ndjson');
    const commits = await readFile(path);
    await writeFile(path, '');
    const { index } = await follow(directory);
    expect(index.content.segments.events).toBe(2);
    await writeFile(path, commits);
    await index.refresh();
    expect(await addressesIn(index.content)).toEqual(addressesOf(stored));
    await index.refresh();
    expect(index.content.segments.events).toBe(4);
  });
});

describe('an index that its writer replaces', () => {
  it('is loaded again when a segment of the old one is read', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(600));
    await index.checkpoint();
    const following = await follow(directory);
    await rename(join(directory, 'index'), join(directory, 'index.unusable-1'));
    const [issue] = following.index.content.issues.inOrder;
    if (issue === undefined) throw new Error('no issue');
    const read = async () => {
      for await (const row of eventsOf(following.index.content, issue)) return row;
      return undefined;
    };
    const fault = await read().catch((error: unknown) => error);
    if (!isIndexUnusable(fault)) throw new Error('the old segment was read');
    expect(await following.index.recover(fault)).toBe(true);
    expect((await read())?.ordinal).toBe(0);
    expect(following.index.content.segments.events).toBe(600);
  });
});

describe('a folder without a usable index', () => {
  it('is replayed in memory', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(600));
    await index.checkpoint();
    await rm(join(directory, 'index'), { recursive: true });
    const following = await follow(directory);
    expect(await stateOf(following.index.content)).toEqual(await stateOf(index.content));
    expect(following.faults).toEqual([]);
  });

  it('is replayed in memory, and reported, if the index is torn', async () => {
    const { directory, index, append } = await openFolder();
    await append(failures(5));
    await index.checkpoint();
    await writeFile(join(directory, 'index', 'manifest.json'), '{');
    const following = await follow(directory);
    expect(following.index.content.segments.events).toBe(5);
    expect(following.faults).toMatchObject([{ code: 'INDEX_UNUSABLE' }]);
    expect(await readFile(join(directory, 'index', 'manifest.json'), 'utf8')).toBe('{');
  });

  it('may be empty', async () => {
    const following = await follow(await temporaryFolder());
    await following.index.refresh();
    expect(following.index.content.segments.events).toBe(0);
    await following.index.close();
    await following.index.close();
  });
});
