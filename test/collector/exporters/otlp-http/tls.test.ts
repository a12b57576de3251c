import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { storeUnderTest } from '../../../core/storage/store-under-test.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { tlsFile } from '../../http/tls-connection.js';
import { createExporter, type ExporterUnderTest, startExporter, stopExporters } from './exporter-under-test.js';

let server: Server | undefined;
let clients: unknown[];

beforeEach(() => {
  clients = [];
});
afterEach(async () => {
  await stopExporters();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});
afterAll(removeTemporaryFolders);

/** Starts a backend that accepts clients with a certificate of the test authority; returns its URL. */
async function startSecureBackend(requestCert: boolean): Promise<string> {
  const [key, cert, ca] = ['server-key.pem', 'server.pem', 'ca.pem'].map((name) => readFileSync(tlsFile(name)));
  const created = createServer({ key, cert, ca, requestCert }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    clients.push(subject?.CN);
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server = created;
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(created.address() as AddressInfo).port}`;
}

async function startOver(url: string, ...sets: string[]): Promise<ExporterUnderTest> {
  const { store, append } = await storeUnderTest();
  await append({ message: 'a' });
  return await startExporter(store, url, ...sets);
}

const sent = ({ exporter }: ExporterUnderTest) => waitFor('it to be sent', () => exporter.stats().sent === 1);
const failing = ({ exporter }: ExporterUnderTest) =>
  waitFor('a failure', () => exporter.stats().last_error?.message ?? false);

const ca = `tls.ca_file=${tlsFile('ca.pem')}`;
const own = (name: string) => [`tls.cert_file=${tlsFile(`${name}.pem`)}`, `tls.key_file=${tlsFile(`${name}-key.pem`)}`];

describe('exporter otlp_http over TLS', () => {
  it('shows its certificate to a server of the configured authority', async () => {
    const under = await startOver(await startSecureBackend(true), ca, ...own('client'));
    await sent(under);
    expect(clients).toEqual([expect.stringContaining('client')]);
  });

  it('sends nothing without the client certificate that the server requires, and keeps the event', async () => {
    const under = await startOver(await startSecureBackend(true), ca);
    await failing(under);
    expect(under.exporter.stats()).toMatchObject({ sent: 0, lost: 0, waiting: 1 });
    expect(clients).toEqual([]);
  });

  it('sends nothing to a server of an unknown authority', async () => {
    const under = await startOver(await startSecureBackend(false));
    await failing(under);
    expect(under.exporter.stats()).toMatchObject({ sent: 0, lost: 0, waiting: 1 });
    expect(clients).toEqual([]);
  });

  it('sends to any server with insecure_skip_verify', async () => {
    const under = await startOver(await startSecureBackend(false), 'tls.insecure_skip_verify=true');
    await sent(under);
    expect(clients).toHaveLength(1);
  });

  it.each([
    ['ca_file', [`tls.ca_file=${tlsFile('README.md').replace('README', 'none')}`]],
    ['key_file', [`tls.cert_file=${tlsFile('client.pem')}`, `tls.key_file=${tlsFile('stranger-key.pem')}`]],
  ])('does not start if %s cannot be used', async (setting, sets) => {
    const { store } = await storeUnderTest();
    const { exporter } = createExporter(store, 'https://localhost:1', ...sets);
    const message = expect.stringContaining(`exporters.otlp_http.tls.${setting}`);
    await expect(exporter.start()).rejects.toMatchObject({ code: 'TLS_UNREADABLE', message });
  });
});
