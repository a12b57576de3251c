import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureReader } from '../../../core/contract/reader.js';
import { type IssueId, toIssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import type { ActionRequest, EventSummary, IssueDetail } from '../../../generated/reader-answers.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { closeStores, createTestGrouper, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const NO_ISSUE = toIssueId('00000000-0000-5000-8000-000000000000') ?? missing();

/** Stores one event and returns its issue id. */
async function issueOf({ append }: StoreUnderTest, changes: Partial<RawPayload>): Promise<IssueId> {
  const [stored] = await append(changes);
  return stored?.issue_id ?? missing();
}

async function detailOf(reader: FailureReader, issueId: IssueId): Promise<IssueDetail> {
  return (await reader.getIssue(issueId)) ?? missing();
}

async function actionsIn(directory: string): Promise<{ action: string; actor: string | null; data: object }[]> {
  const lines = (await readFile(join(directory, 'actions.ndjson'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function allEvents(reader: FailureReader, issueId: IssueId, limit: number): Promise<EventSummary[]> {
  const events: EventSummary[] = [];
  for (let cursor: string | undefined; ; ) {
    const page =
      (await reader.listEvents(issueId, { limit, ...(cursor === undefined ? {} : { cursor }) })) ?? missing();
    events.push(...page.events);
    if (page.next_cursor === null) return events;
    cursor = page.next_cursor;
  }
}

describe('acting on an issue', () => {
  it('returns the changed issue, with actors and reasons', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, {});
    const changed = await test.store.act(issueId, {
      action: 'assign',
      assignee: 'bob',
      actor: 'ada',
      reason: 'knows it',
    });
    expect(changed).toMatchObject({
      assignee: 'bob',
      history: [
        { action: 'assign', actor: 'ada', detail: 'bob', reason: 'knows it', undone: false, issue_id: issueId },
      ],
    });
    expect(changed).toEqual(await detailOf(test.reader, issueId));
    expect(changed).toMatchObject({ state_at: null, state_by: null });
    expect(await test.store.act(issueId, { action: 'resolve', actor: 'ada' })).toMatchObject({
      state_at: expect.stringMatching(/^2026-11-21T10:00:00/),
      state_by: 'ada',
    });
  });

  it('rejects invalid actions, and stores nothing', async () => {
    const test = await storeUnderTest();
    const [one, other] = [await issueOf(test, {}), await issueOf(test, { error_name: 'OtherError' })];
    const refused: [unknown, string, RegExp][] = [
      [null, 'ACTION_INVALID', /action/],
      [{}, 'ACTION_INVALID', /`action`/],
      [{ action: 'dance' }, 'ACTION_INVALID', /`action`/],
      [{ action: 'resolve', text: 'x' }, 'ACTION_INVALID', /"text"/],
      [{ action: 'resolve', __proto__: null, constructor: 1 }, 'ACTION_INVALID', /"constructor"/],
      [{ action: 'resolve', actor: 'x'.repeat(201) }, 'ACTION_INVALID', /`actor`/],
      [{ action: 'resolve', in_release: 'v1', in_next_release: true }, 'ACTION_INVALID', /`in_release`/],
      [{ action: 'assign' }, 'ACTION_INVALID', /`assignee`/],
      [{ action: 'comment', text: '' }, 'ACTION_INVALID', /`text`/],
      [{ action: 'merge', issues: ['x'] }, 'ACTION_INVALID', /`issues`/],
      [{ action: 'merge', issues: [one] }, 'ACTION_INVALID', /`issues`/],
      [{ action: 'merge', issues: [NO_ISSUE] }, 'ISSUE_NOT_FOUND', /00000000/],
      [{ action: 'split', issues: [other] }, 'ISSUES_NOT_MERGED', /not merged/],
      [{ action: 'ignore', snooze: 'soon' }, 'SNOOZE_INVALID', /soon/],
      [{ action: 'undo' }, 'ACTION_NOT_FOUND', /no action/],
      [{ action: 'undo', undoes: 'x' }, 'ACTION_NOT_FOUND', /"x"/],
    ];
    for (const [request, code, message] of refused) {
      const result = test.store.act(one, request as ActionRequest);
      await expect(result).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    }
    await expect(test.store.act(NO_ISSUE, { action: 'resolve' })).rejects.toMatchObject({ code: 'ISSUE_NOT_FOUND' });
    expect((await detailOf(test.reader, one)).history).toEqual([]);
  });

  it('undoes the latest action, restores it, and rejects a second undo', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, {});
    await test.store.act(issueId, { action: 'ignore' });
    const resolved = await test.store.act(issueId, { action: 'resolve' });
    const undone = await test.store.act(issueId, { action: 'undo' });
    expect(undone).toMatchObject({
      status: 'ignored',
      history: [{ undone: false }, { undone: true }, { undone: false }],
    });
    const twice = test.store.act(issueId, { action: 'undo', undoes: resolved.history[1]?.id ?? '' });
    await expect(twice).rejects.toMatchObject({ code: 'ACTION_INVALID' });
    const redone = await test.store.act(issueId, { action: 'undo', undoes: undone.history[2]?.id ?? '' });
    expect(redone.status).toBe('resolved');
    expect((await test.store.act(issueId, { action: 'undo' })).status).toBe('ignored');
    expect((await test.store.act(issueId, { action: 'undo' })).status).toBe('open');
  });
});

describe('a resolution', () => {
  it('ends with events received after it, and never with earlier ones', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, {});
    for (let round = 0; round < 20; round += 1) {
      const appends = [0, 1, 2, 3].map(() => test.append({}));
      const acts = [test.store.act(issueId, { action: 'resolve' }), test.store.act(issueId, { action: 'resolve' })];
      const later = round % 2 === 0 ? [] : [0, 1, 2].map(() => test.append({}));
      await Promise.all([...appends, ...acts, ...later]);
      const { history, regressed, status } = await detailOf(test.reader, issueId);
      const events = await allEvents(test.reader, issueId, 500);
      const receipts = await receiptsOf(test, events.length);
      const resolvedAt = history.at(-1)?.at.slice(0, 26) ?? '';
      const isAfter = receipts.some((at) => at.slice(0, 26) > resolvedAt);
      expect({ regressed, status }).toEqual({ regressed: isAfter, status: isAfter ? 'open' : 'resolved' });
    }
  });

  it('in the next release considers the releases of all issues of the service', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, { release: 'blue' });
    await test.append({ error_name: 'OtherError', release: 'green' }, { service: 'worker', release: 'red' });
    const resolved = await test.store.act(issueId, { action: 'resolve', in_next_release: true });
    expect(resolved).toMatchObject({ status: 'resolved', resolved_in: 'next' });
    expect(await actionsIn(test.directory)).toMatchObject([{ data: { known_releases: ['blue', 'green'] } }]);
    await test.append({ release: 'blue' }, { release: 'green' }, { release: null });
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'resolved' });
    await test.append({ release: 'red' });
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'open', regressed: true, resolved_in: null });
  });

  it('finds the newest release of an issue with very many releases', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, { release: '1.0.0' });
    for (let minor = 1; minor <= 40; minor += 1) await test.append({ release: `1.${minor}.0` });
    await test.store.act(issueId, { action: 'resolve', in_next_release: true });
    await test.append({ release: '1.40.0' });
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'resolved' });
    await test.append({ release: '1.41.0' });
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'open', regressed: true });
  });
});

/** Returns the receipt of each event, from the record. */
async function receiptsOf({ directory }: StoreUnderTest, events: number): Promise<string[]> {
  const path = join(directory, 'raw/production/api/shop/2026/11/21/10/commits.ndjson');
  const commits = (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(commits.reduce((sum, { lines }) => sum + lines, 0)).toBe(events);
  return commits.map(({ received_at }) => received_at);
}

describe('a snooze', () => {
  it('ends by the clock and by count', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, {});
    expect(await test.store.act(issueId, { action: 'ignore', snooze: '1h' })).toMatchObject({
      status: 'ignored',
      snooze: 'until:2026-11-21T11:00:00Z',
    });
    test.clock.nowMs += 3_600_000;
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'open', regressed: false, snooze: null });
    await test.store.act(issueId, { action: 'ignore', snooze: '3x' });
    await test.append({}, {});
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'ignored', snooze: '3x', snooze_left: 1 });
    await test.append({});
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'open', regressed: false });
  });

  it('ends by rate once and records the reason; an undo removes both', async () => {
    const test = await storeUnderTest();
    const issueId = await issueOf(test, {});
    const ignored = await test.store.act(issueId, { action: 'ignore', snooze: '5x/1m' });
    for (let event = 0; event < 6; event += 1) {
      test.clock.nowMs += 20_000;
      await test.append({});
    }
    expect(await detailOf(test.reader, issueId)).toMatchObject({ status: 'ignored' });
    await Promise.all([test.append({}, {}), test.append({}), test.append({}, {})]);
    await waitFor('the end of the snooze', async () => (await detailOf(test.reader, issueId)).status === 'open');
    await test.append({}, {}, {}, {}, {}, {});
    const { history } = await detailOf(test.reader, issueId);
    expect(history).toMatchObject([
      { action: 'ignore' },
      { action: 'reopen', actor: 'faultline', reason: '5 events within 1m' },
    ]);
    const undone = await test.store.act(issueId, { action: 'undo', undoes: ignored.history[0]?.id ?? '' });
    expect(undone).toMatchObject({ status: 'open', history: [{ undone: true }, { undone: true }, { undone: false }] });
  });

  it('ends by rate once after a restart, for events from before it', async () => {
    const before = await storeUnderTest();
    const issueId = await issueOf(before, {});
    before.clock.nowMs += 1000;
    await before.append({}, {}, {}, {});
    await before.store.close();
    const line = { id: 'by-hand', at: '2026-11-21T10:00:00.500000Z', action: 'ignore', issue_id: issueId, actor: null };
    const data = { count: 4, per_ms: 60_000 };
    await appendFile(join(before.directory, 'actions.ndjson'), `${JSON.stringify({ ...line, data })}\n`);
    for (let start = 0; start < 2; start += 1) {
      const { store, reader, append } = await storeUnderTest(before.directory);
      await waitFor('the end of the snooze', async () => (await detailOf(reader, issueId)).status === 'open');
      await append({}, {}, {}, {});
      await store.close();
    }
    expect((await actionsIn(before.directory)).map(({ action }) => action)).toEqual(['ignore', 'reopen']);
  });
});

describe('merged issues', () => {
  async function merged() {
    const test = await storeUnderTest();
    const one = await issueOf(test, { error_name: 'OneError', release: 'v1' });
    const two = await issueOf(test, { error_name: 'TwoError', env: 'staging', release: 'v2' });
    const three = await issueOf(test, { error_name: 'ThreeError' });
    test.clock.nowMs += 60_000;
    await test.append({ error_name: 'TwoError' }, { error_name: 'OneError' });
    return { ...test, one, two, three, detail: await test.store.act(one, { action: 'merge', issues: [two, three] }) };
  }

  it('are one issue that also gets later events', async () => {
    const { one, two, three, detail, reader, append } = await merged();
    expect(detail).toMatchObject({
      issue_id: one,
      title: 'OneError: title',
      merged: [two, three],
      count: 5,
      environments: ['production', 'staging'],
      related: [],
    });
    expect(detail.fingerprints).toHaveLength(3);
    await append({ error_name: 'ThreeError' });
    expect(await detailOf(reader, three)).toMatchObject({ issue_id: one, count: 6 });
    expect(await reader.listIssues()).toMatchObject({ issues: [{ issue_id: one, count: 6 }], total: 1 });
    expect(await reader.stats()).toMatchObject({ issues: 1, events: 6 });
  });

  it('list the events of all members by arrival, for any page size', async () => {
    const { two, reader } = await merged();
    const events = await allEvents(reader, two, 500);
    const arrived = ['OneError', 'TwoError', 'ThreeError', 'TwoError', 'OneError'].toReversed();
    expect(events.map(({ error_name }) => error_name)).toEqual(arrived);
    for (const limit of [1, 2, 3]) expect(await allEvents(reader, two, limit)).toEqual(events);
  });

  it('have one lifecycle, by the receipts of all events', async () => {
    const { one, two, store, reader, append } = await merged();
    expect(await store.act(two, { action: 'resolve' })).toMatchObject({ issue_id: one, status: 'resolved' });
    await append({ error_name: 'ThreeError' });
    expect(await detailOf(reader, one)).toMatchObject({ status: 'open', regressed: true });
  });

  it('are restored exactly by a split and by an undo', async () => {
    const { one, two, three, store, reader } = await merged();
    const total = async () => (await reader.listIssues()).total;
    expect(await store.act(one, { action: 'split', issues: [two] })).toMatchObject({ merged: [three], count: 3 });
    expect(await detailOf(reader, two)).toMatchObject({ issue_id: two, count: 2, merged: [] });
    await store.act(one, { action: 'undo' });
    expect(await total()).toBe(1);
    await store.act(three, { action: 'undo' });
    expect(await total()).toBe(3);
    expect(await detailOf(reader, three)).toMatchObject({ issue_id: three, count: 1, history: [] });
  });

  it('are split by the fingerprints of members, all of them by default', async () => {
    const { one, two, three, store } = await merged();
    const { fingerprints } = await store.act(one, { action: 'comment', text: 'one failure?' });
    const [own, second] = fingerprints;
    if (own === undefined || second === undefined) throw new Error('three members');
    await expect(store.act(one, { action: 'split', fingerprints: [own] })).rejects.toMatchObject({
      code: 'ISSUES_NOT_MERGED',
    });
    expect(await store.act(one, { action: 'split', fingerprints: [second] })).toMatchObject({ merged: [three] });
    await store.act(one, { action: 'merge', issues: [two] });
    expect(await store.act(one, { action: 'split' })).toMatchObject({ merged: [] });
    await expect(store.act(one, { action: 'split' })).rejects.toMatchObject({ code: 'ISSUES_NOT_MERGED' });
  });

  it('are equal for a reader of the folder in another process', async () => {
    const { one, two, store, directory, append } = await merged();
    const folder = await openFolderReader({ directory, createGrouper: createTestGrouper });
    try {
      expect(await detailOf(folder, two)).toMatchObject({ issue_id: one, count: 5 });
      await store.act(two, { action: 'resolve', in_release: 'v3' });
      expect(await detailOf(folder, two)).toMatchObject({ status: 'resolved', resolved_in: 'v3' });
      await append({ error_name: 'TwoError', release: 'v4' });
      await waitFor('the regression', async () => (await detailOf(folder, one)).regressed);
      expect((await folder.listIssues()).total).toBe(1);
      await store.act(one, { action: 'split', issues: [two] });
      expect((await detailOf(folder, two)).issue_id).toBe(two);
    } finally {
      await folder.close();
    }
  });
});

describe('a new issue', () => {
  it('needs a record that began more than a day before', async () => {
    const test = await storeUnderTest();
    const countNew = async () => [
      (await test.reader.countIssues()).new,
      (await test.reader.listIssues({ query: 'is:new' })).total,
      (await test.reader.listIssues()).issues.filter(({ is_new }) => is_new).length,
    ];
    await test.append(...Array.from({ length: 28 }, (_, number) => ({ error_name: `Error${number}` })));
    expect(await countNew()).toEqual([0, 0, 0]);
    test.clock.nowMs += 25 * 3_600_000;
    await test.append({ error_name: 'Error0' }, { error_name: 'LateError' });
    expect(await countNew()).toEqual([1, 1, 1]);
    test.clock.nowMs += 24 * 3_600_000;
    expect(await countNew()).toEqual([0, 0, 0]);
  });
});
