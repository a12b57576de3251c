import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkStart } from '../../../collector/service/check-start.js';
import type { StartNeed } from '../../../collector/service/start-needs.js';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { openWriterLock } from '../../../core/storage/lock/writer-lock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const TLS = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url));
const PATH = ['some', 'key'];

type WithoutPath<Need> = Need extends unknown ? Omit<Need, 'path'> : never;
type Need = WithoutPath<StartNeed>;

const IN_2026 = Date.parse('2026-11-22');

/** The message for a need; undefined if it is met. */
async function faultOf(need: Need, nowMs = IN_2026): Promise<string | undefined> {
  const { faults, warnings } = await check(need, nowMs);
  expect(warnings).toEqual([]);
  return faults[0]?.message;
}

function check(need: Need, nowMs = IN_2026) {
  return checkStart([{ path: PATH, ...need }], nowMs);
}

async function fileWith(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, text);
  return file;
}

describe('checking ports', () => {
  it.each(['127.0.0.1', '::1'])('reports that localhost is in use if only %s is', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen({ port: 0, host }, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const need: Need = { kind: 'port', endpoint: { host: 'localhost', port } };
    expect(await check(need)).toEqual({
      faults: [{ path: PATH, message: expect.stringMatching(`cannot listen on localhost:${port}: another process`) }],
      warnings: [],
    });
    await new Promise((resolve) => server.close(resolve));
    expect(await faultOf(need)).toBeUndefined();
    expect(await faultOf(need)).toBeUndefined();
  });
});

describe('checking folders', () => {
  it('accepts one that exists or can be created, and creates nothing', async () => {
    const folder = await temporaryFolder();
    for (const kind of ['folder', 'data_folder'] as const) {
      expect(await faultOf({ kind, directory: folder })).toBeUndefined();
      expect(await faultOf({ kind, directory: join(folder, 'a', 'b') })).toBeUndefined();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports a file at the path of the folder, or of one above it', async () => {
    const file = await fileWith('');
    expect(await faultOf({ kind: 'data_folder', directory: file })).toBe(`${file} is not a folder`);
    expect(await faultOf({ kind: 'folder', directory: join(file, 'a') })).toContain('is not a folder');
  });

  it('reports a folder in which nothing can be created', async () => {
    expect(await faultOf({ kind: 'data_folder', directory: '/proc/nothing/here' })).toMatch(
      /^\/proc\/nothing\/here cannot be created in \/proc: /,
    );
    expect(await faultOf({ kind: 'folder', directory: '/proc' })).toMatch(/\/proc.*: /);
  });

  it('names the process that writes into a data folder, unless it has ended', async () => {
    const folder = await temporaryFolder();
    const lock = await openWriterLock({ directory: folder, files: nodeFiles });
    const left = await readFile(join(folder, 'LOCK'));
    const { started_at } = JSON.parse(left.toString('utf8'));
    expect(await faultOf({ kind: 'data_folder', directory: folder })).toBe(
      `in use by process ${process.pid} on ${hostname()} since ${started_at}; stop it first`,
    );
    await lock.close();
    for (const content of [left, 'half a li']) {
      await writeFile(join(folder, 'LOCK'), content);
      expect(await faultOf({ kind: 'data_folder', directory: folder })).toBeUndefined();
    }
  });
});

describe('checking certificates and keys', () => {
  const pem = (name: string) => join(TLS, `${name}.pem`);

  it('accepts a certificate with its key', async () => {
    expect(await faultOf({ kind: 'certificates', file: pem('server') })).toBeUndefined();
    expect(await faultOf({ kind: 'private_key', file: pem('server-key'), certFile: pem('server') })).toBeUndefined();
  });

  it('reports a file that is missing, not PEM, expired, or does not match', async () => {
    const folder = await temporaryFolder();
    const text = await fileWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    expect(await faultOf({ kind: 'certificates', file: join(folder, 'no') })).toContain('does not exist (ENOENT)');
    expect(await faultOf({ kind: 'certificates', file: folder })).toBe(`${folder} is a folder`);
    expect(await faultOf({ kind: 'certificates', file: pem('server-key') })).toContain(
      'does not contain a PEM certificate',
    );
    expect(await faultOf({ kind: 'certificates', file: text })).toContain('cannot be parsed');
    const in2121 = Date.parse('2121-01-01');
    expect(await faultOf({ kind: 'certificates', file: pem('server') }, in2121)).toContain('expired on Jan  1');
    expect(await faultOf({ kind: 'certificates', file: pem('server') }, 0)).toContain('is not valid before');
    expect(await faultOf({ kind: 'private_key', file: pem('server') })).toContain('does not contain a PEM private key');
    expect(await faultOf({ kind: 'private_key', file: pem('stranger-key'), certFile: pem('server') })).toContain(
      'does not match the certificate in',
    );
    // The certificate is reported by its own setting.
    expect(
      await faultOf({ kind: 'private_key', file: pem('server-key'), certFile: join(folder, 'no') }),
    ).toBeUndefined();
  });

  it('rejects a key with a passphrase', async () => {
    const file = await fileWith('-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n');
    expect(await faultOf({ kind: 'private_key', file })).toContain('contains a key with a passphrase');
  });
});

describe('checking token files', () => {
  it('accepts a file with a token, and rejects one without, or with an invalid one, without repeating it', async () => {
    expect(await faultOf({ kind: 'tokens', file: await fileWith('# web\n0123456789abcdef\n') })).toBeUndefined();
    expect(await faultOf({ kind: 'tokens', file: await fileWith('\n# none\n') })).toContain('contains no token');
    const short = await faultOf({ kind: 'tokens', file: await fileWith('hunter2\n') });
    expect(short).toContain('is shorter than 16 characters');
    expect(short).not.toContain('hunter2');
    expect(await faultOf({ kind: 'tokens', file: '/nowhere/tokens' })).toContain('ENOENT');
  });
});

describe('checking log files', () => {
  it('warns about a pattern that matches no files', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'logs'));
    await copyFile(join(TLS, 'README.md'), join(folder, 'logs', 'a.log'));
    const pattern = join(folder, 'logs', '*.log');
    expect(await check({ kind: 'files', pattern, exclude: [] })).toEqual({ faults: [], warnings: [] });
    expect(await check({ kind: 'files', pattern, exclude: [join(folder, 'logs', 'a.log')] })).toEqual({
      faults: [],
      warnings: [{ path: PATH, message: 'matches no files now; files that appear later are followed' }],
    });
  });
});
