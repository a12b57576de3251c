import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EventId, IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { removeTree } from '../../../core/storage/files/store-files.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createMemoryDisk, MEMORY_ROOT } from './record/memory-disk.js';
import {
  BY_MESSAGE,
  BY_NAME,
  countsOf,
  createTestGrouper as createRuleGrouper,
  openGrouped,
  payloadOf,
  send,
} from './regroup/regrouped-folder.js';
import { everything, openFolder, rebuilt } from './retention/folder-under-retention.js';
import { closeStores, type StoreUnderTest, storeInMemory, storeUnderTest } from './store-under-test.js';
import { TEN_O_CLOCK_MS } from './ten-o-clock.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;

const CAUSE = 'db.SqlError: locked\n\tat db.Pool.run(Pool.java:3)';
const WRAPPER = `app.StockError: no stock\n\tat app.Cart.add(Cart.java:7)\nCaused by: ${CAUSE}`;

function repeating(eventId: string | undefined, changes: Partial<RawPayload> = {}): Partial<RawPayload> {
  return { ...changes, extra: { faultline: { repeats: eventId ?? '' } } };
}

async function issuesOf({ reader }: Pick<StoreUnderTest, 'reader'>) {
  const { issues } = await reader.listIssues({ limit: 500, sort: 'first_seen' });
  return issues.map(({ error_name: name, count, sampled, repeated, users, trend }) => [
    name,
    count,
    sampled,
    repeated,
    users,
    trend.at(-1),
  ]);
}

describe('an event that repeats an occurrence', () => {
  it('is stored, listed with the event that counts it, and counts for nothing but its user', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A', user_id: null });
    const [second] = await test.append(repeating(first?.event_id, { error_name: 'A', user_id: 'u1' }));
    expect(await issuesOf(test)).toEqual([['A', 1, 0, 1, 1, 1]]);
    const issueId = first?.issue_id as NonNullable<typeof first>['issue_id'];
    expect((await test.reader.listEvents(issueId))?.events).toMatchObject([
      { event_id: first?.event_id, user_id: 'u1' },
    ]);
    expect(await test.reader.stats()).toMatchObject({ events: 2, sampled: 0, repeated: 1 });
    const summary = await test.reader.summarizeEvents(issueId, { buckets: 1 });
    expect([summary?.histogram.counts, summary?.total]).toEqual([[1], 1]);
    const detail = await test.reader.getEvent(second?.event_id as EventId);
    expect(detail?.notes).toEqual([
      {
        code: 'REPEATS',
        field: '/extra/faultline/repeats',
        reason: `is counted with event ${first?.event_id}, another report of its occurrence`,
      },
    ]);
  });

  it('is grouped as the event that counts it', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A' });
    const [second] = await test.append(repeating(first?.event_id, { error_name: 'pkg.A' }));
    expect(second?.issue_id).toBe(first?.issue_id);
    expect(await issuesOf(test)).toEqual([['A', 1, 0, 1, 1, 1]]);
  });

  it.each<[string, Partial<RawPayload>, Partial<RawPayload>, boolean]>([
    [
      'names its cause',
      { error_name: 'app.StockError', stack: WRAPPER },
      { error_name: 'SqlError', stack: CAUSE },
      true,
    ],
    ['is its cause', { error_name: 'db.SqlError', stack: CAUSE }, { error_name: 'StockError', stack: WRAPPER }, true],
    [
      'names another class',
      { error_name: 'StockError', stack: WRAPPER },
      { error_name: 'KeyError', stack: CAUSE },
      false,
    ],
    ['has no class', { error_name: 'StockError', stack: WRAPPER }, { error_name: '', stack: CAUSE }, false],
    [
      'is of another service',
      { error_name: 'StockError', stack: WRAPPER },
      { error_name: 'SqlError', service: 'b' },
      false,
    ],
  ])('is grouped with the report of a chain that counts it if that %s: %#', async (_, first, second, isJoined) => {
    const test = await storeUnderTest();
    const [counted] = await test.append(first);
    const [repeated] = await test.append(repeating(counted?.event_id, second));
    expect(repeated?.issue_id === counted?.issue_id).toBe(isJoined);
    await test.store.close();
    await rm(join(test.directory, 'index'), { recursive: true });
    const again = await storeUnderTest(test.directory);
    expect((await again.reader.getEvent(repeated?.event_id as EventId))?.issue_id).toBe(repeated?.issue_id);
  });

  it('is in an issue of its own if it names another service, or is an exception that a log line counts', async () => {
    const test = await storeUnderTest();
    const reports: [Partial<RawPayload>, Partial<RawPayload>][] = [
      [{ error_name: 'A' }, { error_name: 'A', service: 'gateway' }],
      [{ error_name: 'A' }, { error_name: 'A', app: 'till' }],
      ...['B', 'C', 'D', 'E'].map((name): [object, object] => [{ error_name: '' }, { error_name: name }]),
    ];
    for (const [first, second] of reports) {
      const [counted] = await test.append(first);
      await test.append(repeating(counted?.event_id, second));
    }
    const { issues } = await test.reader.listIssues({ sort: 'first_seen', limit: 500 });
    const shown = issues.map(({ app, service, title, count, repeated }) => [app, service, title, count, repeated]);
    expect(shown.sort()).toEqual([
      ['shop', 'api', ': title', 4, 0],
      ['shop', 'api', 'A: title', 2, 0],
      ['shop', 'api', 'B: title', 0, 1],
      ['shop', 'api', 'C: title', 0, 1],
      ['shop', 'api', 'D: title', 0, 1],
      ['shop', 'api', 'E: title', 0, 1],
      ['shop', 'gateway', 'A: title', 0, 1],
      ['till', 'api', 'A: title', 0, 1],
    ]);
    expect(await test.reader.stats()).toMatchObject({ events: 12, sampled: 0, repeated: 6 });
    const own = issues.find(({ app }) => app === 'till')?.issue_id as IssueId;
    expect((await test.reader.listEvents(own))?.events).toMatchObject([{ app: 'till', weight: 0 }]);
  });

  it('describes its issue until an event counts there', async () => {
    const test = await storeUnderTest();
    const [counted] = await test.append({ error_name: 'L' });
    const fields = { error_name: 'A', level: 'warning', env: 'test', release: '1' };
    const report = repeating(counted?.event_id, fields);
    const [{ issue_id: id } = missing()] = await test.append(report);
    test.clock.nowMs += 1_000;
    await test.append(report);
    const repeated = await test.reader.getIssue(id);
    expect(repeated).toMatchObject({
      count: 0,
      repeated: 2,
      level: 'warning',
      environments: ['test'],
      releases: ['1'],
    });
    expect(Date.parse(repeated?.last_seen ?? '') - Date.parse(repeated?.first_seen ?? '')).toBe(1_000);
    test.clock.nowMs += 1_000;
    await test.append({ error_name: 'A', level: 'error', env: 'live', release: '2' });
    await test.append(report);
    const issue = await test.reader.getIssue(id);
    expect(issue).toMatchObject({ count: 1, repeated: 3, level: 'error', environments: ['live'], releases: ['2'] });
    expect(issue?.last_seen).toBe(issue?.first_seen);
  });

  it('reopens an issue in which no event counts', async () => {
    const test = await storeUnderTest();
    const [counted] = await test.append({ error_name: 'L' });
    const report = repeating(counted?.event_id, { error_name: 'A' });
    const [{ issue_id: id } = missing()] = await test.append(report);
    await test.store.act(id, { action: 'resolve' });
    test.clock.nowMs += 1_000;
    await test.append(report);
    expect(await test.reader.getIssue(id)).toMatchObject({ status: 'open', regressed: true });
  });

  it('is counted at once in a merged issue', async () => {
    const test = await storeUnderTest();
    const [one, other] = await test.append({ error_name: 'A', user_id: 'u1' }, { error_name: 'B', user_id: 'u1' });
    const id = one?.issue_id as IssueId;
    await test.store.act(id, { action: 'merge', issues: [other?.issue_id as IssueId] });
    expect(await test.reader.getIssue(id)).toMatchObject({ count: 2, repeated: 0, users: 1 });
    await test.append(repeating(other?.event_id, { error_name: 'B', user_id: 'u2' }));
    expect(await test.reader.getIssue(id)).toMatchObject({ count: 2, repeated: 1, users: 2 });
    expect((await test.reader.listEvents(id))?.events).toHaveLength(2);
  });

  it('does not bring occurrences together that end a snooze by rate', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A' });
    const id = first?.issue_id as IssueId;
    test.clock.nowMs += 61_000;
    await test.store.act(id, { action: 'ignore', snooze: '2x/1m' });
    const [counted] = await test.append({ error_name: 'A' });
    for (let index = 0; index < 2; index += 1) {
      test.clock.nowMs += 10_000;
      await test.append(repeating(counted?.event_id, { error_name: 'A' }));
    }
    test.clock.nowMs += 50_000;
    await test.append({ error_name: 'A' });
    await test.store.close();
    const again = await storeUnderTest(test.directory);
    again.clock.nowMs = test.clock.nowMs;
    expect(await again.reader.getIssue(id)).toMatchObject({ status: 'ignored', count: 3 });
  });

  it('is told to those who follow changes, with its own count', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A' });
    const [other] = await test.append({ error_name: 'B' });
    const told: [string, string | null, number][] = [];
    let cursor: string | undefined;
    for await (const change of test.store.changes()) {
      cursor = change.cursor;
      break;
    }
    await test.append(repeating(first?.event_id, { error_name: 'A' }));
    await test.append(repeating(other?.event_id, { error_name: 'B' }));
    for await (const change of test.store.changes({ after: cursor ?? '' })) {
      if (!('issue' in change)) break;
      told.push([change.kind, change.issue.error_name, change.issue.repeated ?? 0]);
    }
    expect(told.sort()).toEqual([
      ['changed', 'A', 1],
      ['changed', 'B', 1],
    ]);
  });

  it('does not reopen a resolved issue', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A' });
    const issueId = first?.issue_id as NonNullable<typeof first>['issue_id'];
    await test.store.act(issueId, { action: 'resolve' });
    test.clock.nowMs += 1_000;
    await test.append(repeating(first?.event_id, { error_name: 'A' }));
    expect(await test.reader.getIssue(issueId)).toMatchObject({ status: 'resolved', regressed: false });
  });

  it.each([0, 7, null, [], 'x', '__proto__', {}])('counts as any other if the id is invalid: %j', async (repeats) => {
    const test = await storeUnderTest();
    await test.append({ error_name: 'A', extra: { faultline: { repeats } } });
    expect(await issuesOf(test)).toEqual([['A', 1, 0, 0, 1, 1]]);
  });

  it('counts the same after a restart and in a rebuilt index, whatever the order', async () => {
    const step = fc.record({ name: fc.constantFrom('A', 'B', 'C'), repeats: fc.option(fc.nat(9)), user: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (commits) => {
        const disk = createMemoryDisk();
        const test = await storeInMemory(disk);
        const counted: EventId[] = [];
        let occurrences = 0;
        for (const [index, commit] of commits.entries()) {
          const changes = commit.map(({ name, repeats, user }): Partial<RawPayload> => {
            const first = repeats === null ? undefined : counted[repeats % Math.max(1, counted.length)];
            const fields = { error_name: name, user_id: `u${user}` };
            if (first === undefined) occurrences += 1;
            return first === undefined ? fields : repeating(first, fields);
          });
          const stored = await test.append(...changes);
          for (const [at, { event_id: id }] of stored.entries()) if (changes[at]?.extra === undefined) counted.push(id);
          if (index % 2 === 1) await test.store.checkpoint();
        }
        const live = await issuesOf(test);
        expect(live.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(occurrences);
        await test.store.close();
        for (const isRebuilt of [false, true]) {
          if (isRebuilt) disk.pull(join(MEMORY_ROOT, 'index'));
          const again = await storeInMemory(disk);
          expect(await issuesOf(again)).toEqual(live);
          expect([...test.faults, ...again.faults]).toEqual([]);
          await again.store.close();
        }
      }),
    );
  });
});

describe('a regrouping', () => {
  it('groups a repeated report as the event that counts it, and back', async () => {
    const directory = await temporaryFolder();
    const store: EventStore = await openGrouped(directory);
    const [first] = await send(store, payloadOf('A', 'one'));
    await send(store, { ...payloadOf('pkg.A', 'two'), ...repeating(first?.event_id) }, payloadOf('B', 'two'));
    expect(await countsOf(store.reader)).toEqual(['4 one: 1 open', '4 two: 1 open']);
    await store.regroup.apply(BY_NAME);
    expect(await countsOf(store.reader)).toEqual(['1 A: 1 open', '1 B: 1 open']);
    await store.regroup.rollBack();
    expect(await countsOf(store.reader)).toEqual(['4 one: 1 open', '4 two: 1 open']);
    await store.regroup.apply(BY_MESSAGE);
    await store.close();
    const found: string[] = [];
    await verifyFolder({ directory, createGrouper: createRuleGrouper, onFinding: ({ code }) => found.push(code) });
    expect(found).toEqual([]);
    await rm(join(directory, 'index'), { recursive: true });
    const again = await openGrouped(directory);
    expect(await countsOf(again.reader)).toEqual(['4 one: 1 open', '4 two: 1 open']);
    await again.close();
  });
});

describe('retention', () => {
  it('leaves a regrouped report where a rebuilt index finds it when the event that counts it is gone', async () => {
    const { files } = createMemoryDisk();
    const clock = { nowMs: TEN_O_CLOCK_MS + HOUR_MS - 1_000 };
    const options = { files, nowMs: () => clock.nowMs, retention: { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 } };
    const store = await openGrouped(MEMORY_ROOT, options);
    const [first] = await send(store, payloadOf('A', 'one'));
    clock.nowMs += 2_000;
    await send(store, payloadOf('pkg.A', 'two', repeating(first?.event_id)));
    expect(await countsOf(store.reader)).toEqual(['4 one: 1 open']);
    await store.regroup.apply(BY_NAME);
    clock.nowMs += 2.5 * HOUR_MS;
    await store.retain();
    expect((await store.reader.stats()).events).toBe(1);
    const live = await everything(store.reader);
    await store.close();
    await removeTree(files, join(MEMORY_ROOT, 'index'));
    const again = await openGrouped(MEMORY_ROOT, options);
    expect(await everything(again.reader)).toEqual(live);
    await again.close();
  });

  it('removes repeated reports without a change of counts, live, after a restart, and in a rebuilt index', async () => {
    const disk = createMemoryDisk();
    const { store, at, faults, clock } = await openFolder(disk.files, {
      retention: { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 },
    });
    const [first] = await at(0, [1, 2]);
    await at(0.25, [1], repeating(first?.event_id));
    await at(0.5, [1]);
    // The event that counts it is removed before this one.
    await at(2.5, [1], repeating(first?.event_id));
    const [last] = await at(2.6, [1]);
    await at(2.7, [1], repeating(last?.event_id));
    await at(3.25, [3]);
    await store.checkpoint();
    await store.retain();
    const issueId = last?.issue_id as NonNullable<typeof last>['issue_id'];
    expect(await store.reader.getIssue(issueId)).toMatchObject({
      count: 1,
      sampled: 0,
      repeated: 2,
      removed_events: 2,
    });
    const { events, removed } = await store.reader.stats();
    expect([events, removed.events]).toEqual([4, 4]);
    const live = await everything(store.reader);
    await store.close();
    const again = await openFolder(disk.files, {}, clock);
    expect(await everything(again.store.reader)).toEqual(live);
    await again.store.close();
    expect(await rebuilt(disk.files, clock)).toEqual(live);
    expect([...faults, ...again.faults]).toEqual([]);
  });
});
