import type { StoredEvent } from '../../../core/contract/stages.js';
import type { EventId } from '../../../core/event/ids.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import type { StoreFiles } from '../../../core/storage/files/store-files.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { REFUSALS, type Refusal, type RefusingFiles, refusingFiles } from '../../core/storage/safety/refusing-files.js';
import { TEN_O_CLOCK_MS } from '../../core/storage/ten-o-clock.js';
import { missing } from '../../helpers/missing.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { waitFor } from '../../helpers/wait-for.js';

const HOUR_MS = 3_600_000;
const ATTEMPTS_AFTERWARDS = 1;
/** FAULTLINE_EVERY_CALL=1 lets refusals begin at every call. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

/** Returns a batch of two partitions and two issues. */
function batch(label: string) {
  return [0, 1, 2, 3].map((index) => {
    const payload = kindOfFailure(index % 2, {
      request_id: `${label}-${index}`,
      env: index < 2 ? 'production' : 'staging',
      timestamp: null,
    });
    return { payload, fingerprint: computeFingerprint(payload) };
  });
}

/** The results of a store on a failing disk. */
interface Life {
  /** Request ids of acknowledged events, by event id. */
  readonly stored: Map<EventId, string>;
  readonly refused: string[];
  readonly comments: string[];
  readonly refusals: unknown[];
  readonly failedReads: unknown[];
  readonly faults: Error[];
  readonly calls: number;
}

interface Opened {
  readonly store: EventStore;
  readonly faults: Error[];
}

/** Opens a store without timed checkpoints by default. */
async function open(files: StoreFiles, nowMs: () => number, checkpointIntervalMs = HOUR_MS): Promise<Opened> {
  const faults: Error[] = [];
  const store = await openEventStore({
    directory: MEMORY_ROOT,
    files,
    nowMs,
    checkpointIntervalMs,
    onFault: (fault) => faults.push(fault),
  });
  return { store, faults };
}

/** Appends, acts, reads and makes checkpoints before, while and after the disk fails, over an hour change. */
async function live(disk: RefusingFiles, refusal: Refusal | undefined): Promise<Life> {
  let nowMs = TEN_O_CLOCK_MS;
  const { store, faults } = await open(disk.files, () => nowMs);
  const stored = new Map<EventId, string>();
  const refused: string[] = [];
  const comments: string[] = [];
  const refusals: unknown[] = [];
  const failedReads: unknown[] = [];

  const append = async (label: string): Promise<void> => {
    const events = batch(label);
    const ids = events.map(({ payload }) => String(payload.request_id));
    try {
      const acknowledged = await store.append(events);
      acknowledged.forEach(({ event_id }, index) => void stored.set(event_id, ids[index] ?? ''));
    } catch (error) {
      refused.push(...ids);
      refusals.push(error);
    }
  };
  const comment = async (issueId: StoredEvent['issue_id'], text: string): Promise<void> => {
    try {
      await store.act(issueId, { action: 'comment', text });
      comments.push(text);
    } catch (error) {
      refusals.push(error);
    }
  };
  const read = async <T>(what: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await what();
    } catch (error) {
      failedReads.push(error);
      return undefined;
    }
  };

  await append('before');
  const [first] = [...stored.keys()];
  const firstEvent = await store.reader.getEvent(first ?? ('' as EventId));
  if (first === undefined || firstEvent === undefined) throw new Error('nothing was stored');
  const issueId = firstEvent.issue_id;
  await comment(issueId, 'before');
  await store.checkpoint();

  disk.arm(refusal);
  await Promise.all([append('first'), append('second'), comment(issueId, 'meanwhile')]);
  await store.checkpoint().catch((error: unknown) => void refusals.push({ checkpoint: error }));
  const issues = await read(() => store.reader.listIssues());
  if (issues !== undefined) expect(issues.total).toBe(2);
  const again = await read(() => store.reader.getEvent(first));
  if (again !== undefined) expect(again.raw.payload.request_id).toBe('before-0');
  const events = await read(() => store.reader.listEvents(issueId));
  if (events !== undefined) expect(events?.events.length).toBeGreaterThanOrEqual(2);
  await read(() => store.reader.stats());
  nowMs += HOUR_MS;
  await append('next hour');
  await comment(issueId, 'later');
  const { calls } = disk;

  disk.arm();
  const refusedBefore = refusals.length;
  for (let attempt = 0; attempt < ATTEMPTS_AFTERWARDS; attempt += 1) await append(`after ${attempt}`);
  await comment(issueId, 'after');
  await store.checkpoint();
  expect(refusals.slice(refusedBefore)).toEqual([]);
  await expectHolds(store, { stored, comments });
  await store.close();
  expect(disk).toMatchObject({ openFiles: 0, resyncs: 0, usesAfterClose: 0 });
  return { stored, refused, comments, refusals, failedReads, faults, calls };
}

/** The store has each acknowledged event once, under its id, and nothing else. */
async function expectHolds(
  { reader }: Pick<EventStore, 'reader'>,
  { stored, comments }: Pick<Life, 'stored' | 'comments'>,
): Promise<void> {
  for (const [eventId, requestId] of stored) {
    expect((await reader.getEvent(eventId))?.raw.payload.request_id).toBe(requestId);
  }
  const { issues } = await reader.listIssues();
  const listed: EventId[] = [];
  const listedComments: (string | null)[] = [];
  for (const { issue_id: issueId } of issues) {
    const page = await reader.listEvents(issueId, { limit: 500 });
    listed.push(...(page?.events ?? []).map(({ event_id }) => event_id));
    const issue = await reader.getIssue(issueId);
    listedComments.push(
      ...(issue?.history ?? []).filter(({ action }) => action === 'comment').map(({ detail }) => detail),
    );
  }
  expect(listed.toSorted()).toEqual([...stored.keys()].toSorted());
  expect((await reader.stats()).events).toBe(stored.size);
  expect(listedComments.toSorted()).toEqual(comments.toSorted());
}

/** Opens the folder again, with its index and without. */
async function expectKept(files: StoreFiles, life: Life): Promise<void> {
  for (const withIndex of [true, false]) {
    if (!withIndex) await files.rename(`${MEMORY_ROOT}/index`, `${MEMORY_ROOT}/index.old`);
    const { store, faults } = await open(files, () => TEN_O_CLOCK_MS + 2 * HOUR_MS);
    expect(faults).toEqual([]);
    await expectHolds(store, life);
    for await (const line of store.recoveredLines()) expect(line.toString()).toBe('recovered');
    await store.close();
  }
}

const code = (at: number): string => REFUSALS[at % REFUSALS.length] ?? 'EIO';

describe('a disk that fails while the store runs', () => {
  it.each([
    { how: 'one call', times: 1, step: 1 },
    { how: 'three calls in a row', times: 3, step: 5 },
    { how: 'forty calls in a row', times: 40, step: 7 },
    { how: 'every later call', times: Number.POSITIVE_INFINITY, step: 5 },
  ])('$how: the store rejects or stores whole batches, still serves reads, and recovers by itself', async (one) => {
    const { calls } = await live(refusingFiles(createMemoryDisk().files), undefined);
    expect(calls).toBeGreaterThan(60);
    for (let from = 0; from < calls; from += isEveryCall ? 1 : one.step) {
      const memory = createMemoryDisk();
      const disk = refusingFiles(memory.files);
      const life = await live(disk, { code: code(from), from, times: one.times });
      for (const refusal of life.refusals) {
        if (!isCheckpoint(refusal)) expect(refusal).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      }
      await expectKept(memory.files, life);
    }
  });

  it('only for changes: stored events stay readable', async () => {
    const { calls } = await live(refusingFiles(createMemoryDisk().files), {
      code: 'ENOSPC',
      from: 0,
      times: 0,
      onlyChanges: true,
    });
    for (let from = 0; from < calls; from += isEveryCall ? 1 : 5) {
      const disk = refusingFiles(createMemoryDisk().files);
      const times = Number.POSITIVE_INFINITY;
      const life = await live(disk, { code: code(from), from, times, onlyChanges: true });
      expect(life.failedReads).toEqual([]);
    }
  });
});

describe('a disk that fails until the store closes', () => {
  it('leaves no open files, loses and duplicates nothing, and keeps only writes that could not be rolled back', async () => {
    const run = async (from: number): Promise<number> => {
      const memory = createMemoryDisk();
      const disk = refusingFiles(memory.files);
      const { store } = await open(disk.files, () => TEN_O_CLOCK_MS);
      const before = await store.append(batch('before'));
      // Opens files for reading.
      await store.reader.getEvent(before[0]?.event_id ?? missing());
      disk.arm({ code: code(from), from, times: Number.POSITIVE_INFINITY });
      const acknowledged = await store.append(batch('refused')).catch(() => []);
      await store.act(before[0]?.issue_id ?? missing(), { action: 'comment', text: 'no' }).catch(() => undefined);
      await store.close().catch(() => undefined);
      const { calls } = disk;
      expect(disk).toMatchObject({ openFiles: 0, resyncs: 0, usesAfterClose: 0 });
      const kept = [...before, ...acknowledged].map(({ event_id }) => event_id);
      const reopened = await openEventStore({
        directory: MEMORY_ROOT,
        files: memory.files,
        nowMs: () => TEN_O_CLOCK_MS,
      });
      for (const id of kept) expect(await reopened.reader.getEvent(id)).toMatchObject({ event_id: id });
      const { events } = await reopened.reader.stats();
      const others = (await everyRequestId(reopened)).filter((id) => !id.startsWith('before-'));
      expect(events).toBe(before.length + others.length);
      expect(new Set(others).size).toBe(others.length);
      for (const id of others) expect(id).toMatch(/^refused-/);
      await reopened.close();
      return calls;
    };
    const calls = await run(Number.POSITIVE_INFINITY);
    for (let from = 0; from < calls; from += 1) await run(from);
  });
});

describe('checkpoints on a failing disk', () => {
  it('are reported once, and written when the disk works again', async () => {
    const memory = createMemoryDisk();
    const disk = refusingFiles(memory.files);
    const { store, faults } = await open(disk.files, () => TEN_O_CLOCK_MS, 5);
    disk.arm({ code: 'ENOSPC', from: 0, times: Number.POSITIVE_INFINITY, inFolder: `${MEMORY_ROOT}/index` });
    const stored = await store.append(batch('meanwhile'));
    await waitFor('some checkpoints to fail', () => disk.refused > 10);
    expect(faults).toMatchObject([{ code: 'ENOSPC' }]);
    expect((await store.reader.getEvent(stored[0]?.event_id ?? missing()))?.event_id).toBe(stored[0]?.event_id);
    disk.arm();
    await waitFor('a checkpoint', async () =>
      (await memory.files.readFile(`${MEMORY_ROOT}/index/manifest.json`))?.includes('"issues":2'),
    );
    disk.arm({ code: 'EIO', from: 0, times: Number.POSITIVE_INFINITY, inFolder: `${MEMORY_ROOT}/index` });
    await store.append(batch('again'));
    await waitFor('the next failures', () => faults.length === 2);
    expect(faults).toMatchObject([{ code: 'ENOSPC' }, { code: 'EIO' }]);
    disk.arm();
    await store.close();
    expect(disk).toMatchObject({ openFiles: 0, resyncs: 0, usesAfterClose: 0 });
  });
});

describe('a disk that fails while the store opens', () => {
  /** The folder of a killed collector, with an index that lacks events, an action and a torn line. */
  const killedFolder = async (): Promise<{ memory: MemoryDisk; ids: EventId[] }> => {
    const memory = createMemoryDisk();
    const { store } = await open(memory.files, () => TEN_O_CLOCK_MS);
    const first = await store.append(batch('covered'));
    await store.act(first[0]?.issue_id ?? missing(), { action: 'comment', text: 'yes' });
    await store.checkpoint();
    const ids = [...first, ...(await store.append(batch('not covered')))].map(({ event_id }) => event_id);
    const dead = memory.kill();
    const raw = await dead.files.open(String(first[0]?.raw.path), 'write');
    await raw.write([Buffer.from('{"app":"sh')], await raw.size());
    await raw.close();
    return { memory: dead, ids };
  };

  it.each([
    { how: 'one call', times: 1, withIndex: true, step: 1 },
    { how: 'one call, without an index', times: 1, withIndex: false, step: 3 },
    { how: 'every later call', times: Number.POSITIVE_INFINITY, withIndex: true, step: 4 },
    { how: 'every later call, without an index', times: Number.POSITIVE_INFINITY, withIndex: false, step: 4 },
  ])(
    '$how: the store opens completely or reports folder and cause, and the next opening has all events',
    async (one) => {
      const { times, withIndex, step } = one;
      const { memory: original, ids } = await killedFolder();
      if (!withIndex) await original.files.rename(`${MEMORY_ROOT}/index`, `${MEMORY_ROOT}/index.old`);
      const attempt = async (from: number): Promise<number> => {
        const memory = original.copy();
        const disk = refusingFiles(memory.files);
        disk.arm({ code: code(from), from, times });
        const opening = await open(disk.files, () => TEN_O_CLOCK_MS).catch((error: unknown) => error);
        const { calls } = disk;
        if (opening instanceof Error) {
          expect(opening).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
          expect(opening.message).toContain(MEMORY_ROOT);
          expect(opening.message).toContain(code(from));
        }
        disk.arm();
        if (isOpened(opening)) {
          await expectIds(opening.store, ids);
          await opening.store.close();
        }
        expect(disk).toMatchObject({ openFiles: 0, resyncs: 0, usesAfterClose: 0 });
        const { store } = await open(memory.files, () => TEN_O_CLOCK_MS);
        await expectIds(store, ids);
        await store.append(batch('afterwards'));
        await store.close();
        return calls;
      };
      const calls = await attempt(Number.POSITIVE_INFINITY);
      expect(calls).toBeGreaterThan(30);
      for (let from = 0; from < calls; from += isEveryCall ? 1 : step) await attempt(from);
    },
  );
});

async function everyRequestId({ reader }: EventStore): Promise<string[]> {
  const ids: string[] = [];
  for (const { issue_id: issueId } of (await reader.listIssues()).issues) {
    const page = await reader.listEvents(issueId, { limit: 500 });
    ids.push(...(page?.events ?? []).map(({ request_id }) => String(request_id)));
  }
  return ids;
}

async function expectIds({ reader }: EventStore, ids: readonly EventId[]): Promise<void> {
  for (const id of ids) expect(await reader.getEvent(id)).toMatchObject({ event_id: id });
  expect((await reader.stats()).events).toBe(ids.length);
}

function isOpened(opening: unknown): opening is Opened {
  return typeof opening === 'object' && opening !== null && 'store' in opening;
}

function isCheckpoint(refusal: unknown): boolean {
  return typeof refusal === 'object' && refusal !== null && 'checkpoint' in refusal;
}
