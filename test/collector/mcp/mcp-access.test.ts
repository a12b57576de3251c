import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { killLeftoverProcesses, startFaultline } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { closeClients, store, WAYS } from './mcp-clients.js';

const READER = 'reading-token-0123456789';
const ACTOR = 'actions-token-0123456789';
const HTTP = Object.entries(WAYS).filter(([way]) => way.endsWith('HTTP'));
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

let running: RunningService;
let url = '';
let issueId = '';

beforeAll(async () => {
  running = await startService(
    settingsFor(
      await temporaryFolder(),
      'service.extensions=[query, mcp, bearertokenauth/reading, bearertokenauth/acting]',
      'extensions.mcp={}',
      `extensions.bearertokenauth/reading.token=${READER}`,
      `extensions.bearertokenauth/acting.token=${ACTOR}`,
      'extensions.query.auth.authenticator=bearertokenauth/reading',
      'extensions.query.actions_auth.authenticator=bearertokenauth/acting',
    ),
  );
  const query = running.service.describe().extensions.find((one) => one.id === 'query');
  url = query?.url ?? '';
  issueId = (await store(running)).issue_id;
});
afterAll(async () => {
  await closeClients();
  killLeftoverProcesses();
  await running.service.shutdown();
  await removeTemporaryFolders();
});

/** Sends a request to the endpoint, with the headers of a client of 2025. */
async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(`${url}/mcp`, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${READER}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe.each(HTTP)('the extension mcp, %s', (_way, connect) => {
  it('offers a reading token no tool that writes, and refuses a call of one', async () => {
    const client = await connect({ url: `${url}/mcp`, token: READER });
    expect((await client.tools()).map(({ name }) => name)).not.toContain('triage_issue');
    const given = { issue_id: issueId, action: 'resolve', actor: 'test', reason: 'none' };
    await expect(client.call('triage_issue', given)).rejects.toMatchObject({ code: -32_602 });
    await expect(client.call('undo', { ...given, undo_id: 'x' })).rejects.toMatchObject({ code: -32_602 });
    expect((await client.call('get_issue', { issue_id: issueId })).structuredContent).toMatchObject({ status: 'open' });
  });

  it('lets a token of actions_auth act', async () => {
    const client = await connect({ url: `${url}/mcp`, token: ACTOR });
    const signed = { issue_id: issueId, actor: 'test', reason: 'seen' };
    const done = await client.call('triage_issue', { ...signed, action: 'assign', assignee: 'anna' });
    const { undo_id } = done.structuredContent as { undo_id: string };
    expect(await client.call('undo', { ...signed, undo_id })).not.toMatchObject({ isError: true });
  });

  it('refuses a missing and a wrong token', async () => {
    await expect(connect({ url: `${url}/mcp` })).rejects.toThrow();
    await expect(connect({ url: `${url}/mcp`, token: 'another-token-0123456789' })).rejects.toThrow();
  });
});

describe('the extension mcp', () => {
  it('refuses another host, another origin and a missing token before it reads', async () => {
    expect(await send(LIST)).toMatchObject({ status: 200 });
    expect(await send(LIST, { host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await send(LIST, { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await send(LIST, { authorization: '' })).toMatchObject({ status: 401 });
  });

  it('answers anything but a request with a client error', async () => {
    const broken = await send('{"jsonrpc":');
    expect(broken).toMatchObject({ status: 400 });
    expect(JSON.parse(broken.body)).toMatchObject({ error: { code: -32_700 } });
    for (const body of ['', '[]', '1', 'null', '{}', '[[[]]]', '{"jsonrpc":"2.0","id":1,"method":7}']) {
      const { status } = await send(body);
      expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    }
    expect(await send(LIST, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await send('', {}, 'GET')).toMatchObject({ status: 405 });
    expect(await send(`"${'x'.repeat(2 * 1024 * 1024)}"`)).toMatchObject({ status: 413 });
  });
});

describe('faultline mcp', () => {
  const stdio = WAYS['client v1 over stdio'];

  it.each([
    [READER, ['--allow-writes'], false],
    [ACTOR, [], true],
  ])('asks the collector whether %s may act, whatever its flags', async (token, flags, mayAct) => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, token);
    const client = await stdio({ args: ['--url', url, '--token-file', file, ...flags] });
    const names = (await client.tools()).map(({ name }) => name);
    expect(names.includes('triage_issue')).toBe(mayAct);
  });

  it('ends when standard input ends, after lines without a message, and writes only messages to standard output', async () => {
    const call = JSON.stringify({
      ...LIST,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    const { code, stdout } = await startFaultline(['mcp', '--url', url], { input: `no message\n{"a":\n[]\n${call}\n` })
      .finished;
    expect(code).toBe(0);
    for (const line of stdout.split('\n').filter((one) => one !== ''))
      expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
    const long = startFaultline(['mcp', '--url', url], { input: 'x'.repeat(3 * 1024 * 1024) });
    expect(await long.finished).toMatchObject({ code: 0, stdout: '' });
  });
});
