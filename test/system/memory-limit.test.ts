import { mkdir, rmdir } from 'node:fs/promises';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
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
const LIMIT_BYTES = 256 * MIB;
const OUTER_LIMIT_BYTES = 192 * MIB;
const SENTRY = '/api/1/envelope/?sentry_version=7&sentry_key=0123456789abcdef0123456789abcdef';

let group: string | undefined;
let collector: RunningCollector;

beforeAll(async () => {
  group = await createLimitedGroup(LIMIT_BYTES);
  if (group === undefined) return;
  // As docs/operations.md advises for such a group.
  const env = { MALLOC_ARENA_MAX: '2' };
  collector = await startCollector(await temporaryFolder(), EVERY_RECEIVER, { through: inGroup(group), env });
});

afterAll(async () => {
  killLeftoverProcesses();
  if (group !== undefined) {
    await collector.finished;
    await rmdir(group);
  }
  await removeTemporaryFolders();
});

/** Returns the status of a response; 0 if the connection failed. */
async function post(path: string, type: string, body: Buffer, encoding = 'identity'): Promise<number> {
  return (await answerTo(path, type, body, encoding)).status;
}

/** Status 0 if the connection failed. */
async function answerTo(
  path: string,
  type: string,
  body: Buffer,
  encoding = 'identity',
): Promise<{ status: number; retryAfterSeconds: number }> {
  const headers = { 'content-type': type, 'content-encoding': encoding };
  try {
    const response = await fetch(collector.ingestUrl + path, { method: 'POST', headers, body: new Uint8Array(body) });
    await response.arrayBuffer();
    return { status: response.status, retryAfterSeconds: Number(response.headers.get('retry-after') ?? 1) };
  } catch {
    return { status: 0, retryAfterSeconds: 1 };
  }
}

/** Exports a compressed message over gRPC; returns the status of the call. */
async function exportLogs(message: Buffer): Promise<string | undefined> {
  const session = connect(clientEndpoints(collector).grpc);
  session.on('error', () => undefined);
  const { stream, status } = beginCall(session, { 'grpc-encoding': 'gzip' });
  stream.end(messageFrame(message, true));
  await status;
  session.destroy();
  return status;
}

interface LedgerCounts {
  received: number;
  stored: number;
  rejected: number;
  filtered: number;
  sampled: number;
  refused: number;
}

async function readLedger(): Promise<Record<string, LedgerCounts>> {
  const response = await fetch(`${collector.queryUrl}/api/v1/stats`);
  const { receivers }: { receivers: Record<string, LedgerCounts> } = await response.json();
  return receivers;
}

/** Sends single events until work is over and at least one event has been accepted. */
async function sendUntil(isOver: () => boolean): Promise<void> {
  const body = Buffer.from(JSON.stringify(serverPayload()));
  for (let accepted = 0; !isOver() || accepted === 0; ) {
    const status = await post('/v1/events', 'application/json', body);
    expect([200, 503]).toContain(status);
    if (status === 200) accepted++;
    else await delay(50);
  }
}

/** Runs work beside another client; the collector may refuse its events while memory is short, and must accept them afterwards. */
async function besideTraffic<Result>(work: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const sent = sendUntil(() => isOver);
  const result = await work();
  isOver = true;
  await sent;
  expect(collector.child.exitCode ?? collector.child.signalCode).toBeNull();
  return result;
}

const spaces = Buffer.alloc(63 * MIB, ' ');
const sentryItem = Buffer.concat([
  Buffer.from(`{"type":"event","length":${15 * MIB}}\n`),
  Buffer.alloc(15 * MIB, 'x'),
  Buffer.from('\n'),
]);

describe('a collector in 256 MiB of memory', () => {
  it('survives gzip bombs over every protocol, and accepts other events beside them', async () => {
    if (group === undefined) return;
    const list = gzipSync(Buffer.concat([Buffer.from('['), spaces]));
    const logs = gzipSync(spaces);
    const envelope = gzipSync(Buffer.concat([Buffer.from('{}\n'), sentryItem, sentryItem, sentryItem, sentryItem]));
    await besideTraffic(async () => {
      const http = [...Array(6)].flatMap(() => [
        post('/v1/events', 'application/json', list, 'gzip'),
        post('/v1/logs', 'application/json', logs, 'gzip'),
        post(SENTRY, 'application/x-sentry-envelope', envelope, 'gzip'),
      ]);
      const grpc = await Promise.all([...Array(12)].map(() => exportLogs(logs)));
      expect(new Set(grpc)).toEqual(new Set(['8']));
      for (const status of await Promise.all(http)) expect([413, 503]).toContain(status);
    });
  });

  it('accepts as many of eight concurrent bodies of 20 MiB as fit, and refuses the others', async () => {
    if (group === undefined) return;
    const event = JSON.stringify(serverPayload({ message: 'x'.repeat(2_000) }));
    const events = Buffer.from(`[${new Array(Math.floor((20 * MIB) / (event.length + 1))).fill(event).join()}]`);
    const record =
      '{"severityNumber":17,"body":{"stringValue":"cannot read the answer of the shop"},"attributes":[{"key":"a","value":{"stringValue":"b"}}]}';
    const records = new Array(Math.floor((20 * MIB - 1_000) / (record.length + 1))).fill(record).join();
    const logs = Buffer.from(`{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[${records}]}]}]}`);
    for (const [path, body] of [
      ['/v1/events', events],
      ['/v1/logs', logs],
    ] as const) {
      const statuses = await besideTraffic(() =>
        Promise.all([...Array(8)].map(() => post(path, 'application/json', body))),
      );
      for (const status of statuses) expect([200, 503]).toContain(status);
      const small = Buffer.from(event);
      await waitFor(
        'events to be accepted again',
        async () => (await post('/v1/events', 'application/json', small)) === 200,
        30_000,
      );
    }
    await waitFor(
      'a single large body to be accepted',
      async () => (await post('/v1/events', 'application/json', events)) === 200,
      30_000,
    );
  });

  it('serves 64 senders at once, and accepts all of their events', async () => {
    if (group === undefined) return;
    const event = JSON.stringify(serverPayload({ message: 'y'.repeat(1_000) }));
    const body = Buffer.from(`${new Array(100).fill(event).join('\n')}\n`);
    await Promise.all(
      [...Array(64)].map(async () => {
        for (let accepted = 0; accepted < 5; ) {
          const { status, retryAfterSeconds } = await answerTo('/v1/events', 'application/x-ndjson', body);
          if (status === 200) accepted++;
          // Senders that do not wait keep a slow machine busy with refusals.
          else await delay(retryAfterSeconds * 1_000);
        }
      }),
    );
    expect(collector.child.exitCode ?? collector.child.signalCode).toBeNull();
  });

  it('uses the limit of an outer group', async () => {
    // A group of its own: two collectors do not fit into one.
    const outer = await createLimitedGroup(OUTER_LIMIT_BYTES);
    if (outer === undefined) return;
    const inner = join(outer, 'inner');
    await mkdir(inner);
    const nested = await startCollector(await temporaryFolder(), [], { through: inGroup(inner) });
    const metricsUrl = /http:\/\/\S+\/metrics/.exec(nested.output.stdout)?.[0] ?? '';
    const text = await (await fetch(metricsUrl)).text();
    await stop(nested);
    await rmdir(inner);
    await rmdir(outer);
    const limit = Number(/^faultline_ingest_limit_bytes (\S+)$/m.exec(text)?.[1]);
    expect(limit).toBe(Math.floor(OUTER_LIMIT_BYTES / 12));
  });

  it('has counted every event once in its ledger', async () => {
    if (group === undefined) return;
    const all = await readLedger();
    for (const { received, stored, rejected, filtered, sampled, refused } of Object.values(all)) {
      expect(stored + rejected + filtered + sampled + refused).toBe(received);
    }
    expect(all['otlp']?.refused).toBeGreaterThan(0);
    expect(all['events']?.stored).toBeGreaterThan(64 * 5 * 100);
  });
});
