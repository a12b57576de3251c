import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkStart, type StartFindings } from '../../../collector/validate/check-start.js';
import type { StartNeed } from '../../../collector/validate/start-needs.js';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { openWriterLock } from '../../../core/storage/lock/writer-lock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const TLS = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url));
const PATH = ['some', 'key'];

type WithoutPath<Need> = Need extends unknown ? Omit<Need, 'path'> : never;
type Need = WithoutPath<StartNeed>;

const IN_2026 = Date.parse('2026-11-22');

/** The one sentence that a need is answered with; undefined when it holds. */
async function faultOf(need: Need, nowMs = IN_2026): Promise<string | undefined> {
  const { faults, warnings } = await look(need, nowMs);
  expect(warnings).toEqual([]);
  return faults[0]?.message;
}

function look(need: Need, nowMs = IN_2026): Promise<StartFindings> {
  return checkStart([{ path: PATH, ...need }], nowMs);
}

async function fileWith(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, text);
  return file;
}

describe('looking at ports', () => {
  it.each(['127.0.0.1', '::1'])('finds that localhost is taken when only %s is', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen({ port: 0, host }, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const need: Need = { kind: 'port', endpoint: { host: 'localhost', port } };
    expect(await look(need)).toEqual({
      faults: [{ path: PATH, message: expect.stringMatching(`cannot listen on localhost:${port}: another process`) }],
      warnings: [],
    });
    await new Promise((resolve) => server.close(resolve));
    expect(await faultOf(need)).toBeUndefined();
    expect(await faultOf(need)).toBeUndefined();
  });
});

describe('looking at folders', () => {
  it('takes one that is there or can be made, and makes nothing', async () => {
    const folder = await temporaryFolder();
    for (const kind of ['folder', 'data_folder'] as const) {
      expect(await faultOf({ kind, directory: folder })).toBeUndefined();
      expect(await faultOf({ kind, directory: join(folder, 'a', 'b') })).toBeUndefined();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('finds a file in the place of the folder, or of one above it', async () => {
    const file = await fileWith('');
    expect(await faultOf({ kind: 'data_folder', directory: file })).toBe(`${file} is not a folder`);
    expect(await faultOf({ kind: 'folder', directory: join(file, 'a') })).toContain('is not a folder');
  });

  it('finds a folder in which nothing can ever be made', async () => {
    expect(await faultOf({ kind: 'data_folder', directory: '/proc/nothing/here' })).toMatch(
      /^\/proc\/nothing\/here cannot be made in \/proc: /,
    );
    expect(await faultOf({ kind: 'folder', directory: '/proc' })).toMatch(/\/proc.*: /);
  });

  it('names the process that writes into a data folder, and passes over one that is gone', async () => {
    const folder = await temporaryFolder();
    const lock = await openWriterLock({ directory: folder, files: nodeFiles });
    const left = await readFile(join(folder, 'LOCK'));
    const { started_at } = JSON.parse(left.toString('utf8'));
    expect(await faultOf({ kind: 'data_folder', directory: folder })).toBe(
      `the folder is written by process ${process.pid} on ${hostname()}, started ${started_at}; stop it first`,
    );
    await lock.close();
    for (const content of [left, 'half a li']) {
      await writeFile(join(folder, 'LOCK'), content);
      expect(await faultOf({ kind: 'data_folder', directory: folder })).toBeUndefined();
    }
  });
});

describe('looking at certificates and keys', () => {
  const pem = (name: string) => join(TLS, `${name}.pem`);

  it('takes a certificate with its key', async () => {
    expect(await faultOf({ kind: 'certificates', file: pem('server') })).toBeUndefined();
    expect(await faultOf({ kind: 'private_key', file: pem('server-key'), certFile: pem('server') })).toBeUndefined();
  });

  it('finds what is absent, no PEM, out of its time, or does not fit', async () => {
    const folder = await temporaryFolder();
    const text = await fileWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    expect(await faultOf({ kind: 'certificates', file: join(folder, 'no') })).toContain('does not exist (ENOENT)');
    expect(await faultOf({ kind: 'certificates', file: folder })).toBe(`${folder} is a folder`);
    expect(await faultOf({ kind: 'certificates', file: pem('server-key') })).toContain('holds no certificate in PEM');
    expect(await faultOf({ kind: 'certificates', file: text })).toContain('cannot be read');
    const in2121 = Date.parse('2121-01-01');
    expect(await faultOf({ kind: 'certificates', file: pem('server') }, in2121)).toContain('expired on Jan  1');
    expect(await faultOf({ kind: 'certificates', file: pem('server') }, 0)).toContain('is not valid before');
    expect(await faultOf({ kind: 'private_key', file: pem('server') })).toContain('holds no private key in PEM form');
    expect(await faultOf({ kind: 'private_key', file: pem('stranger-key'), certFile: pem('server') })).toContain(
      'does not belong to the certificate in',
    );
    // The certificate has a complaint of its own.
    expect(
      await faultOf({ kind: 'private_key', file: pem('server-key'), certFile: join(folder, 'no') }),
    ).toBeUndefined();
  });

  it('asks for a key without its passphrase', async () => {
    const file = await fileWith('-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n');
    expect(await faultOf({ kind: 'private_key', file })).toContain('holds a key with a passphrase');
  });
});

describe('looking at token files', () => {
  it('takes a file with a token, and finds one without, or one that cannot be used, without showing it', async () => {
    expect(await faultOf({ kind: 'tokens', file: await fileWith('# web\n0123456789abcdef\n') })).toBeUndefined();
    expect(await faultOf({ kind: 'tokens', file: await fileWith('\n# none\n') })).toContain('holds no token');
    const short = await faultOf({ kind: 'tokens', file: await fileWith('hunter2\n') });
    expect(short).toContain('is shorter than 16 characters');
    expect(short).not.toContain('hunter2');
    expect(await faultOf({ kind: 'tokens', file: '/nowhere/tokens' })).toContain('ENOENT');
  });
});

describe('looking at log files', () => {
  it('warns of a pattern that matches nothing', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'logs'));
    await copyFile(join(TLS, 'README.md'), join(folder, 'logs', 'a.log'));
    const pattern = join(folder, 'logs', '*.log');
    expect(await look({ kind: 'files', pattern, exclude: [] })).toEqual({ faults: [], warnings: [] });
    expect(await look({ kind: 'files', pattern, exclude: [join(folder, 'logs', 'a.log')] })).toEqual({
      faults: [],
      warnings: [{ path: PATH, message: 'matches no file now; files that appear later are followed' }],
    });
  });
});
