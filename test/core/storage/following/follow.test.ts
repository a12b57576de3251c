import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredEvent } from '../../../../core/contract/stages.js';
import type { FollowedBatch, RecordFollower } from '../../../../core/storage/following/record-follower.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const NEVER_ABORTED = new AbortController().signal;

async function next(follower: RecordFollower, maxEvents = 512): Promise<FollowedBatch> {
  return await follower.next({ maxEvents, waitMs: 0, signal: NEVER_ABORTED });
}

/** Reads a number of events, with a commit after each batch; returns their ids. */
async function consume(follower: RecordFollower, events: number, maxEvents = 512): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < events) {
    const batch = await next(follower, maxEvents);
    ids.push(...batch.events.map(({ normalized }) => normalized.event_id));
    await follower.commit(batch.after);
  }
  return ids;
}

/** Returns ids in order of arrival. */
async function appendMany(store: StoreUnderTest, commits: number, perCommit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let commit = 0; commit < commits; commit += 1) {
    const changes = Array.from({ length: perCommit }, (_, index) => ({
      service: `service-${index % 3}`,
      message: `${commit} ${index}`,
    }));
    const stored = await store.append(...changes);
    const order = (one: StoredEvent, other: StoredEvent): number =>
      one.raw.path === other.raw.path ? one.raw.line - other.raw.line : one.raw.path < other.raw.path ? -1 : 1;
    ids.push(...[...stored].sort(order).map(({ event_id }) => event_id));
  }
  return ids;
}

async function reopened(before: StoreUnderTest): Promise<StoreUnderTest> {
  await before.store.close();
  return await storeUnderTest(before.directory);
}

describe('a follower of a store', () => {
  it('delivers every event once, in order of arrival, with its issue, fingerprint and address', async () => {
    const under = await storeUnderTest();
    const [first] = await under.append({ message: 'the first' });
    const follower = await under.store.follow({ name: 'otlp_http', startAt: 'beginning', holdMs: 0 });
    const { events } = await next(follower);
    expect(events).toEqual([
      expect.objectContaining({
        issueId: first?.issue_id,
        fingerprint: first?.fingerprint,
        raw: first?.raw,
        payload: serverPayload({ timestamp: null, message: 'the first' }),
        normalized: expect.objectContaining({ event_id: first?.event_id, level: 'error' }),
      }),
    ]);
    const ids = await appendMany(under, 20, 150);
    expect(await consume(follower, 3000, 100)).toEqual(ids);
  });

  it('splits the events of one timestamp over batches, and continues within them after a restart', async () => {
    let under = await storeUnderTest();
    const options = { name: 'x', startAt: 'beginning', holdMs: 0 } as const;
    let follower = await under.store.follow(options);
    const ids = await appendMany(under, 1, 1000);
    const seen = await consume(follower, 300, 300);
    under = await reopened(under);
    follower = await under.store.follow(options);
    expect(follower.status().waiting).toBe(700);
    seen.push(...(await consume(follower, 700, 123)));
    expect(seen).toEqual(ids);
    expect(follower.status()).toMatchObject({ waiting: 0, oldestMicros: undefined });
  });

  it('delivers uncommitted events again after a restart', async () => {
    let under = await storeUnderTest();
    const options = { name: 'otlp_http/a', startAt: 'end', holdMs: 0 } as const;
    await under.append({ message: 'before the follower' });
    let follower = await under.store.follow(options);
    const ids = await appendMany(under, 3, 1);
    await follower.commit((await next(follower, 1)).after);
    await next(follower, 1);
    under = await reopened(under);
    follower = await under.store.follow(options);
    expect(await consume(follower, 2)).toEqual(ids.slice(1));
    expect(await readdir(join(under.directory, 'cursors'))).toEqual([
      'otlp_http%2Fa.json',
      'otlp_http%2Fa.json.before',
      'retention.note',
    ]);
  });

  it('keeps its start position even before its first batch', async () => {
    let under = await storeUnderTest();
    await under.append({});
    await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    const ids = await appendMany(under, 1, 2);
    under = await reopened(under);
    const follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    expect(await consume(follower, 2)).toEqual(ids);
  });

  it('waits for commits, for more events up to waitMs, and stops waiting when its signal aborts', async () => {
    const under = await storeUnderTest();
    const follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    const waiting = next(follower);
    await under.append({});
    expect((await waiting).events).toHaveLength(1);

    const gathering = follower.next({ maxEvents: 3, waitMs: 60_000, signal: NEVER_ABORTED });
    await under.append({});
    await under.append({});
    await under.append({});
    expect((await gathering).events).toHaveLength(3);

    const stop = new AbortController();
    const aborted = follower.next({ maxEvents: 3, waitMs: 0, signal: stop.signal });
    stop.abort();
    expect((await aborted).events).toEqual([]);
    const closed = next(follower);
    await follower.close();
    expect((await closed).events).toEqual([]);
  });

  it('delivers batches of at most maxBytes, or one event of any size', async () => {
    const under = await storeUnderTest();
    await under.append({ message: 'x'.repeat(5000) }, { message: 'y' }, { message: 'z' });
    const follower = await under.store.follow({ name: 'x', startAt: 'beginning', holdMs: 0 });
    const nextSmall = () => follower.next({ maxEvents: 10, maxBytes: 2000, waitMs: 0, signal: NEVER_ABORTED });
    expect((await nextSmall()).events.map(({ payload }) => payload.message[0])).toEqual(['x']);
    expect((await nextSmall()).events.map(({ payload }) => payload.message)).toEqual(['y', 'z']);
  });

  it('reports the number of waiting events and the time of the oldest', async () => {
    const under = await storeUnderTest();
    const follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    await under.append({}, {});
    const firstMicros = follower.status().oldestMicros ?? 0;
    under.clock.nowMs += 60_000;
    await under.append({});
    expect(follower.status()).toEqual({
      committed: { receivedAtMicros: 1, taken: 0, passed: 0 },
      waiting: 3,
      oldestMicros: firstMicros,
      removed: 0,
      unreadable: 0,
      isHeldFor: false,
    });
    const { events } = await next(follower, 2);
    const last = events.at(-1);
    expect(follower.status().waiting).toBe(3);
    if (last !== undefined) await follower.commit(last.after);
    expect(follower.status()).toMatchObject({ waiting: 1, oldestMicros: under.clock.nowMs * 1000 });
  });

  it('has a unique name', async () => {
    const under = await storeUnderTest();
    const options = { name: 'x', startAt: 'end', holdMs: 0 } as const;
    const follower = await under.store.follow(options);
    await expect(under.store.follow(options)).rejects.toMatchObject({ code: 'FOLLOWER_EXISTS' });
    await follower.close();
    await (await under.store.follow(options)).close();
  });

  it('skips damaged lines, reports each once and counts it', async () => {
    const under = await storeUnderTest();
    const stored = await under.append({ message: 'good' }, { message: 'bad' }, { message: 'good again' });
    const path = stored[0]?.raw.path ?? '';
    const lines = (await readFile(path, 'utf8')).split('\n');
    const damaged = lines.map((line) => (line.includes('"bad"') ? '\0'.repeat(line.length) : line));
    await writeFile(path, damaged.join('\n'));
    const follower = await under.store.follow({ name: 'x', startAt: 'beginning', holdMs: 0 });
    const { events } = await next(follower);
    expect(events.map(({ payload }) => payload.message)).toEqual(['good', 'good again']);
    expect(follower.status().unreadable).toBe(1);
    expect(under.faults).toEqual([expect.objectContaining({ code: 'RAW_LINE_INVALID' })]);
  });

  it.each([
    ['a torn cursor', (content: string) => content.slice(0, content.length / 2)],
    ['one with a flipped bit', (content: string) => content.replace('"taken":', '"takem":')],
    ['one with another name', (content: string) => content.replace('"name":"x"', '"name":"y"')],
    ['an empty one', () => ''],
    ['one with another count', (content: string) => content.replace('"passed":2', '"passed":1')],
  ])('reports %s and continues from the cursor before', async (_, change) => {
    let under = await storeUnderTest();
    let follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    const ids = await appendMany(under, 3, 1);
    for (let batch = 0; batch < 2; batch += 1) await follower.commit((await next(follower, 1)).after);
    await under.store.close();
    const path = join(under.directory, 'cursors', 'x.json');
    await writeFile(path, change(await readFile(path, 'utf8')));
    under = await storeUnderTest(under.directory);
    follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    expect(under.faults).toEqual([expect.objectContaining({ code: 'CURSOR_UNUSABLE' })]);
    expect(await consume(follower, 2)).toEqual(ids.slice(1));
  });

  it('starts with the oldest event if all cursors are unusable, for example in the future', async () => {
    let under = await storeUnderTest();
    under.clock.nowMs += 7_200_000;
    const follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    await follower.commit({ receivedAtMicros: under.clock.nowMs * 1000, taken: 0, passed: 0 });
    await follower.commit({ receivedAtMicros: under.clock.nowMs * 1000, taken: 0, passed: 0 });
    under = await reopened(under);
    const [stored] = await under.append({});
    const other = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    expect(under.faults).toEqual([expect.objectContaining({ code: 'CURSOR_UNUSABLE' })]);
    expect(await consume(other, 1)).toEqual([stored?.event_id]);
  });

  it.each([
    ['are torn', (path: string) => writeFile(path, '{"version":1,')],
    ['are folders', (path: string) => rm(path, { force: true }).then(() => mkdir(path))],
  ])('delivers all events again and reports it if the cursor and the one before %s', async (_, damage) => {
    let under = await storeUnderTest();
    let follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    const ids = await appendMany(under, 3, 1);
    await follower.commit((await next(follower, 1)).after);
    await under.store.close();
    for (const name of ['x.json', 'x.json.before']) await damage(join(under.directory, 'cursors', name));
    under = await storeUnderTest(under.directory);
    follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    expect(under.faults).toEqual([expect.objectContaining({ code: 'CURSOR_UNUSABLE' })]);
    expect(await consume(follower, 3)).toEqual(ids);
    under = await reopened(under);
    follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    expect([under.faults, follower.status().waiting]).toEqual([[], 0]);
  });

  it('delivers all events again, for every name, if the cursors folder is a file', async () => {
    let under = await storeUnderTest();
    const ids = await appendMany(under, 2, 1);
    await under.store.close();
    await rm(join(under.directory, 'cursors'), { recursive: true });
    await writeFile(join(under.directory, 'cursors'), '');
    under = await storeUnderTest(under.directory);
    for (const name of ['x', 'y']) {
      const follower = await under.store.follow({ name, startAt: 'end', holdMs: 0 });
      expect(await consume(follower, 2)).toEqual(ids);
    }
    expect(under.faults).toEqual([expect.objectContaining({ code: 'CURSOR_UNUSABLE' })]);
  });

  it('reports a note that is a folder, and stores the next one', async () => {
    const under = await storeUnderTest();
    await mkdir(join(under.directory, 'cursors', 'x.note'), { recursive: true });
    const note = under.store.note('x');
    expect(await note.read()).toBe(undefined);
    expect(under.faults).toEqual([expect.objectContaining({ code: 'NOTE_UNUSABLE' })]);
    await note.write('{"a":1}');
    expect(await note.read()).toEqual({ a: 1 });
  });

  it('continues at its position when the index is rebuilt', async () => {
    let under = await storeUnderTest();
    const options = { name: 'x', startAt: 'beginning', holdMs: 0 } as const;
    let follower = await under.store.follow(options);
    const ids = await appendMany(under, 4, 400);
    const seen = await consume(follower, 900, 450);
    await under.store.close();
    await writeFile(join(under.directory, 'index', 'manifest.json'), '{');
    under = await storeUnderTest(under.directory);
    follower = await under.store.follow(options);
    expect(follower.status().waiting).toBe(700);
    seen.push(...(await consume(follower, 700)));
    expect(seen).toEqual(ids);
  });

  it('wakes for commits that arrive while it polls', async () => {
    const under = await storeUnderTest();
    const follower = await under.store.follow({ name: 'x', startAt: 'end', holdMs: 0 });
    const consumed = consume(follower, 600, 7);
    const ids = await appendMany(under, 300, 2);
    expect(await consumed).toEqual(ids);
    await waitFor('all events to be committed', () => follower.status().waiting === 0);
  });
});
