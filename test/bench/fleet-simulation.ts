/**
 * What the parts of a large fleet carry, as a table: `node dist/test/bench/fleet-simulation.js`. Events arrive at random, of issues that repeat as a
 * power law; each flush is divided into chunks as the exporter does, and the sizes are those of real, encoded chunks. Time does not pass.
 */
import { v4, v5 } from 'uuid';
import { type Chunk, encodeChunk, MAX_CHUNK_EVENTS, partitionOf } from '../../collector/nats/chunk.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import { seededRandom } from '../core/storage/safety/seeded-random.js';
import { inRawLineOrder, sampleEvent } from './sample-events.js';

const SIDECARS = 500;
const EVENTS_PER_SECOND = 50_000;
const GATEWAYS = 8;
const PARTITIONS = 16;
const REPLICAS = 3;
/** Of a message that is alone in its commit: raw lines, commit record, origins. */
const SYNCS = 3;
/** Active issues of a service. */
const ISSUES = 50;
/** Sidecars that are simulated; the others are like them. */
const SAMPLE = 20;
const FLUSHES = 10;
const FLUSH_SECONDS = [0.2, 1, 5];
const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

interface Carried {
  messages: number;
  bytes: number;
  events: number;
  encodeMs: number;
}

async function send(flushSeconds: number): Promise<Carried> {
  const { next: random } = seededRandom(1);
  const carried: Carried = { messages: 0, bytes: 0, events: 0, encodeMs: 0 };
  const perFlush = (EVENTS_PER_SECOND / SIDECARS) * flushSeconds;
  for (let sidecar = 0; sidecar < SAMPLE; sidecar += 1) {
    const source = v4();
    for (let flush = 0; flush < FLUSHES; flush += 1) {
      const byPartition = new Map<number, Chunk['events'][number][]>();
      for (let event = 0; event < perFlush; event += 1) {
        const issue = Math.floor(ISSUES ** random()) - 1;
        const partition = partitionOf(v5(`${sidecar} ${issue}`, NAMESPACE) as IssueId, PARTITIONS);
        const serial = (sidecar * FLUSHES + flush) * 1_000 + event;
        const line = Buffer.from(inRawLineOrder(sampleEvent(issue, serial)));
        const position = { receivedAtMicros: 1_790_000_000_000_000 + serial, taken: 1, passed: serial };
        byPartition.set(partition, [...(byPartition.get(partition) ?? []), { id: v4() as EventId, position, line }]);
      }
      for (const [partition, events] of byPartition) {
        const floor = { receivedAtMicros: 0, taken: 0, passed: 0 };
        for (let at = 0; at < events.length; at += MAX_CHUNK_EVENTS) {
          const part = events.slice(at, at + MAX_CHUNK_EVENTS);
          const began = performance.now();
          const chunk = { source, host: 'bench', partition, floor, after: floor, isExact: true, events: part };
          const encoded = await encodeChunk(chunk, 1);
          carried.encodeMs += performance.now() - began;
          for (const body of encoded ?? []) {
            carried.messages += 1;
            carried.bytes += body.length;
          }
          carried.events += part.length;
        }
      }
    }
  }
  return carried;
}

const rounded = (value: number): string => new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);

console.log(`| flush_interval | ${FLUSH_SECONDS.map((seconds) => `${seconds} s`).join(' | ')} |`);
console.log(`|---|${FLUSH_SECONDS.map(() => '---:|').join('')}`);
const carried: Carried[] = [];
for (const seconds of FLUSH_SECONDS) carried.push(await send(seconds));
const rows: { readonly [name: string]: (one: Carried, scale: number) => number } = {
  'events of a message': ({ events, messages }) => events / messages,
  'bytes of an event in NATS': ({ events, bytes }) => bytes / events,
  'messages per second, all': ({ messages }, scale) => messages * scale,
  'messages per second, each gateway': ({ messages }, scale) => (messages * scale) / GATEWAYS,
  'MB per second into NATS': ({ bytes }, scale) => (bytes * scale) / 1e6,
  'syncs per second of a gateway, at most': ({ messages }, scale) => (messages * scale * SYNCS) / GATEWAYS,
  'GB of stream for an hour without gateways': ({ bytes }, scale) => (bytes * scale * 3_600) / 1e9,
  'CPU-s to encode 100,000 events': ({ encodeMs, events }) => (encodeMs * 100) / events,
};
for (const [name, of] of Object.entries(rows)) {
  const cells = carried.map((one) => rounded(of(one, EVENTS_PER_SECOND / one.events)));
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
console.log(
  `\n${SIDECARS} sidecars, ${rounded(EVENTS_PER_SECOND)} events/s, ${GATEWAYS} gateways, R${REPLICAS}: each of three servers has all messages.`,
);
