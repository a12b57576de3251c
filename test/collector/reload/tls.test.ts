import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { callSecurely, tlsFile } from '../http/tls-connection.js';
import { post } from '../post.js';
import { openRawConnection, rawPost } from '../raw-connection.js';
import { startService, statsOf, stopServices } from '../running-service.js';
import { onFixedPorts } from './fixed-ports.js';
import { storedRequestIds } from './stored-request-ids.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

/** Starts a collector with or without TLS; returns settings for both. */
async function start(isSecure: boolean) {
  const { directory, settings } = await onFixedPorts();
  const folder = await temporaryFolder();
  const use = async (name: string): Promise<void> => {
    await copyFile(tlsFile(`${name}.pem`), join(folder, 'cert.pem'));
    await copyFile(tlsFile(`${name}-key.pem`), join(folder, 'key.pem'));
  };
  await use('server');
  const tls = `receivers.events.tls={cert_file: ${folder}/cert.pem, key_file: ${folder}/key.pem, reload_interval: 0}`;
  const [plain, secure] = [settings(), settings(tls)];
  const started = await startService(isSecure ? secure : plain);
  const port = Number(new URL(started.eventsUrl).port);
  const url = `https://127.0.0.1:${port}/v1/events`;
  return { ...started, directory, port, folder, use, plain, secure, url, plainUrl: url.replace('https', 'http') };
}

/** Begins a request over TLS; `end` completes it. */
async function openSecureRequest(port: number, requestId: string) {
  const socket = connect({ port, host: '127.0.0.1', ca: readFileSync(tlsFile('ca.pem')), servername: 'localhost' });
  let text = '';
  let failure: Error | undefined;
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', (error) => {
    failure = error;
  });
  await waitFor('the handshake', () => socket.authorized || (failure && Promise.reject(failure)));
  const bytes = rawPost(JSON.stringify(serverPayload({ request_id: requestId })));
  socket.write(bytes.slice(0, -20));
  return {
    /** Sends the rest; returns the status line of the response. */
    async end(): Promise<string> {
      socket.write(bytes.slice(-20));
      await waitFor('the answer', () => text.includes('\r\n\r\n') || (failure && Promise.reject(failure)));
      socket.destroy();
      return text.split('\r\n')[0] ?? '';
    },
  };
}

describe('a reload of an endpoint with a certificate', () => {
  it('uses the certificate that is now in the file for new connections, and lets running requests end', async () => {
    const { service, port, use, secure, url, directory } = await start(true);
    const slow = await openSecureRequest(port, 'slow');
    await use('second-server');
    expect((await callSecurely(url)).subject).toBe('localhost');
    expect(await service.reload(secure)).toBe(false);
    expect((await callSecurely(url)).subject).toBe('localhost second');
    expect(await slow.end()).toBe('HTTP/1.1 200 OK');
    expect(await storedRequestIds(directory)).toEqual(['slow']);
  });

  it('keeps the previous certificate if the new one is invalid, and logs that', async () => {
    const { service, folder, secure, url, logged } = await start(true);
    await writeFile(join(folder, 'key.pem'), 'nonsense');
    await service.reload(secure);
    expect(await callSecurely(url)).toMatchObject({ status: 200, subject: 'localhost' });
    expect(logged.filter(({ code }) => code === 'TLS_FILE_INVALID')).toHaveLength(1);
  });

  it('is refused if new settings name an invalid certificate, and the plain endpoint continues', async () => {
    const { service, folder, secure, plainUrl } = await start(false);
    await writeFile(join(folder, 'key.pem'), 'nonsense');
    await expect(service.reload(secure)).rejects.toMatchObject({ code: 'RELOAD_REFUSED' });
    expect((await post(plainUrl, JSON.stringify(serverPayload()))).status).toBe(200);
  });
});

describe('a reload that enables TLS', () => {
  it('affects new connections; a running request without TLS ends, and no further plain one is served', async () => {
    const started = await start(false);
    const { service, port, secure, plain, url, plainUrl, directory } = started;
    const slow = await openRawConnection(port);
    const bytes = rawPost(JSON.stringify(serverPayload({ request_id: 'plain' })));
    slow.write(bytes.slice(0, -20));
    await waitFor('the collector to be up', async () => (await statsOf(started)).events === 0);
    const reload = service.reload(secure);
    slow.write(bytes.slice(-20));
    await slow.receive(/^HTTP\/1\.1 200/);
    slow.socket.destroy();
    await reload;
    expect((await callSecurely(url)).status).toBe(200);
    expect((await post(plainUrl, '[]')).status).toBe(400);
    expect(service.describe().receivers).toEqual([{ id: 'events', url }]);

    const secureOne = await openSecureRequest(port, 'secure');
    const back = service.reload(plain);
    expect(await secureOne.end()).toBe('HTTP/1.1 200 OK');
    await back;
    expect((await post(plainUrl, '[]')).status).toBe(200);
    await expect(callSecurely(url)).rejects.toThrow();
    expect(await storedRequestIds(directory)).toEqual(['plain', 'secure']);
  });
});
