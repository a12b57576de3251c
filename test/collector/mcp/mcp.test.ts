import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { closeClients, store, type TestClient, WAYS } from './mcp-clients.js';

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

describe.each(Object.entries(WAYS))('%s', (way, connect) => {
  let client: TestClient;

  beforeAll(async () => {
    client = await connect({ args: ['--url', url], url: `${url}/mcp` });
  });

  it('lists the tools that read, the prompts and the template of raw payloads', async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(READING);
    for (const tool of tools) {
      const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
      expect(tool).toMatchObject({ annotations: hints, outputSchema: { type: 'object' } });
    }
    expect((await client.prompts()).map(({ name }) => name)).toEqual(['triage_new', 'find_cause', 'changed_since']);
    expect(await client.prompt('changed_since', { release: 'v1 "x' })).toContain('new_in:"v1 \\"x"');
    expect(await client.templates()).toMatchObject([{ uriTemplate: 'faultline://events/{event_id}/raw' }]);
  });

  it('pages through issues and events without a repetition', async () => {
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const given = {
        limit: 1,
        query: 'error_name:[FirstError, SecondError, ThirdError]',
        ...(cursor ? { cursor } : {}),
      };
      const { structuredContent } = await client.call('list_issues', given);
      seen.push(...(structuredContent['issues'] as { issue_id: string }[]).map(({ issue_id }) => issue_id));
      cursor = structuredContent['next_cursor'];
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(3);
    const { structuredContent } = await client.call('search_events', { issue_id: seen[0], limit: 1 });
    expect(structuredContent).toMatchObject({ events: [{ issue_id: seen[0] }], next_cursor: null });
  });

  it('shows an issue, its event, its raw payload and its grouping', async () => {
    const list = await client.call('list_issues', { query: 'error_name:FirstError' });
    const [issue] = list.structuredContent['issues'] as { issue_id: string }[];
    const [facts] = list.content;
    const [shortId] = /[0-9a-f]{8}/.exec(facts?.text ?? '') ?? [];
    const found = await client.call('get_issue', { issue_id: shortId });
    expect(found.structuredContent).toMatchObject({
      issue_id: issue?.issue_id,
      status: 'open',
      count: 1,
      left_out: {},
    });
    expect(String(found.structuredContent['event_text'])).toContain('checkQuantity');
    const eventId = found.structuredContent['event_id'];
    const event = await client.call('get_event', { event_id: eventId });
    expect(event.structuredContent).toMatchObject({ event_id: eventId, issue_id: issue?.issue_id });
    const link = event.content.find(({ type }) => type === 'resource_link');
    expect(await client.read(link?.uri ?? '')).toMatch(/^~~~ untrusted, origin: \w+\n\| \{\n\| {2}"app": "shop",/);
    const grouping = await client.call('explain_grouping', { a: issue?.issue_id });
    expect(grouping.structuredContent).toMatchObject({ same: true, differ: 0 });
  });

  it('waits for a change and tells what it is', async () => {
    const name = `Broken${way.replaceAll(/\W/g, '')}Error`;
    const query = `error_name:${name}`;
    const before = await client.call('changes_since', { query });
    const { cursor } = before.structuredContent as { cursor: string };
    expect(before.structuredContent).toMatchObject({ changes: [], has_more: false });
    const waiting = client.call('changes_since', { cursor, query, wait_seconds: 30 });
    const stored = await store(running, { error_name: name });
    expect((await waiting).structuredContent).toMatchObject({ changes: [{ kind: 'new', issue_id: stored.issue_id }] });
  });

  it('names the column of an invalid query, with an example, and what else is wrong', async () => {
    const invalid = await client.call('list_issues', { query: 'level:error levl:error' });
    expect(invalid).toMatchObject({ isError: true });
    expect(invalid.content[0]?.text).toMatch(/^QUERY_INVALID: Query, column 13: .*Example: level:>=error/);
    expect(await client.call('get_issue', { issue_id: '00000000-0000-5000-8000-000000000000' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^ISSUE_NOT_FOUND: /) }],
    });
    expect(await client.call('list_issues', { cursor: 'x' })).toMatchObject({
      content: [{ text: expect.stringMatching(/^CURSOR_INVALID: /) }],
    });
    expect(await client.call('list_issues', { limit: 0 })).toMatchObject({ isError: true });
  });

  it('offers no tool that writes without a token', async () => {
    await expect(client.call('triage_issue', {})).rejects.toMatchObject({ code: -32_602 });
  });
});
