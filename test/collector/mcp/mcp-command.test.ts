import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { closeClients, store, WAYS } from './mcp-clients.js';

const READING = ['list_issues', 'get_issue', 'search_events', 'get_event', 'explain_grouping', 'changes_since'];

let running: RunningService;
let url = '';
let directory = '';

beforeAll(async () => {
  directory = await temporaryFolder();
  running = await startService(settingsFor(directory, 'service.extensions=[query, mcp]', 'extensions.mcp={}'));
  url = running.apiUrl.replace('/api/v1', '');
  for (const name of ['FirstError', 'SecondError', 'ThirdError']) await store(running, { error_name: name });
});
afterAll(async () => {
  await closeClients();
  await running.service.shutdown();
  await removeTemporaryFolders();
});

describe('faultline mcp', () => {
  const connect = WAYS['client v2 over stdio'];

  it('reads a folder beside its collector and sees what is stored meanwhile', async () => {
    const client = await connect({ args: ['--data', directory] });
    const before = await client.call('changes_since', { query: 'error_name:FolderError' });
    const { cursor } = before.structuredContent as { cursor: string };
    const waiting = client.call('changes_since', { cursor, wait_seconds: 30, query: 'error_name:FolderError' });
    const stored = await store(running, { error_name: 'FolderError' });
    expect((await waiting).structuredContent).toMatchObject({
      changes: [{ kind: 'new', issue_id: stored.issue_id }],
    });
  });

  it('starts without a source and says in each answer what is missing', async () => {
    const client = await connect({ args: ['--data', `${directory}/none`] });
    expect(await client.tools()).toHaveLength(READING.length);
    expect((await client.call('list_issues')).content[0]?.text).toMatch(/^FOLDER_NOT_FOUND: /);
  });

  it('acts on issues where writing is allowed, and undoes it', async () => {
    const client = await connect({ args: ['--url', url, '--allow-writes'] });
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual([...READING, 'triage_issue', 'undo']);
    const list = await client.call('list_issues', { query: 'error_name:SecondError' });
    const [issue] = list.structuredContent['issues'] as { issue_id: string }[];
    const signed = { issue_id: issue?.issue_id, actor: 'test for anna', reason: 'fixed' };
    const resolved = await client.call('triage_issue', { ...signed, action: 'resolve' });
    const { undo_id } = resolved.structuredContent as { undo_id: string };
    expect(resolved.structuredContent).toMatchObject({ status: 'resolved' });
    expect((await client.call('undo', { ...signed, undo_id })).structuredContent).toMatchObject({ status: 'open' });
    expect(await client.call('triage_issue', { ...signed, action: 'ignore', snooze: 'soon' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^SNOOZE_INVALID: /) }],
    });
    const { actor: _, ...unsigned } = signed;
    expect(await client.call('triage_issue', { ...unsigned, action: 'resolve' })).toMatchObject({ isError: true });
  });
});
