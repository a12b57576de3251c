import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fleetNames, parseMarks } from './fleet-messages.js';
import type { NatsTransport } from './transport.js';

/** Repeated, because a question or an answer may be lost. */
const ASKED_TIMES = 4;
const ASK_INTERVAL_MS = 500;

/** Sentences about the stream of a fleet and about who owns its partitions; changes nothing. Rejects with faults of the transport. */
export async function describeFleet(
  transport: NatsTransport,
  { prefix, partitions }: { readonly prefix: string; readonly partitions: number },
  intervalMs = ASK_INTERVAL_MS,
): Promise<string[]> {
  const names = fleetNames(prefix);
  const stream = (await transport.hasStream(names.eventsStream))
    ? 'exists'
    : 'is missing: the first collector creates it';
  const gateways = new Map<string, readonly number[]>();
  const source = randomUUID();
  const end = transport.subscribe(names.applied(source), (body) => {
    const marks = parseMarks(body);
    if (marks !== undefined) gateways.set(marks.gateway, marks.own);
  });
  for (let asked = 0; asked < ASKED_TIMES; asked += 1) {
    transport.send(names.ask, Buffer.from(source));
    await delay(intervalMs);
  }
  end();
  const owned = [...gateways.values()].flat();
  const ownedBy = (isRight: (owners: number) => boolean): string =>
    rangesOf([...Array(partitions).keys()].filter((one) => isRight(owned.filter((other) => other === one).length)));
  const [orphans, shared] = [ownedBy((owners) => owners === 0), ownedBy((owners) => owners > 1)];
  return [
    `the servers answer; the stream ${names.eventsStream} ${stream}`,
    ...[...gateways].map(([id, own]) => `the gateway ${id} owns ${rangesOf(own) || 'no partition'}`),
    ...(orphans === '' ? [] : [`no running gateway owns the partitions ${orphans}: their events wait`]),
    ...(shared === '' ? [] : [`several gateways own the partitions ${shared}: each stores all of their events`]),
  ];
}

/** Writes ascending numbers as `0-7,12`. */
function rangesOf(numbers: readonly number[]): string {
  const starts = numbers.filter((one) => !numbers.includes(one - 1));
  const ends = numbers.filter((one) => !numbers.includes(one + 1));
  return starts.map((start, index) => (start === ends[index] ? `${start}` : `${start}-${ends[index]}`)).join(',');
}
