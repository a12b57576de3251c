import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { IssueId } from '../../../core/event/ids.js';
import { type CollectorToken, openCollectorToken } from '../../../core/http-reader/collector-token.js';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { openSources } from '../../../tui/readers/open-sources.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const TOKEN = 'token-of-a-person';
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
afterAll(removeTemporaryFolders);

async function serve(handle: RequestListener, isTls = false): Promise<string> {
  const keys = { cert: fixture('server.pem'), key: fixture('server-key.pem') };
  const server = isTls ? createTlsServer(keys, handle) : createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fixedToken(value: string): CollectorToken {
  return { value, reload: async () => value };
}

/** Starts a collector that requires a token, which may change, and records the tokens that it received. */
async function serveLocked(accepted: { token: string }): Promise<{ url: string; shown: string[] }> {
  const shown: string[] = [];
  const url = await serve((request, handle) => {
    shown.push(`${request.method} ${request.headers.authorization?.slice('Bearer '.length)}`);
    const isTaken = shown.at(-1)?.endsWith(` ${accepted.token}`) === true;
    handle.writeHead(isTaken ? 200 : 401).end(JSON.stringify(isTaken ? { actions: true } : { code: 'TOKEN_WRONG' }));
  });
  return { url, shown };
}

describe('a token that changes while it is used', () => {
  it('is read again from its file if it is rejected, for reading and acting', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, 'the-first');
    const accepted = { token: 'the-first' };
    const { url, shown } = await serveLocked(accepted);
    const reader = createHttpReader({ url, token: await openCollectorToken({ file }, {}) });
    expect(await reader.access()).toEqual({ actions: true });
    await writeFile(file, '# since Monday\nthe-second\n');
    accepted.token = 'the-second';
    expect(await reader.access()).toEqual({ actions: true });
    await writeFile(file, 'the-third');
    accepted.token = 'the-third';
    await reader.act('i' as IssueId, { action: 'resolve', actor: 'a' }).catch(() => undefined);
    await reader.close();
    expect(shown).toEqual(['GET the-first', 'GET the-first', 'GET the-second', 'POST the-second', 'POST the-third']);
  });

  it('is retried once only if the file has another one', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, 'the-first');
    const { url, shown } = await serveLocked({ token: 'another' });
    const reader = createHttpReader({ url, token: await openCollectorToken({ file }, {}) });
    await expect(reader.access()).rejects.toMatchObject({ code: 'TOKEN_WRONG' });
    await writeFile(file, 'half of a secret');
    await expect(reader.access()).rejects.toMatchObject({ code: 'TOKEN_WRONG' });
    await rm(file);
    await expect(reader.access()).rejects.toMatchObject({ code: 'TOKEN_WRONG' });
    await writeFile(file, 'the-second');
    await expect(reader.access()).rejects.toMatchObject({ code: 'TOKEN_WRONG' });
    await reader.close();
    expect(shown).toEqual(['GET the-first', 'GET the-first', 'GET the-first', 'GET the-first', 'GET the-second']);
  });

  it('is updated for every source that shares it', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, 'the-first');
    const token = await openCollectorToken({ file }, {});
    const { url, shown } = await serveLocked({ token: 'the-second' });
    const readers = [createHttpReader({ url, token }), createHttpReader({ url, token })];
    await writeFile(file, 'the-second');
    expect(await Promise.all(readers.map((reader) => reader.access()))).toEqual([{ actions: true }, { actions: true }]);
    expect(shown.at(-1)).toBe('GET the-second');
    await Promise.all(readers.map((reader) => reader.close()));
  });
});

describe('a reader with a token', () => {
  it('sends it with every call, and never to the target of a redirect', async () => {
    const shown: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      shown.push(`elsewhere ${request.headers.authorization}`);
      response.end('{}');
    });
    const url = await serve((request, response) => {
      shown.push(request.headers.authorization);
      response.writeHead(307, { location: `${elsewhere}${request.url}` }).end();
    });
    const reader = createHttpReader({ url, token: fixedToken(TOKEN) });
    await expect(reader.listIssues()).rejects.toMatchObject({ code: 'COLLECTOR_ANSWER_INVALID' });
    await reader.close();
    expect(shown).toEqual([`Bearer ${TOKEN}`]);
  });

  it.each([
    [{ code: 'TOKEN_WRONG', detail: 'no' }, 'TOKEN_WRONG'],
    [{ code: 'TOKEN_MISSING', detail: 'no' }, 'TOKEN_MISSING'],
    ['<html>a proxy</html>', 'TOKEN_MISSING'],
  ])('gets the next step from %j', async (body, code) => {
    const url = await serve((_request, response) => response.writeHead(401).end(JSON.stringify(body)));
    const reader = createHttpReader({ url, token: fixedToken(TOKEN) });
    const message = expect.stringMatching(/--token-file FILE.*FAULTLINE_TOKEN.*token_file/);
    await expect(reader.listIssues()).rejects.toMatchObject({ code, message });
    await reader.close();
  });
});

it('reports how to trust an unknown certificate', async () => {
  const reader = createHttpReader({ url: await serve((_request, response) => response.end('{}'), true) });
  const message = expect.stringContaining('NODE_EXTRA_CA_CERTS');
  await expect(reader.listIssues()).rejects.toMatchObject({ code: 'CERTIFICATE_UNTRUSTED', message });
  await reader.close();
});

it('reports a source that requires a token as locked, not as lost', async () => {
  const locked = await serve((_request, response) => response.writeHead(401).end('{"code":"TOKEN_MISSING"}'));
  const gone = await serve((_request, response) => response.destroy());
  const reader = await openSources([{ url: locked }, { url: gone }], {
    defaultUrl: locked,
    defaultDirectory: '/nowhere',
    openFolder: () => Promise.reject(new Error('no folder')),
  });
  await reader.listIssues().catch(() => undefined);
  const kinds = () => reader.sources().map(({ kind }) => kind);
  await waitFor('both to be judged', () => kinds().every((kind) => kind !== 'connecting'));
  expect(kinds()).toEqual(['unauthorized', 'lost']);
  await reader.close();
});

it('reports if all sources require a token, and polls them every 30 seconds', async () => {
  let asked = 0;
  let nowMs = 1_000_000;
  const url = await serve((_request, response) => {
    asked += 1;
    response.writeHead(401).end('{"code":"TOKEN_WRONG"}');
  });
  const opening = {
    defaultUrl: url,
    defaultDirectory: '/nowhere',
    openFolder: () => Promise.reject(new Error('none')),
  };
  const reader = await openSources([{ url }, { url, name: 'b' }], opening, { nowMs: () => nowMs });
  const code = 'TOKEN_MISSING';
  await expect(reader.listIssues()).rejects.toMatchObject({
    code,
    message: expect.stringMatching(/--token-file.*b is/),
  });
  expect(asked).toBe(2);
  nowMs += 29_999;
  await expect(reader.listIssues()).rejects.toMatchObject({ code });
  expect(asked).toBe(2);
  nowMs += 1;
  await expect(reader.listIssues()).rejects.toMatchObject({ code });
  expect(asked).toBe(4);
  await reader.close();
});

it('reports one source that requires a token as such, also after it was asked for access', async () => {
  const url = await serve((_request, response) => response.writeHead(401).end('{"code":"TOKEN_MISSING"}'));
  const openFolder = () => Promise.reject(new Error('none'));
  const reader = await openSources([{ url }], { defaultUrl: url, defaultDirectory: '/nowhere', openFolder });
  await expect(reader.stats()).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  await expect(reader.access()).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  expect(reader.sources()).toMatchObject([{ kind: 'unauthorized' }]);
  await reader.close();
});

describe('the configured token', () => {
  it('is that of the file before that of the variable, without surrounding white space', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, `# mine\n\n ${TOKEN} \n`);
    const env = { FAULTLINE_TOKEN: 'another ' };
    expect(await openCollectorToken({ file, variable: 'FAULTLINE_TOKEN' }, env)).toMatchObject({ value: TOKEN });
    expect(await openCollectorToken({ variable: 'FAULTLINE_TOKEN' }, env)).toMatchObject({ value: 'another' });
    expect(await openCollectorToken({ variable: 'FAULTLINE_TOKEN' }, {})).toMatchObject({ value: undefined });
  });

  it.each([
    ['is not there', undefined, 'TOKEN_FILE_UNREADABLE'],
    ['is empty', '\n', 'TOKEN_INVALID'],
    ['holds a secret with a space', 'a secret thing', 'TOKEN_INVALID'],
    ['is larger than any token', `${'# a comment\n'.repeat(100_000)}secret`, 'TOKEN_INVALID'],
  ])('is not read from a file that %s, and not shown', async (_, text, code) => {
    const file = join(await temporaryFolder(), 'token');
    if (text !== undefined) await writeFile(file, text);
    await expect(openCollectorToken({ file }, {})).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('secret'),
    });
  });
});
