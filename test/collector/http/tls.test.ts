import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { credentials, Metadata, makeClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { openRawConnection } from '../raw-connection.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { callSecurely, tlsFile } from './tls-connection.js';

let running: RunningService | undefined;
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  await useCertificate('server');
});
afterEach(async () => {
  await running?.service.shutdown();
  running = undefined;
});
afterAll(removeTemporaryFolders);

async function useCertificate(name: string): Promise<void> {
  await copyFile(tlsFile(`${name}.pem`), join(folder, 'cert.pem'));
  await copyFile(tlsFile(`${name}-key.pem`), join(folder, 'key.pem'));
}

async function start(...sets: string[]): Promise<RunningService> {
  const tls = [`cert_file=${join(folder, 'cert.pem')}`, `key_file=${join(folder, 'key.pem')}`, 'reload_interval=20ms'];
  const settings = settingsFor(join(folder, 'data'), ...tls.map((one) => `receivers.events.tls.${one}`), ...sets);
  running = await startService(settings);
  return running;
}

const clientCa = `receivers.events.tls.client_ca_file=${tlsFile('ca.pem')}`;

describe('an endpoint with a certificate', () => {
  it('is served over https, as its address says, by HTTP on both loopback addresses', async () => {
    const { eventsUrl } = await start('receivers.events.endpoint=localhost:0');
    expect(eventsUrl).toMatch(/^https:\/\/localhost:\d+\/v1\/events$/);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const response = await callSecurely(eventsUrl.replace('localhost', host));
      expect(response).toMatchObject({ status: 200, subject: 'localhost' });
    }
  });

  it('accepts a body in many pieces, and several requests on one connection', async () => {
    const { eventsUrl } = await start();
    const response = await callSecurely(eventsUrl, { body: JSON.stringify([{ message: 'x'.repeat(1_000_000) }]) });
    expect(JSON.parse(response.text)).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
  });

  it('survives clients that disconnect before the handshake', async () => {
    const { eventsUrl } = await start();
    const gone = connect({ port: Number(new URL(eventsUrl).port), host: '127.0.0.1' });
    gone.on('error', () => undefined);
    await new Promise((resolve) => gone.once('connect', resolve));
    gone.resetAndDestroy();
    expect(await callSecurely(eventsUrl)).toMatchObject({ status: 200 });
  });

  it('stops although connections never begin their handshake', async () => {
    const { service, eventsUrl } = await start();
    const silent = await openRawConnection(Number(new URL(eventsUrl).port));
    expect(await callSecurely(eventsUrl)).toMatchObject({ status: 200 });
    await service.shutdown();
    expect(await silent.untilClosed()).toBe('');
  });

  it('refuses versions of TLS below the configured minimum', async () => {
    const { eventsUrl } = await start('receivers.events.tls.min_version="1.3"');
    await expect(callSecurely(eventsUrl, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
    expect(await callSecurely(eventsUrl)).toMatchObject({ status: 200 });
  });

  it('uses a new certificate for new connections after its files change', async () => {
    const { eventsUrl, logged } = await start();
    await useCertificate('second-server');
    await waitFor('the new one', async () => (await callSecurely(eventsUrl)).subject === 'localhost second');
    expect(JSON.stringify(logged)).not.toContain('PRIVATE KEY');
  });

  it('keeps the previous certificate if the new files are invalid, and logs that once', async () => {
    const { eventsUrl, logged } = await start();
    await writeFile(join(folder, 'key.pem'), 'nonsense');
    const warnings = () => logged.filter(({ code }) => code === 'TLS_FILE_INVALID');
    await waitFor('a warning', () => warnings().length > 0);
    for (let check = 0; check < 5; check++) {
      expect(await callSecurely(eventsUrl)).toMatchObject({ status: 200, subject: 'localhost' });
    }
    expect(warnings()).toHaveLength(1);
    await useCertificate('second-server');
    await waitFor('the new one', async () => (await callSecurely(eventsUrl)).subject === 'localhost second');
  });

  it('admits only clients with a certificate of the configured authority', async () => {
    const { eventsUrl } = await start(clientCa);
    expect(await callSecurely(eventsUrl, { as: 'client' })).toMatchObject({ status: 200 });
    await expect(callSecurely(eventsUrl)).rejects.toThrow();
    await expect(callSecurely(eventsUrl, { as: 'stranger' })).rejects.toThrow();
    // Of the same authority, but for servers.
    await expect(callSecurely(eventsUrl, { as: 'server' })).rejects.toThrow();
  });
});

describe('a start with invalid certificate files', () => {
  it.each([
    ['cert_file', '/nowhere/cert.pem', 'TLS_FILE_UNREADABLE'],
    ['key_file', tlsFile('second-server-key.pem'), 'TLS_FILE_INVALID'],
    ['key_file', tlsFile('README.md'), 'TLS_FILE_INVALID'],
    ['cert_file', tlsFile('README.md'), 'TLS_FILE_INVALID'],
    ['client_ca_file', tlsFile('README.md'), 'TLS_FILE_INVALID'],
  ])('fails and names the component, %s and %s', async (setting, path, code) => {
    await expect(start(`receivers.events.tls.${setting}=${path}`)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`events.*tls\\.${setting}.*${path.replaceAll('.', '\\.')}`)),
    });
  });
});

it('fails with an empty key, as while its file is being written', async () => {
  await writeFile(join(folder, 'key.pem'), '');
  await expect(start()).rejects.toMatchObject({
    code: 'TLS_FILE_INVALID',
    message: expect.stringContaining('key_file'),
  });
});

describe('OTLP over gRPC', () => {
  const LOGS = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
  const identity = (bytes: Buffer): Buffer => bytes;

  function exportLogs(address: string, as: string | undefined, token?: string): Promise<number | 'taken'> {
    const ca = readFileSync(tlsFile('ca.pem'));
    const own = as === undefined ? [] : [readFileSync(tlsFile(`${as}-key.pem`)), readFileSync(tlsFile(`${as}.pem`))];
    const Client = makeClientConstructor({}, 'otlp');
    const client = new Client(address, credentials.createSsl(ca, ...own));
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    return new Promise((resolve) => {
      const done = (error: ServiceError | null): void => {
        client.close();
        resolve(error === null ? 'taken' : error.code);
      };
      client.makeUnaryRequest(LOGS, identity, identity, Buffer.alloc(0), metadata, {}, done);
    });
  }

  it('is served over TLS with client certificates and tokens', async () => {
    const token = 'a-token-of-the-test';
    const grpc = 'receivers.otlp.protocols.grpc';
    const { service, logged } = await start(
      'service.pipelines.events.receivers=[otlp]',
      'receivers.otlp.protocols.http.endpoint=localhost:0',
      `${grpc}.endpoint=127.0.0.1:0`,
      `${grpc}.tls.cert_file=${join(folder, 'cert.pem')}`,
      `${grpc}.tls.key_file=${join(folder, 'key.pem')}`,
      `${grpc}.tls.client_ca_file=${tlsFile('ca.pem')}`,
      `${grpc}.auth.authenticator=bearertokenauth`,
      `extensions.bearertokenauth.token=${token}`,
      'service.extensions=[bearertokenauth, query]',
    );
    const url =
      service
        .describe()
        .receivers.map((one) => one.url)
        .find((one) => one.startsWith('grpc')) ?? '';
    expect(url).toMatch(/^grpcs:/);
    const address = url.replace('grpcs://', '');
    expect(await exportLogs(address, 'client', token)).toBe('taken');
    expect(await exportLogs(address, 'client', 'another-token-of-nobody')).toBe(16);
    expect(await exportLogs(address, 'client')).toBe(16);
    expect(await exportLogs(address, 'stranger', token)).toBe(14);
    expect(JSON.stringify(logged)).not.toContain(token);
  });
});
