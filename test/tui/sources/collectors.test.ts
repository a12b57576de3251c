import type { IssueId } from '../../../core/event/ids.js';
import type { SourcesReader } from '../../../core/merged/source.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { openSources, type SourceChoice } from '../../../tui/readers/open-sources.js';
import { post } from '../../collector/post.js';
import { type RunningService, settingsFor, startService } from '../../collector/running-service.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

interface Collector {
  readonly running: RunningService;
  readonly directory: string;
  readonly url: string;
}

const started: RunningService[] = [];
const opened: SourcesReader[] = [];

afterEach(async () => {
  for (const reader of opened.splice(0)) await reader.close();
  for (const { service } of started.splice(0)) await service.shutdown();
});
afterAll(removeTemporaryFolders);

async function start(directory: string, ...sets: string[]): Promise<Collector> {
  const running = await startService(settingsFor(directory, ...sets));
  started.push(running);
  return { running, directory, url: running.apiUrl.replace('/api/v1', '') };
}

async function stop({ running }: Collector): Promise<void> {
  started.splice(started.indexOf(running), 1);
  await running.service.shutdown();
}

async function send({ running }: Collector, ...kinds: number[]): Promise<IssueId[]> {
  const payloads = kinds.map((kind) => kindOfFailure(kind));
  const { body } = await post(running.eventsUrl, JSON.stringify(payloads));
  return (body.events ?? []).map(({ issue_id }) => issue_id as IssueId);
}

async function open(...choices: SourceChoice[]): Promise<SourcesReader> {
  const openFolder = (directory: string) => openFolderReader({ directory });
  const defaults = { defaultUrl: 'http://127.0.0.1:9', defaultDirectory: '/nowhere/at/all', openFolder };
  // A slow machine must not look like a lost source.
  const reader = await openSources(choices, defaults, { waitMs: 20_000 });
  opened.push(reader);
  return reader;
}

const act = async (reader: SourcesReader, ...given: Parameters<NonNullable<SourcesReader['act']>>) => {
  if (reader.act === undefined) throw new Error('cannot act');
  return await reader.act(...given);
};

describe('two collectors and a folder', () => {
  it('are shown as one', async () => {
    const [a, b] = [await start(await temporaryFolder()), await start(await temporaryFolder())];
    const [both] = await send(a, 1, 1, 2);
    await send(b, 1, 3);
    const folder = await start(await temporaryFolder());
    await send(folder, 1, 4);
    await stop(folder);

    const reader = await open({ url: a.url }, { url: b.url, name: 'second' }, { data: folder.directory });
    const page = await reader.listIssues({ sort: 'count' });
    expect(page.issues.map(({ count }) => count)).toEqual([4, 1, 1, 1]);
    expect(page).toMatchObject({ total: 4, next_cursor: null });
    expect(page.issues[0]?.issue_id).toBe(both);
    const names = reader.sources().map(({ name }) => name);
    expect(names).toEqual([new URL(a.url).host, 'second', folder.directory.split('/').at(-1)]);
    expect(reader.ownersOf(both as IssueId)).toEqual(names);
    expect((await reader.listEvents(both as IssueId))?.events).toHaveLength(4);
    expect((await reader.summarizeEvents(both as IssueId, { buckets: 5 }))?.matched).toBe(4);
    expect((await reader.searchEvents()).events).toHaveLength(7);
    await reader.stats();
    await waitFor('what each lets do', () => reader.sources().every(({ canAct }) => canAct !== undefined));
    expect(reader.sources().map(({ canAct, stats }) => [canAct, stats?.events])).toEqual([
      [true, 3],
      [true, 2],
      [false, 2],
    ]);
  });

  it('continue without a collector that stops, and include it when it is back, also with another folder', async () => {
    const [a, b] = [await start(await temporaryFolder()), await start(await temporaryFolder())];
    await send(a, 1);
    await send(b, 2);
    const reader = await open({ url: a.url }, { url: b.url });
    expect((await reader.listIssues()).issues).toHaveLength(2);
    await stop(b);
    // What was read before stays.
    expect((await reader.listIssues()).issues).toHaveLength(2);
    expect(reader.sources()[1]).toMatchObject({ kind: 'lost', reason: expect.stringContaining(b.url) });

    const endpoint = `extensions.query.endpoint=localhost:${new URL(b.url).port}`;
    const again = await start(await temporaryFolder(), endpoint);
    await send(again, 3, 4);
    await waitFor('its issues', async () => (await reader.listIssues()).issues.length === 3);
    expect(reader.sources()[1]).toMatchObject({ kind: 'connected', reason: undefined });
  });

  it('perform actions in the source of an issue, and undo them together', async () => {
    const [a, b] = [await start(await temporaryFolder()), await start(await temporaryFolder())];
    const [shared, onlyA] = (await send(a, 1, 2)) as [IssueId, IssueId];
    const [, onlyB] = (await send(b, 1, 3)) as [IssueId, IssueId];
    const reader = await open({ url: a.url }, { url: b.url, name: 'b' });
    const [inA, inB] = [await open({ url: a.url }), await open({ url: b.url })];
    const statuses = async (issueId: IssueId) =>
      (await Promise.all([inA.getIssue(issueId), inB.getIssue(issueId)])).map((issue) => issue?.status);

    expect(await act(reader, shared, { action: 'resolve', actor: 'anna' })).toMatchObject({
      status: 'resolved',
      count: 2,
    });
    expect(await statuses(shared)).toEqual(['resolved', 'resolved']);
    expect(await act(reader, onlyB, { action: 'ignore', snooze: '7d' })).toMatchObject({ status: 'ignored' });
    expect(await statuses(onlyB)).toEqual([undefined, 'ignored']);

    const undone = await act(reader, shared, { action: 'undo' });
    expect(undone).toMatchObject({ status: 'open' });
    expect(await statuses(shared)).toEqual(['open', 'open']);
    expect(undone.history.map(({ action }) => action).sort()).toEqual(['resolve', 'resolve', 'undo', 'undo']);

    await act(reader, shared, { action: 'merge', issues: [onlyA] });
    expect(await statuses(onlyA)).toEqual(['open', undefined]);
    expect((await inA.getIssue(onlyA))?.issue_id).toBe(shared);
    expect(await act(reader, shared, { action: 'split' })).toMatchObject({ merged: [] });

    const apart = { code: 'ISSUES_IN_DIFFERENT_SOURCES', message: expect.stringContaining('is in b') };
    await expect(act(reader, onlyA, { action: 'merge', issues: [onlyB] })).rejects.toMatchObject(apart);
    await expect(act(reader, onlyB, { action: 'comment', text: '' })).rejects.toMatchObject({ code: 'ACTION_INVALID' });
    const unknown = '00000000-0000-5000-8000-000000000000' as IssueId;
    await expect(act(reader, unknown, { action: 'resolve' })).rejects.toMatchObject({ code: 'ISSUE_NOT_FOUND' });
  });

  it('explain an issue of one of them, and name the sources of the others', async () => {
    const [a, b] = [await start(await temporaryFolder()), await start(await temporaryFolder())];
    const [one, two] = (await send(a, 1, 2)) as [IssueId, IssueId];
    const [three] = (await send(b, 3)) as [IssueId];
    const reader = await open({ url: a.url }, { url: b.url, name: 'b' });
    expect(await reader.explain(one, two)).toMatchObject({ a: { issue_id: one }, b: { issue_id: two } });
    await expect(reader.explain(one, three)).rejects.toMatchObject({ code: 'EXPLAIN_IN_DIFFERENT_SOURCES' });
    await expect(reader.explain(one, 'x')).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
    const unknown = '00000000-0000-5000-8000-000000000000';
    await expect(reader.explain(one, unknown)).rejects.toMatchObject({ code: 'EXPLAIN_NOT_FOUND' });
  });

  it('report if none accepts actions', async () => {
    const a = await start(await temporaryFolder());
    const [issue] = (await send(a, 1)) as [IssueId];
    await stop(a);
    const reader = await open({ data: a.directory }, { data: a.directory, name: 'again' });
    expect(await reader.access()).toEqual({ actions: false });
    await expect(act(reader, issue, { action: 'resolve' })).rejects.toMatchObject({ code: 'SOURCE_READ_ONLY' });
  });
});

describe('an opened source', () => {
  it('is a single reader for one source, and the default collector without any', async () => {
    const a = await start(await temporaryFolder());
    const one = await open({ url: `${a.url}/`, name: 'mine' });
    expect(one.sources()).toMatchObject([{ name: 'mine', address: a.url, kind: 'connecting' }]);
    expect((await open()).sources()).toMatchObject([{ name: '127.0.0.1:9', kind: 'connecting' }]);
  });

  it.each<[string, SourceChoice[]]>([
    ['SOURCE_INVALID', [{}]],
    ['SOURCE_INVALID', [{ url: 'http://localhost:1', data: '/x' }]],
    ['SOURCE_INVALID', [{ data: '/x' }, { name: 'nothing' }]],
    ['URL_INVALID', [{ data: '/x' }, { url: 'localhost:4319' }]],
    ['FOLDER_NOT_FOUND', [{ data: '/nowhere/at/all' }]],
  ])('is refused with %s if it is %j', async (code, choices) => {
    await expect(open(...choices)).rejects.toMatchObject({ code });
  });

  it('has a unique name, and an address without credentials', async () => {
    const reader = await open(
      { url: 'http://anna:secret@127.0.0.1:9/x' },
      { url: 'http://127.0.0.1:9' },
      { data: '/nowhere/127.0.0.1:9' },
    );
    expect(reader.sources()).toMatchObject([
      { name: '127.0.0.1:9', address: 'http://127.0.0.1:9/x' },
      { name: '127.0.0.1:9 2', address: 'http://127.0.0.1:9' },
      { name: '127.0.0.1:9 3', address: '/nowhere/127.0.0.1:9' },
    ]);
    await expect(reader.listIssues()).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE', retryable: true });
  });
});
