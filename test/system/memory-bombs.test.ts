/** A collector in little memory survives requests that inflate or that hold millions of values, and goes on. */
import { rmdir } from 'node:fs/promises';
import { connect } from 'node:http2';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { snappyBomb, zstdBomb } from '../collector/http/decompression/compressed-lines.js';
import { beginCall, messageFrame } from '../collector/receivers/otlp/grpc-call.js';
import { clientEndpoints } from '../helpers/clients/client-endpoints.js';
import {
  EVERY_RECEIVER,
  killLeftoverProcesses,
  type RunningCollector,
  startCollector,
  stop,
} from '../helpers/faultline-process.js';
import { createLimitedGroup, inGroup } from '../helpers/limited-group.js';
import { serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

const MIB = 1024 * 1024;
const AT_ONCE = 6;
const SENTRY = '/api/1/envelope/?sentry_version=7&sentry_key=0123456789abcdef0123456789abcdef';
const JSON_TYPE = 'application/json';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

interface Bomb {
  readonly path: string;
  readonly type: string;
  readonly encoding: string;
  readonly body: Buffer;
}

/** With the largest window, which takes the most memory. */
const brotli = (plain: Buffer): Buffer =>
  brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 } });

const spaces = Buffer.alloc(60 * MIB, ' ');
const newlines = Buffer.alloc(200 * MIB, '\n');

/** 60 MiB of spaces in each encoding, in a few kilobytes. */
const INFLATING: readonly (readonly [encoding: string, body: Buffer])[] = [
  ['gzip', gzipSync(spaces)],
  ['deflate', deflateSync(spaces)],
  ['br', brotli(spaces)],
  ['zstd', zstdBomb(spaces.length, 23)],
  ['snappy', snappyBomb(spaces.length)],
];

const PLACES: readonly (readonly [path: string, type: string])[] = [
  ['/v1/events', JSON_TYPE],
  ['/v1/events', 'application/x-ndjson'],
  ['/v1/logs', JSON_TYPE],
  ['/v1/traces', JSON_TYPE],
  [SENTRY, 'application/x-sentry-envelope'],
];

const plain = (path: string, type: string, text: string): Bomb => ({
  path,
  type,
  encoding: 'identity',
  body: Buffer.from(text),
});

const repeated = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join();

const eventWith = (member: string): string => JSON.stringify(serverPayload()).replace('{', `{${member},`);
const recordOf = (body: string): string =>
  `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17,"body":${body}}]}]}]}`;
const envelopeOf = (event: string): string => `{}\n{"type":"event"}\n${event}\n`;

function everyBomb(): Record<string, Bomb> {
  const tags = repeated(900_000, (index) => `"tag${index}":"v"`);
  const elements = repeated(1_000_000, () => '{}');
  const nested = '['.repeat(5_000_000) + ']'.repeat(5_000_000);
  const attributes = repeated(300_000, (index) => `{"key":"tag${index}","value":{"stringValue":"v"}}`);
  return {
    ...Object.fromEntries(
      PLACES.flatMap(([path, type]) =>
        INFLATING.map(([encoding, body]) => [`${path} ${type} ${encoding}`, { path, type, encoding, body }]),
      ),
    ),
    'newlines in br': { path: '/v1/events', type: 'application/x-ndjson', encoding: 'br', body: brotli(newlines) },
    'newlines in zstd': {
      path: '/v1/events',
      type: 'application/x-ndjson',
      encoding: 'zstd',
      body: zstdBomb(newlines.length, 23, 0x0a),
    },
    'tags of an event': plain('/v1/events', JSON_TYPE, eventWith(`"tags":{${tags}}`)),
    'tags of a Sentry event': plain(SENTRY, 'application/x-sentry-envelope', envelopeOf(`{"tags":{${tags}}}`)),
    'members of a log record': plain('/v1/logs', JSON_TYPE, recordOf(`{${tags}}`)),
    'attributes of a log record': plain('/v1/logs', JSON_TYPE, recordOf(`{"kvlistValue":{"values":[${attributes}]}}`)),
    'members of a request': plain('/v1/logs', JSON_TYPE, `{${tags}}`),
    'records of different shapes': plain(
      '/v1/traces',
      JSON_TYPE,
      `{"resourceSpans":[{"scopeSpans":[{"spans":[${repeated(200_000, (index) => `{"k${index}":1}`)}]}]}]}`,
    ),
    'elements of an event': plain('/v1/events', JSON_TYPE, eventWith(`"extra":{"a":[${elements}]}`)),
    'elements as events': plain('/v1/events', JSON_TYPE, `[${elements}]`),
    'elements of a line': plain('/v1/events', 'application/x-ndjson', `${eventWith(`"extra":{"a":[${elements}]}`)}\n`),
    'levels of an event': plain('/v1/events', JSON_TYPE, eventWith(`"extra":{"a":${nested}}`)),
    'levels of a log record': plain('/v1/logs', JSON_TYPE, recordOf(nested)),
    'levels of a Sentry event': plain(SENTRY, 'application/x-sentry-envelope', envelopeOf(`{"extra":{"a":${nested}}}`)),
  };
}

/** Returns the status; 0 if the connection was closed, as it is when a large body is refused early. */
async function post(collector: RunningCollector, { path, type, encoding, body }: Bomb): Promise<number> {
  const headers = { 'content-type': type, 'content-encoding': encoding };
  try {
    const response = await fetch(collector.ingestUrl + path, { method: 'POST', headers, body: new Uint8Array(body) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Exports a compressed message; returns the status of the call. */
async function exportLogs(url: string, encoding: string, message: Buffer): Promise<string | undefined> {
  const session = connect(url);
  session.on('error', () => undefined);
  const { stream, status } = beginCall(session, { 'grpc-encoding': encoding });
  stream.end(messageFrame(message, true));
  await status;
  session.destroy();
  return status;
}

const honest: Bomb = plain('/v1/events', JSON_TYPE, JSON.stringify(serverPayload()));

/** Sends at once, and then a lone event until it is accepted. */
async function survives(
  collector: RunningCollector,
  name: string,
  send: () => Promise<number | string | undefined>,
): Promise<void> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, send));
  expect({ name, failed: answers.filter((answer) => answer === 500 || answer === '13') }).toEqual({ name, failed: [] });
  await waitFor(
    `an event to be accepted after ${name}`,
    async () =>
      (collector.child.exitCode ?? collector.child.signalCode) !== null || (await post(collector, honest)) === 200,
    60_000,
  );
  expect({ name, ended: collector.child.exitCode ?? collector.child.signalCode }).toEqual({ name, ended: null });
}

it.each([256, 512])('a collector in %s MiB survives bombs, and accepts an event after each', async (mib) => {
  const group = await createLimitedGroup(mib * MIB);
  if (group === undefined) return;
  // As docs/operations.md advises for such a group: without it, the C library keeps too much freed memory.
  const env = mib <= 256 ? { MALLOC_ARENA_MAX: '2' } : {};
  const collector = await startCollector(await temporaryFolder(), EVERY_RECEIVER, { through: inGroup(group), env });
  const { grpc } = clientEndpoints(collector);
  for (const [name, bomb] of Object.entries(everyBomb())) await survives(collector, name, () => post(collector, bomb));
  for (const [encoding, body] of INFLATING) {
    await survives(collector, `gRPC ${encoding}`, () => exportLogs(grpc, encoding, body));
  }
  await stop(collector);
  await rmdir(group);
});
