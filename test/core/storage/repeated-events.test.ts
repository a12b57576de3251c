import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EventId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createMemoryDisk } from './record/memory-disk.js';
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
import { closeStores, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;

function repeating(eventId: string | undefined, changes: Partial<RawPayload> = {}): Partial<RawPayload> {
  return { ...changes, extra: { faultline: { repeats: eventId ?? '' } } };
}

async function issuesOf({ reader }: Pick<StoreUnderTest, 'reader'>) {
  const { issues } = await reader.listIssues({ limit: 500, sort: 'first_seen' });
  return issues.map(({ error_name: name, count, sampled, users, trend }) => [
    name,
    count,
    sampled,
    users,
    trend.at(-1),
  ]);
}

describe('an event that repeats an occurrence', () => {
  it('is stored and listed, and counts for nothing but its user', async () => {
    const test = await storeUnderTest();
    const [first] = await test.append({ error_name: 'A', user_id: null });
    const [second] = await test.append(repeating(first?.event_id, { error_name: 'A', user_id: 'u1' }));
    expect(await issuesOf(test)).toEqual([['A', 1, -1, 1, 1]]);
    const issueId = first?.issue_id as NonNullable<typeof first>['issue_id'];
    expect((await test.reader.listEvents(issueId))?.events).toHaveLength(2);
    expect(await test.reader.stats()).toMatchObject({ events: 2, sampled: -1 });
    const summary = await test.reader.summarizeEvents(issueId, { buckets: 1 });
    expect([summary?.histogram.counts, summary?.total]).toEqual([[1], 2]);
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
    expect(await issuesOf(test)).toEqual([['A', 1, -1, 1, 1]]);
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
    expect(await issuesOf(test)).toEqual([['A', 1, 0, 1, 1]]);
  });

  it('counts the same after a restart and in a rebuilt index, whatever the order', async () => {
    const step = fc.record({ name: fc.constantFrom('A', 'B', 'C'), repeats: fc.option(fc.nat(9)), user: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (commits) => {
        const test = await storeUnderTest(await temporaryFolder());
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
        expect(live.every(([, count]) => Number(count) > 0)).toBe(true);
        await test.store.close();
        for (const isRebuilt of [false, true]) {
          if (isRebuilt) await rm(join(test.directory, 'index'), { recursive: true });
          const again = await storeUnderTest(test.directory);
          expect(await issuesOf(again)).toEqual(live);
          expect([...test.faults, ...again.faults]).toEqual([]);
          await again.store.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('a regrouping', () => {
  it('groups a repeated report as the event that counts it, and back', async () => {
    const directory = await temporaryFolder();
    const store: EventStore = await openGrouped(directory);
    const [first] = await send(store, payloadOf('A', 'one'));
    await send(store, { ...payloadOf('B', 'two'), ...repeating(first?.event_id) }, payloadOf('B', 'two'));
    expect(await countsOf(store.reader)).toEqual(['3 one: 1 open', '3 two: 1 open']);
    await store.regroup.apply(BY_NAME);
    expect(await countsOf(store.reader)).toEqual(['1 A: 1 open', '1 B: 1 open']);
    await store.regroup.rollBack();
    expect(await countsOf(store.reader)).toEqual(['3 one: 1 open', '3 two: 1 open']);
    await store.regroup.apply(BY_MESSAGE);
    await store.close();
    const found: string[] = [];
    await verifyFolder({ directory, createGrouper: createRuleGrouper, onFinding: ({ code }) => found.push(code) });
    expect(found).toEqual([]);
    await rm(join(directory, 'index'), { recursive: true });
    const again = await openGrouped(directory);
    expect(await countsOf(again.reader)).toEqual(['3 one: 1 open', '3 two: 1 open']);
    await again.close();
  });
});

describe('retention', () => {
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
    expect(await store.reader.getIssue(issueId)).toMatchObject({ count: 1, sampled: -2, removed_events: 2 });
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
