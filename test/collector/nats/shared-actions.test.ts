/** Several gateways share triage actions over NATS: all of them store the same actions in the same order. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { SharedActions, type SharingStore } from '../../../collector/nats/shared-actions.js';
import type { IssueId } from '../../../core/event/ids.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../../core/storage/store-under-test.js';
import { missing } from '../../helpers/missing.js';
import { createMemoryNats, type MemoryNats } from '../../helpers/nats/memory-transport.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const STREAM = 'eu-faultline-actions';
const TIMES = { newerMs: 5_000, retryMs: 20 };

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await closeStores();
});
afterAll(removeTemporaryFolders);

/** A gateway with its own store and connection. */
async function gateway(nats: MemoryNats, test?: StoreUnderTest, changed: Partial<SharingStore> = {}, times = TIMES) {
  const under = test ?? (await storeUnderTest());
  const transport = nats.connect();
  const logged: { msg: string }[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const shared = new SharedActions({
    ...{ transport, prefix: 'eu-faultline', replicas: 1, logger, times },
    store: {
      planAction: (issueId, request) => under.store.planAction(issueId, request),
      adoptAction: (action) => under.store.adoptAction(action),
      reader: under.store.reader,
      ...changed,
    },
  });
  await shared.start();
  const stop = async (): Promise<void> => {
    await shared.shutdown();
    await transport.close();
  };
  stops.push(stop);
  await waitFor('the stream', () => nats.stored(STREAM));
  return { ...under, shared, transport, logged, stop };
}

type Gateway = Awaited<ReturnType<typeof gateway>>;

/** Stores one event of the same issue in each. */
async function arrive(...gateways: readonly StoreUnderTest[]): Promise<IssueId> {
  const stored = await Promise.all(gateways.map(({ append }) => append({})));
  return stored[0]?.[0]?.issue_id ?? missing();
}

async function historyOf({ reader }: StoreUnderTest, issueId: IssueId) {
  const { history } = (await reader.getIssue(issueId)) ?? missing();
  return history.map(({ at: _, ...entry }) => entry);
}

/** The histories of all, once each has as many entries. */
async function histories(gateways: readonly StoreUnderTest[], issueId: IssueId, entries: number) {
  return await waitFor('equal histories', async () => {
    const all = await Promise.all(gateways.map((one) => historyOf(one, issueId)));
    return all.every(({ length }) => length === entries) && all;
  });
}

async function storedLines({ directory }: StoreUnderTest): Promise<string[]> {
  const text = await readFile(join(directory, 'actions.ndjson'), 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

async function twoGateways(nats = createMemoryNats(), times = TIMES): Promise<[Gateway, Gateway, IssueId]> {
  const open = () => gateway(nats, undefined, {}, times);
  const [one, two] = [await open(), await open()];
  return [one, two, await arrive(one, two)];
}

it('shows an action of one gateway in the other, with the same id and actor', async () => {
  const [one, two, issueId] = await twoGateways();
  const changed = await one.shared.act(issueId, { action: 'resolve', actor: 'ada', reason: 'fixed' });
  expect(changed).toMatchObject({ status: 'resolved', history: [{ action: 'resolve', actor: 'ada' }] });
  const [first, second] = await histories([one, two], issueId, 1);
  expect(second).toEqual(first);
  expect((await two.reader.getIssue(issueId))?.status).toBe('resolved');
});

it('gives concurrent actions on one issue one order in all gateways', async () => {
  const [one, two, issueId] = await twoGateways();
  // Of four actions, each loses to the four of the other gateway at most; the fifth attempt is the last one.
  const texts = Array.from({ length: 8 }, (_, index) => `${index}`);
  await Promise.all(
    texts.map((text) => (Number(text) % 2 === 0 ? one : two).shared.act(issueId, { action: 'comment', text })),
  );
  const [first, second] = await histories([one, two], issueId, texts.length);
  expect(second).toEqual(first);
  expect(first?.map(({ detail }) => Number(detail)).sort((left, right) => left - right)).toEqual(texts.map(Number));
});

it('plans an action again that another gateway forestalled', async () => {
  const [one, two, issueId] = await twoGateways();
  const comment = await one.shared.act(issueId, { action: 'comment', text: 'wrong' });
  const undoes = comment.history[0]?.id ?? missing();
  await histories([two], issueId, 1);
  const results = await Promise.allSettled(
    [one, two].map(({ shared }) => shared.act(issueId, { action: 'undo', undoes })),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((result) => result.status === 'rejected');
  expect(refused?.reason).toMatchObject({ code: 'ACTION_INVALID' });
  const [first, second] = await histories([one, two], issueId, 2);
  expect(second).toEqual(first);
});

it('undoes an action of another gateway', async () => {
  const [one, two, issueId] = await twoGateways();
  await one.shared.act(issueId, { action: 'ignore', actor: 'ada' });
  await histories([two], issueId, 1);
  expect(await two.shared.act(issueId, { action: 'undo', actor: 'bob' })).toMatchObject({ status: 'open' });
  const [first, second] = await histories([one, two], issueId, 2);
  expect(second).toEqual(first);
  expect(first).toMatchObject([{ undone: true }, { action: 'undo', actor: 'bob' }]);
  expect((await one.reader.getIssue(issueId))?.status).toBe('open');
});

it('acts on a merged issue as its group, in all gateways', async () => {
  const nats = createMemoryNats();
  const [one, two, issueId] = await twoGateways(nats);
  const others = await Promise.all([one, two].map(({ append }) => append({ error_name: 'OtherError' })));
  const other = others[0]?.[0]?.issue_id ?? missing();
  await one.shared.act(issueId, { action: 'merge', issues: [other] });
  await histories([two], issueId, 1);
  expect(await two.shared.act(other, { action: 'resolve' })).toMatchObject({ issue_id: issueId, status: 'resolved' });
  // One subject, so that gateways that act on different members notice each other.
  expect(new Set(nats.stored(STREAM).map(({ subject }) => subject))).toEqual(
    new Set([`eu-faultline.actions.${issueId}`]),
  );
  const [first, second] = await histories([one, two], issueId, 2);
  expect(second).toEqual(first);
});

it('stores nothing twice after a restart, and what was missed in between', async () => {
  const nats = createMemoryNats();
  const [one, two, issueId] = await twoGateways(nats);
  await one.shared.act(issueId, { action: 'comment', text: '1' });
  await two.shared.act(issueId, { action: 'comment', text: '2' });
  const before = await waitFor('both actions', async () => {
    const lines = await storedLines(two);
    return lines.length === 2 && lines;
  });
  await two.stop();
  await two.store.close();
  await one.shared.act(issueId, { action: 'comment', text: '3' });
  const again = await gateway(nats, await storeUnderTest(two.directory));
  const [first, second] = await histories([one, again], issueId, 3);
  expect(second).toEqual(first);
  expect((await storedLines(again)).slice(0, 2)).toEqual(before);
  await again.shared.act(issueId, { action: 'comment', text: '4' });
  expect(await storedLines(again)).toHaveLength(4);
  await histories([one], issueId, 4);
});

it('gives a new gateway all earlier actions, and the events after them the same state', async () => {
  const nats = createMemoryNats();
  const one = await gateway(nats);
  const issueId = await arrive(one);
  await one.shared.act(issueId, { action: 'assign', assignee: 'ada' });
  await one.shared.act(issueId, { action: 'resolve' });
  const test = await storeUnderTest();
  let adopted = 0;
  const late = await gateway(nats, test, {
    async adoptAction(action) {
      await test.store.adoptAction(action);
      adopted += 1;
    },
  });
  await waitFor('the actions', () => adopted === 2);
  await arrive(late);
  expect(await late.reader.getIssue(issueId)).toMatchObject({ status: 'resolved', assignee: 'ada' });
  await arrive(one, late);
  for (const { reader } of [one, late]) {
    expect(await reader.getIssue(issueId)).toMatchObject({ status: 'open', regressed: true, count: 2 });
  }
});

it('acts at once in a new gateway, although it reads many earlier actions first', async () => {
  const nats = createMemoryNats();
  const one = await gateway(nats);
  const issueId = await arrive(one);
  for (let text = 0; text < 30; text += 1) await one.shared.act(issueId, { action: 'comment', text: `${text}` });
  const test = await storeUnderTest();
  await arrive(test);
  const late = await gateway(nats, test);
  expect((await late.shared.act(issueId, { action: 'resolve' })).history).toHaveLength(31);
  const [first, second] = await histories([one, late], issueId, 31);
  expect(second).toEqual(first);
});

it('rejects while NATS is unreachable and stores nothing', async () => {
  const nats = createMemoryNats();
  const [one, two, issueId] = await twoGateways(nats);
  nats.disconnect();
  const acting = one.shared.act(issueId, { action: 'resolve' });
  await expect(acting).rejects.toMatchObject({ code: 'NATS_UNREACHABLE', retryable: true });
  expect(await storedLines(one)).toEqual([]);
  expect(nats.stored(STREAM)).toEqual([]);
  nats.reconnect();
  await one.shared.act(issueId, { action: 'resolve' });
  expect((await histories([one, two], issueId, 1))[1]).toHaveLength(1);
});

it('starts while NATS is unreachable, and reads the actions once it responds', async () => {
  const nats = createMemoryNats();
  const [one, two, issueId] = await twoGateways(nats);
  await two.stop();
  await one.shared.act(issueId, { action: 'resolve' });
  const transport = nats.connect();
  transport.disconnect();
  const logger = pino({ level: 'silent' });
  const options = { transport, prefix: 'eu-faultline', replicas: 1, store: two.store, logger, times: TIMES };
  const shared = new SharedActions(options);
  await shared.start();
  stops.push(() => shared.shutdown());
  await expect(shared.act(issueId, { action: 'reopen' })).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
  transport.reconnect();
  await histories([two], issueId, 1);
});

it('applies an action later whose answer was lost', async () => {
  const [one, two, issueId] = await twoGateways();
  one.transport.loseAnswers(1);
  const acting = one.shared.act(issueId, { action: 'resolve' });
  await expect(acting).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
  const [first, second] = await histories([one, two], issueId, 1);
  expect(second).toEqual(first);
});

it('says so if an action is shared and not stored here before a stop', async () => {
  const nats = createMemoryNats();
  const one = await gateway(nats);
  const issueId = await arrive(one);
  const slow = await gateway(nats, one, { adoptAction: () => new Promise<void>(() => undefined) });
  const acting = slow.shared.act(issueId, { action: 'resolve' });
  const refusal = expect(acting).rejects.toMatchObject({ code: 'ACTION_PENDING', retryable: true });
  await waitFor('the message', () => nats.stored(STREAM).length === 1);
  // Not the connection, by which the servers may still have to answer.
  await slow.shared.shutdown();
  await refusal;
});

it('waits for a store that refuses, and keeps the order', async () => {
  const nats = createMemoryNats();
  const one = await gateway(nats);
  const issueId = await arrive(one);
  const test = await storeUnderTest();
  await arrive(test);
  let refusals = 0;
  const two = await gateway(nats, test, {
    async adoptAction(action) {
      refusals += 1;
      if (refusals === 1) throw new Error('the disk is full');
      await test.store.adoptAction(action);
    },
  });
  await one.shared.act(issueId, { action: 'comment', text: '1' });
  await one.shared.act(issueId, { action: 'comment', text: '2' });
  const [first, second] = await histories([one, two], issueId, 2);
  expect(second).toEqual(first);
  expect(two.logged.map(({ msg }) => msg)).toEqual(['a shared action was not stored']);
});

it('skips messages that are not actions, and reports them once', async () => {
  const [one, two, issueId] = await twoGateways();
  const subject = `eu-faultline.actions.${issueId}`;
  const id = '0195b3a0-0000-7000-8000-000000000001';
  const action = { id, action: 'celebrate', issue_id: issueId, actor: null, data: {} };
  for (const body of ['', '[]', '{"id":1}', JSON.stringify({ ...action, id: 'x' }), JSON.stringify(action)]) {
    await one.transport.publish(subject, Buffer.from(body));
  }
  // Of an unknown kind, as in the action log: only in the history.
  await one.shared.act(issueId, { action: 'resolve' });
  const [first, second] = await histories([one, two], issueId, 2);
  expect(second).toEqual(first);
  expect(first).toMatchObject([{ id, action: 'celebrate' }, { action: 'resolve' }]);
  expect(two.logged.map(({ msg }) => msg)).toEqual(['skipped messages that are not actions']);
});

it('rejects an action that no store can hold', async () => {
  const [one, , issueId] = await twoGateways();
  const huge = { planAction: () => Promise.resolve({ ...HUGE, issueId }) };
  const other = await gateway(createMemoryNats(), one, huge);
  const acting = other.shared.act(issueId, { action: 'resolve' });
  await expect(acting).rejects.toMatchObject({ code: 'ACTION_TOO_LARGE' });
});

const HUGE = { action: 'comment', actor: null, data: { text: 'x'.repeat(300_000) } };

it('goes on after the servers lost their last actions', async () => {
  const nats = createMemoryNats();
  // This long a gateway waits in vain for what the servers lost.
  const [one, two, issueId] = await twoGateways(nats, { ...TIMES, newerMs: 1_000 });
  for (const text of ['1', '2', '3']) await one.shared.act(issueId, { action: 'comment', text });
  await histories([two], issueId, 3);
  nats.loseLast(STREAM, 2);
  await one.shared.act(issueId, { action: 'comment', text: '4' });
  await two.shared.act(issueId, { action: 'comment', text: '5' });
  const [first, second] = await histories([one, two], issueId, 5);
  expect(second).toEqual(first);
});

it('agrees on regressions when an event and a resolution cross', async () => {
  const [one, two, issueId] = await twoGateways();
  await arrive(two);
  await one.shared.act(issueId, { action: 'resolve' });
  await histories([two], issueId, 1);
  expect(await two.reader.getIssue(issueId)).toMatchObject({ regressed: true, count: 2 });
  await arrive(one);
  expect(await one.reader.getIssue(issueId)).toMatchObject({ regressed: true, count: 2 });
  await arrive(one);
  await one.shared.act(issueId, { action: 'resolve' });
  await histories([two], issueId, 2);
  expect(await two.reader.getIssue(issueId)).toMatchObject({ status: 'resolved', count: 2 });
  await arrive(two);
  expect(await two.reader.getIssue(issueId)).toMatchObject({ status: 'resolved', count: 3 });
  await arrive(one, two);
  for (const { reader } of [one, two]) {
    expect(await reader.getIssue(issueId)).toMatchObject({ status: 'open', regressed: true, count: 4 });
  }
});
