import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { killLeftoverProcesses } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { closeClients, store, type TestClient, WAYS } from './mcp-clients.js';

const MAX_ERROR_TOKENS = 1_500;
/** Of one error with its envelope. */
const MAX_ERROR_BYTES = 8_000;
const LONG = 'x'.repeat(900_000);
const BOTH_TRANSPORTS = Object.entries(WAYS).filter(([way]) => /v1 over stdio|v2 over HTTP/.test(way));

let running: RunningService;
let url = '';

beforeAll(async () => {
  const sets = ['service.extensions=[query, mcp]', 'extensions.mcp.allow_writes=true'];
  running = await startService(settingsFor(await temporaryFolder(), ...sets));
  url = running.apiUrl.replace('/api/v1', '');
});
afterAll(async () => {
  await closeClients();
  killLeftoverProcesses();
  await running.service.shutdown();
  await removeTemporaryFolders();
});

function manyArguments(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`querry${index}`, 'x']));
}

async function errorOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    (value) => {
      throw new Error(`answered with ${JSON.stringify(value).slice(0, 200)}`);
    },
    (error: Error) => error.message,
  );
}

describe.each(BOTH_TRANSPORTS)('mistakes of a client, %s', (_way, connect) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect({ args: ['--url', url, '--allow-writes'], url: `${url}/mcp` });
  });

  it('in the arguments of a tool are reported by name, the first ten of them', async () => {
    const few = await client.call('list_issues', { querry: 'x', limit: 'many', sort: 'size' });
    expect(few).toMatchObject({ isError: true });
    const [text] = few.content;
    expect(text?.text).toMatch(/no argument "querry": did you mean query\?.*\/limit must be integer.*\/sort must be/);
    const many = await client.call('list_issues', manyArguments(1_500));
    expect(many).toMatchObject({ isError: true });
    const said = many.content.map(({ text }) => text).join('');
    expect(said).toMatch(/"querry0".*"querry9".*and 1490 more$/);
    expect(said).not.toContain('querry10');
    expect(countTokens(said)).toBeLessThanOrEqual(MAX_ERROR_TOKENS);
  });

  it('in the elements of an argument are reported, the first ten of them', async () => {
    const signed = { issue_id: '4c1f4d51-0000-5000-8000-000000000000', actor: 'test', reason: 'none' };
    const given = { ...signed, action: 'merge', issues: Array.from({ length: 400 }, () => 'none') };
    const answer = await client.call('triage_issue', given);
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.text).toMatch(/\/issues\/0 must match.*\/issues\/9 must match.*and 390 more$/);
  });

  it('in the arguments of a prompt are reported, the first ten of them', async () => {
    const message = await errorOf(client.prompt('find_cause', manyArguments(1_500)));
    expect(message).toMatch(/"querry0".*and 1491 more/);
    expect(countTokens(message)).toBeLessThanOrEqual(MAX_ERROR_TOKENS);
  });

  it('in size are refused before anything is validated, with the bound', async () => {
    const deep = JSON.parse(`{"query":${'['.repeat(1_000)}${']'.repeat(1_000)}}`) as Record<string, unknown>;
    expect(await errorOf(client.call('list_issues', manyArguments(20_000)))).toContain('more than 2000 members');
    expect(await errorOf(client.call('list_issues', deep))).toContain('deeper than 20 levels');
    // A client that also sends a name as a header gets 431 from Node's parser.
    const tooLong = /more than 100000 characters|Error POSTing to endpoint/;
    expect(await errorOf(client.call('list_issues', { query: LONG }))).toMatch(tooLong);
    expect(await errorOf(client.call('list_issues', { [LONG]: 1 }))).toMatch(tooLong);
    expect(await errorOf(client.call(LONG))).toMatch(tooLong);
    expect(await errorOf(client.prompt(LONG))).toMatch(tooLong);
    expect(await errorOf(client.prompt('find_cause', { issue_id: LONG }))).toMatch(tooLong);
    expect(await errorOf(client.read(LONG))).toMatch(tooLong);
    expect(await errorOf(client.read(`faultline://events/${LONG}/raw`))).toMatch(tooLong);
    const name = 'x'.repeat(501);
    expect(await errorOf(client.call(name))).toContain('longer than 500 characters');
    expect(await errorOf(client.prompt(name))).toContain('longer than 500 characters');
    expect(await errorOf(client.read(name))).toContain('longer than 500 characters');
    expect(await client.call('list_issues')).not.toMatchObject({ isError: true });
  });
});

describe('the extension mcp', () => {
  async function send(body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }
  const rpc = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
  const client = { name: 'test', version: '1' };
  const meta = (version: string) => ({
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': client,
  });
  const wrong = Object.fromEntries(Array.from({ length: 1_900 }, (_, index) => [`c${index}`, 1]));

  it.each<[string, unknown]>([
    ['a method of 900 kB', rpc(LONG, {})],
    ['a method of 400 characters', rpc('m'.repeat(400), {})],
    ['an id of 900 kB', rpc('tools/list', {}, LONG)],
    ['an id of 501 characters', rpc('tools/list', {}, 'x'.repeat(501))],
    ['an id that is a list', rpc('tools/list', {}, Array(1_900).fill(1))],
    ['capabilities of no kind', rpc('initialize', { protocolVersion: '1', capabilities: { experimental: wrong } })],
    ['a client with icons of no kind', rpc('initialize', { clientInfo: { ...client, icons: Array(1_900).fill(1) } })],
    ['arguments that are a list', rpc('tools/call', { name: 'list_issues', arguments: Array(1_900).fill(1) })],
    ['arguments of a prompt of no kind', rpc('prompts/get', { name: 'find_cause', arguments: wrong })],
    ['a version of 400 characters', rpc('tools/list', { _meta: meta('v'.repeat(400)) })],
    ['a version of 90 kB', rpc('tools/list', { _meta: meta('v'.repeat(90_000)) })],
    ['a level of 90 kB', rpc('logging/setLevel', { level: 'v'.repeat(90_000) })],
    ['a completion of 90 kB', rpc('completion/complete', { ref: { type: 'ref/prompt', name: 'v'.repeat(90_000) } })],
    ['messages of no kind', Array(100).fill({ method: 'x'.repeat(400) })],
    ['100 unknown tools', Array(100).fill(rpc('tools/call', { name: 'x' }))],
    ['text that is not JSON', `{${LONG}`],
    ['a deep list', '['.repeat(400_000) + ']'.repeat(400_000)],
  ])('answers %s with a short client error', async (name, body) => {
    const { status, text } = await send(body);
    expect(status).toBeLessThan(500);
    expect(text).toContain('"error"');
    const most = name.startsWith('100 ') ? 100 * 200 : MAX_ERROR_BYTES;
    expect(text.length).toBeLessThanOrEqual(most);
  });

  it('answers headers of 10 kB with a short client error', async () => {
    for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'content-type']) {
      const { status, text } = await send(rpc('tools/list', {}), { [name]: 'x'.repeat(10_000) });
      expect([name, status, text.length < MAX_ERROR_BYTES]).toEqual([name, 400, true]);
    }
  });

  it('takes the largest action', async () => {
    const { issue_id } = await store(running);
    const signed = { issue_id, actor: 'a'.repeat(200), reason: 'r'.repeat(2_000) };
    const comment = { ...signed, action: 'comment', text: '\u0001'.repeat(16_384) };
    expect(await send(rpc('tools/call', { name: 'triage_issue', arguments: comment }))).toMatchObject({
      status: 200,
      text: expect.stringContaining('Done: comment'),
    });
    const merge = { ...signed, action: 'merge', issues: Array(500).fill(issue_id) };
    const { text } = await send(rpc('tools/call', { name: 'triage_issue', arguments: merge }));
    expect(text).not.toContain('The message has more');
  });
});
