import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import express from 'express';
import { pino } from 'pino';
import { sendJson } from '../../../../collector/http/messages/respond.js';
import { allow } from '../../../../collector/http/middleware/allow.js';
import { createTlsRefusals, tlsRefusalOf } from '../../../../collector/http/tls/tls-failure.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import { DEFAULT_CONNECTIONS } from '../../../../generated/default-connections.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection } from '../../raw-connection.js';
import { createServers, type ServedComponents, serveComponents } from '../../serve-components.js';
import { callSecurely, tlsFile } from '../tls-connection.js';

const ENDPOINT = '127.0.0.1:0';
const TLS = {
  cert_file: tlsFile('server.pem'),
  key_file: tlsFile('server-key.pem'),
  min_version: '1.2' as const,
  reload_interval: '0s',
};
const MUTUAL = { ...TLS, client_ca_file: tlsFile('ca.pem') };

let meters: Meters;
let logged: Record<string, unknown>[];
let served: ServedComponents;
let url: string;
afterEach(() => served.stop());

/** Starts an endpoint with TLS; returns its port. */
async function start(tls: typeof TLS = TLS, headerTimeout = '15s'): Promise<number> {
  meters = new Meters();
  logged = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const servers = createServers({ logger, meters }, 500);
  const connections = { ...DEFAULT_CONNECTIONS, read_header_timeout: headerTimeout };
  const router = express.Router();
  router.post('/v1/events', ...allow({ kind: 'open' }), (_request, response) => sendJson(response, 200, '"taken"'));
  const routes = [{ endpoint: ENDPOINT, router, transport: { tls, connections } }];
  served = await serveComponents(servers, { events: { routes } });
  url = servers.urlOf(ENDPOINT) ?? '';
  return Number(new URL(url).port);
}

const call = (as?: string) => callSecurely(`${url}/v1/events`, as === undefined ? {} : { as });
const refused = () =>
  Object.fromEntries(
    meters.samples('faultline_tls_refused_connections').map(({ labels, value }) => [labels['reason'], value]),
  );
const warnings = () => logged.filter(({ code }) => code !== undefined);

describe('a client without TLS at an endpoint with TLS', () => {
  it.each([
    ['a request', 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n[]'],
    ['one byte of it', 'G'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a NUL', '\0'],
    ['a large body', `POST / HTTP/1.1\r\ncontent-length: 5000000\r\n\r\n${'x'.repeat(5_000_000)}`],
  ])('that sends %s gets a response that names https', async (_what, text) => {
    const plain = await openRawConnection(await start());
    plain.write(text);
    const [head = '', body = ''] = (await plain.untilClosed()).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toMatch(/connection: close/);
    expect(JSON.parse(body)).toMatchObject({
      status: 400,
      code: 'HTTPS_REQUIRED',
      detail: expect.stringContaining('https://'),
    });
    expect(refused()).toEqual({ not_tls: 1 });
    expect(warnings()).toEqual([
      expect.objectContaining({ code: 'NOT_TLS', endpoint: ENDPOINT, peer: '127.0.0.1', untold: 0 }),
    ]);
    expect(await call()).toMatchObject({ status: 200 });
  });

  it('is closed even if it never closes its own half', async () => {
    const port = await start();
    const plain = await openRawConnection(port);
    plain.socket.removeAllListeners('end');
    plain.write('GET / HTTP/1.1\r\n');
    await plain.receive(/HTTPS_REQUIRED/);
    await waitFor('it to be gone', () => meters.samples('faultline_http_connections')[0]?.value === 0);
    plain.socket.destroy();
  });
});

describe('a client that needs a certificate', () => {
  it('is counted and logged by reason if it sends none or an invalid one', async () => {
    await start(MUTUAL);
    expect(await call('client')).toMatchObject({ status: 200 });
    expect(refused()).toEqual({});
    await expect(call()).rejects.toThrow();
    await waitFor('the first', () => refused()['no_certificate'] === 1);
    await expect(call('stranger')).rejects.toThrow();
    await waitFor('the second', () => refused()['certificate_refused'] === 1);
    // Of the same authority, but for servers; reported with the next failure of its kind.
    await expect(call('server')).rejects.toThrow();
    await waitFor('the third', () => refused()['certificate_refused'] === 2);
    expect(warnings()).toEqual([
      expect.objectContaining({
        code: 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE',
        peer: '127.0.0.1',
        msg: 'a client was refused: it sent no certificate, which tls.client_ca_file requires',
      }),
      expect.objectContaining({
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        peer: '127.0.0.1',
        msg: 'a client was refused: its certificate is not signed by an authority of tls.client_ca_file',
      }),
    ]);
    expect(await call('client')).toMatchObject({ status: 200 });
  });
});

describe('a failed handshake', () => {
  const greet = (port: number, options: object): Promise<void> =>
    new Promise((resolve) => {
      const client = connect({ port, host: '127.0.0.1', ca: readFileSync(tlsFile('ca.pem')), ...options });
      client.on('error', () => undefined);
      client.on('close', () => resolve());
    });

  it('because of its version, its protocol or its bytes is counted, and others are served', async () => {
    const port = await start();
    await greet(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await greet(port, { ALPNProtocols: ['h2'] });
    const garbage = await openRawConnection(port);
    garbage.write(Buffer.concat([Buffer.from([0x16, 3, 1, 0xff, 0xff]), Buffer.alloc(70_000, 'A')]));
    await garbage.untilClosed();
    await waitFor('all of them', () => refused()['handshake'] === 3);
    expect(warnings()).toMatchObject([{ code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }]);
    expect(JSON.stringify(logged)).not.toContain('AAAA');
    expect(await call()).toMatchObject({ status: 200 });
  });

  it('with an invalid server name is reported, and the client is served', async () => {
    const port = await start();
    for (const servername of ['a'.repeat(255), 'x..y', '‮evil', '../../etc', '*']) {
      const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername });
      client.on('error', () => undefined);
      await new Promise((resolve) => client.once('secureConnect', resolve).once('close', resolve));
      client.destroy();
    }
    expect(await call()).toMatchObject({ status: 200 });
    expect(logged.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('that a client begins again on an open connection is refused', async () => {
    const port = await start();
    const client = connect({
      port,
      host: '127.0.0.1',
      ca: readFileSync(tlsFile('ca.pem')),
      servername: 'localhost',
      maxVersion: 'TLSv1.2',
    });
    await new Promise((resolve) => client.once('secureConnect', resolve));
    const failed = new Promise((resolve) => client.once('error', resolve));
    client.renegotiate({}, () => undefined);
    expect(await failed).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
    client.destroy();
    expect(await call()).toMatchObject({ status: 200 });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['the first byte of a handshake', Buffer.from([0x16])],
    ['half a handshake', Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196])],
  ])('that takes too long after %s is closed and counted', async (_what, bytes) => {
    const port = await start(TLS, '100ms');
    const slow = await openRawConnection(port);
    slow.write(bytes);
    await slow.untilClosed();
    expect(refused()).toEqual({ timeout: 1 });
  });
});

it('is logged at most once a minute for each reason, with the number of those in between', async () => {
  await start();
  let now = 0;
  const written: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void written.push(JSON.parse(line)) });
  const refusals = createTlsRefusals({ endpoint: 'e', meters: new Meters(), logger, nowMs: () => now });
  const report = (code: string) => refusals(tlsRefusalOf(code, '10.0.0.1'));
  for (let index = 0; index < 5; index++) report('NOT_TLS');
  report('ERR_TLS_HANDSHAKE_TIMEOUT');
  now = 59_999;
  report('NOT_TLS');
  now = 60_000;
  report('NOT_TLS');
  expect(written.map(({ code, untold }) => [code, untold])).toEqual([
    ['NOT_TLS', 0],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 0],
    ['NOT_TLS', 5],
  ]);
});
