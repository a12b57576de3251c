import { join } from 'node:path';
import pino from 'pino';
import { v4 } from 'uuid';
import { type Chunk, encodeChunk } from '../../../collector/nats/chunk.js';
import { eventsStream, fleetNames } from '../../../collector/nats/fleet-messages.js';
import { openNats } from '../../../collector/nats/nats-transport.js';
import type { EventId } from '../../../core/event/ids.js';
import { NATS_SERVER, type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { openLoneClient } from '../lone-client.js';
import { type ClosedLoop, runClosedLoop } from '../peers/closed-loop.js';
import { freshLines } from '../peers/fresh-bodies.js';
import { LOAD_SECONDS, measureOurs, TURNS } from '../peers/measure-load.js';
import { treeCpuSeconds, untilCalm } from '../peers/process-tree.js';
import { median, type Row, row } from '../row.js';
import { inRawLineOrder, sampleEvent } from '../sample-events.js';
import { ratioBar } from './cost-rows.js';

const EVENTS = 500;
const CONNECTIONS = 4;
const STEADY_REQUESTS_PER_SECOND = 8;
const PARTITIONS = 16;
const CHUNK_EVENTS = 100;
const CHUNKS = 1_280;

/** What a fleet of a sidecar, three servers and a gateway costs beside one collector. Nothing without nats-server. */
export async function* fleetRows(folder: string): AsyncGenerator<Row[]> {
  if (NATS_SERVER === undefined) {
    process.stderr.write('The rows of fleets need nats-server on the path.\n');
    return;
  }
  const rates = { direct: [] as number[], fleet: [] as number[] };
  const cpu = { direct: [] as number[], fleet: [] as number[] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    const direct = await measureOurs(join(folder, `direct-${turn}`), ({ ingestUrl }) => loadOf(ingestUrl));
    rates.direct.push(direct.perSecond);
    rates.fleet.push(await rateOfFleet(join(folder, `fleet-${turn}`)));
    const lone = await startCollectorProcess(join(folder, `steady-${turn}`));
    cpu.direct.push(await steadyCpu(lone));
    await lone.stop();
    cpu.fleet.push(await inFleet(join(folder, `sending-${turn}`), ({ sidecar }) => steadyCpu(sidecar)));
  }
  const beside = 'the same load into one collector';
  yield [
    row(
      'through a fleet with three NATS servers, events per second',
      median(rates.fleet),
      beside,
      median(rates.direct),
      'higher',
      ratioBar(0.25),
    ),
    row(
      'a sidecar that sends to a fleet, at 4,000 events/s, CPU-s per 100,000',
      median(cpu.fleet),
      beside,
      median(cpu.direct),
      'lower',
      ratioBar(1.5),
    ),
  ];
  yield [await sourcesRow(folder)];
}

function loadOf(url: string): ClosedLoop {
  const bodies = freshLines(EVENTS);
  return { url: `${url}/v1/events`, contentType: 'application/x-ndjson', bodies, connections: CONNECTIONS };
}

function startGateway(folder: string, servers: readonly NatsServer[]): Promise<CollectorProcess> {
  return startCollectorProcess(folder, undefined, [
    `receivers.nats.servers=${JSON.stringify(servers.map(({ url }) => url))}`,
    'service.pipelines.events.receivers=[events, nats]',
  ]);
}

async function stopServers(servers: readonly NatsServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.kill('SIGTERM')));
}

async function untilStored({ queryUrl }: CollectorProcess, events: number): Promise<void> {
  const isStored = async (): Promise<boolean> =>
    (await (await fetch(`${queryUrl}/api/v1/stats`)).json()).events >= events;
  // Seldom: the gateway is measured.
  await waitFor('the gateway to store everything', isStored, 600_000, 50);
}

/** Before that, the servers drop messages that no sidecar would send again. */
async function untilReceiving({ queryUrl }: CollectorProcess): Promise<void> {
  const isReceiving = async (): Promise<boolean> => {
    const { gateways } = await (await fetch(`${queryUrl}/api/v1/stats`)).json();
    return Object.keys(gateways.nats.pending).length === gateways.nats.own.length;
  };
  await waitFor('the gateway to receive', isReceiving, 60_000, 50);
}

async function inFleet<Result>(
  folder: string,
  measure: (fleet: { sidecar: CollectorProcess; gateway: CollectorProcess }) => Promise<Result>,
): Promise<Result> {
  const servers = await startNatsServers(3);
  const gateway = await startGateway(join(folder, 'gateway'), servers);
  const sidecar = await startCollectorProcess(join(folder, 'sidecar'), undefined, [
    `exporters.nats.servers=${JSON.stringify(servers.map(({ url }) => url))}`,
    'exporters.nats.sending_queue.start_at=beginning',
    'service.pipelines.events.exporters=[store, nats]',
  ]);
  await untilCalm(sidecar.child.pid ?? Number.NaN);
  const result = await measure({ sidecar, gateway });
  await sidecar.stop();
  await gateway.stop();
  await stopServers(servers);
  return result;
}

/** Events per second until the gateway has stored everything. */
function rateOfFleet(folder: string): Promise<number> {
  return inFleet(folder, async ({ sidecar, gateway }) => {
    const began = performance.now();
    const { records } = await runClosedLoop(loadOf(sidecar.ingestUrl), LOAD_SECONDS);
    await untilStored(gateway, records);
    return (records * 1000) / (performance.now() - began);
  });
}

/** CPU seconds of a collector per 100,000 events at a rate that leaves cores free, after a warm-up. */
async function steadyCpu(collector: CollectorProcess): Promise<number> {
  const pid = collector.child.pid ?? Number.NaN;
  const bodies = freshLines(EVENTS);
  const headers = ['content-type: application/x-ndjson', 'prefer: return=minimal'];
  const client = await openLoneClient(`${collector.ingestUrl}/v1/events`, headers);
  const post = async (requests: number): Promise<void> => {
    const began = performance.now();
    for (let request = 1; request <= requests; request += 1) {
      await client.post(bodies.next());
      const dueMs = began + (request * 1000) / STEADY_REQUESTS_PER_SECOND - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs)));
    }
    await untilCalm(pid);
  };
  await post(STEADY_REQUESTS_PER_SECOND);
  const before = treeCpuSeconds(pid);
  const requests = STEADY_REQUESTS_PER_SECOND * LOAD_SECONDS;
  await post(requests);
  const seconds = treeCpuSeconds(pid) - before;
  client.close();
  return (seconds * 100_000) / (requests * EVENTS);
}

/** What an event of 64 sources costs a gateway and the servers, beside one of 4 sources. */
async function sourcesRow(folder: string): Promise<Row> {
  const costs: { readonly [sources: number]: number[] } = { 4: [], 64: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const sources of [4, 64]) {
      costs[sources]?.push(await costOfSources(join(folder, `sources-${sources}-${turn}`), sources));
    }
  }
  const [many, few] = [median(costs[64] ?? []), median(costs[4] ?? [])];
  const bar = { of: 'ratio', value: 1.1 } as const;
  return row('a gateway and its servers with 64 sources, CPU-s per 100,000', many, 'with 4 sources', few, 'lower', bar);
}

async function costOfSources(folder: string, sources: number): Promise<number> {
  const servers = await startNatsServers(3);
  const gateway = await startGateway(folder, servers);
  const settings = { servers: servers.map(({ url }) => url), tls: { insecure_skip_verify: false } };
  const transport = await openNats(settings, { key: 'bench', logger: pino({ level: 'silent' }) });
  const names = fleetNames('faultline');
  const stream = eventsStream({ prefix: 'faultline', replicas: 3, max_stream_size: '1GiB' });
  // The gateway may be creating it.
  await waitFor('the stream', () => transport.ensureStream(stream).then(() => true));
  await untilReceiving(gateway);
  const ids = Array.from({ length: sources }, () => v4());
  const messages = await Promise.all(
    Array.from({ length: CHUNKS }, async (_, index) => {
      const chunk = chunkOf(ids[index % sources] ?? '', index, sources);
      return { subject: names.events(chunk.partition), bodies: (await encodeChunk(chunk, 1)) ?? [] };
    }),
  );
  const pids = [gateway.child.pid, ...servers.map(({ pid }) => pid)].map((pid) => pid ?? Number.NaN);
  await Promise.all(pids.map(untilCalm));
  const cpu = (): number => pids.reduce((sum, pid) => sum + treeCpuSeconds(pid), 0);
  const before = cpu();
  let next = 0;
  const publish = async (): Promise<void> => {
    for (let one = messages[next++]; one !== undefined; one = messages[next++]) {
      for (const body of one.bodies) await transport.publish(one.subject, body);
    }
  };
  await Promise.all(Array.from({ length: 4 }, publish));
  await untilStored(gateway, CHUNKS * CHUNK_EVENTS);
  await untilCalm(pids[0] ?? Number.NaN);
  const seconds = cpu() - before;
  await transport.close();
  await gateway.stop();
  await stopServers(servers);
  return (seconds * 100_000) / (CHUNKS * CHUNK_EVENTS);
}

/** A chunk of a source; each has a position for each of its events, and the partitions in turn. */
function chunkOf(source: string, index: number, sources: number): Chunk {
  const round = Math.floor(index / sources);
  const positionAt = (event: number) => {
    const passed = round * CHUNK_EVENTS + event;
    return { receivedAtMicros: 1_790_000_000_000_000 + passed, taken: 1, passed };
  };
  const events = Array.from({ length: CHUNK_EVENTS }, (_, event) => {
    const serial = index * CHUNK_EVENTS + event;
    const line = Buffer.from(inRawLineOrder(sampleEvent(serial % 200, serial)));
    return { id: v4() as EventId, position: positionAt(event + 1), line };
  });
  const beginning = { receivedAtMicros: 0, taken: 0, passed: 0 };
  return {
    source,
    host: 'bench',
    partition: round % PARTITIONS,
    floor: positionAt(0),
    after: beginning,
    isExact: true,
    events,
  };
}
