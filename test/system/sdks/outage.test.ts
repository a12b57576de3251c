import { clientEndpoints, type OtlpProtocol, otlpEnvironment } from '../../helpers/clients/client-endpoints.js';
import { startClient } from '../../helpers/clients/client-program.js';
import {
  EVERY_RECEIVER,
  killLeftoverProcesses,
  type RunningCollector,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

/** Over gRPC the SDK never sends again what was refused (otlp-grpc-exporter-base 0.223). */
const REPEATING_PROTOCOLS = ['http/json', 'http/protobuf'] as const;
const BATCH_SIZE = 50;
/** Records to wait for before and after the outage: several batches. */
const SOME = 10 * BATCH_SIZE;

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** The numbers of all stored records. */
async function storedNumbers(directory: string): Promise<number[]> {
  const payloads = await storedPayloads(directory);
  return payloads.map((payload) => Number(/"number":(\d+)/.exec(JSON.stringify(payload['extra']))?.[1]));
}

/** How many events a collector has in its store, those of earlier processes included. */
async function countStored({ child, output, queryUrl }: RunningCollector): Promise<number> {
  if (child.exitCode !== null) throw new Error(output.stderr);
  const response = await fetch(`${queryUrl}/api/v1/stats`);
  const stats: { events?: unknown } = JSON.parse(await response.text());
  return Number(stats.events);
}

async function storedAtLeast(collector: RunningCollector, count: number): Promise<void> {
  await waitFor(`${count} stored records`, async () => (await countStored(collector)) >= count);
}

/** Ends the collector under a client that goes on sending, starts it again, and answers what was sent and what is stored. */
async function throughOutage(protocol: OtlpProtocol, signal: NodeJS.Signals) {
  const directory = await temporaryFolder();
  const first = await startCollector(directory, EVERY_RECEIVER);
  const endpoints = clientEndpoints(first);
  const client = startClient('otel-numbered-logs', {
    ...otlpEnvironment(protocol, endpoints),
    BATCH_SIZE: String(BATCH_SIZE),
  });
  await storedAtLeast(first, SOME);
  first.child.kill(signal);
  await first.finished;
  const second = await startCollector(directory, [
    ...EVERY_RECEIVER,
    `--set=receivers.otlp.protocols.http.endpoint=${new URL(endpoints.http).host}`,
  ]);
  await storedAtLeast(second, (await countStored(second)) + SOME);
  client.child.stdin?.end();
  const sent = Number(await client.finished);
  expect((await stop(second)).code).toBe(0);
  const times = new Map<number, number>();
  for (const number of await storedNumbers(directory)) times.set(number, (times.get(number) ?? 0) + 1);
  const numbers = Array.from({ length: sent }, (_, number) => number);
  return {
    sent,
    missing: numbers.filter((number) => !times.has(number)),
    doubled: numbers.filter((number) => times.get(number) === 2),
    others: [...times].filter(([number, count]) => number >= sent || count > 2),
  };
}

describe('a collector that is restarted under an OpenTelemetry client', () => {
  it.each(REPEATING_PROTOCOLS)('loses nothing and doubles nothing over %s when it is stopped', async (protocol) => {
    const { sent, ...stored } = await throughOutage(protocol, 'SIGTERM');
    expect(sent).toBeGreaterThanOrEqual(2 * SOME);
    expect(stored).toEqual({ missing: [], doubled: [], others: [] });
  });

  it.each(REPEATING_PROTOCOLS)(
    'loses nothing over %s when it is killed, and doubles at most the request whose answer was under way',
    async (protocol) => {
      const { missing, doubled, others } = await throughOutage(protocol, 'SIGKILL');
      expect({ missing, others }).toEqual({ missing: [], others: [] });
      // The SDK has one request under way at a time, and its records are neighbours.
      expect(doubled.length).toBeLessThanOrEqual(BATCH_SIZE);
      expect(doubled).toEqual(doubled.map((_, place) => (doubled[0] ?? 0) + place));
    },
  );
});
