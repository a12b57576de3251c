import type { Batch, Consumer } from '../../../collector/component/consumer.js';
import { createMeters, type Meters } from '../../../collector/telemetry/meters.js';
import { encodeRawLine } from '../../../core/event/raw-line.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createCachedGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { createInstantConsumer } from '../instant-consumer.js';
import { SECRETS } from '../kilobyte-events.js';
import { LONE_PROCESSORS, type LoneProcessor } from '../lone-processors.js';

const BATCH = 500;
/** Events that are grouped anew cost ten times as much. */
const BATCHES: Readonly<Record<LoneProcessor['floor'], number>> = { encoding: 10, grouping: 3 };
const ROUNDS = 8;
/** So that all of it is compiled. */
const WARM_UP_ROUNDS = 4;

interface Pace {
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

/**
 * One processor before a consumer that answers at once, and nothing else: `lone-processor <name>`. Prints JSON: events per second of CPU time and by the
 * clock, of the best round each, and the same of the floor, which gets the same events in the same rounds.
 */
const [name = ''] = process.argv.slice(2);
const subject = LONE_PROCESSORS.get(name);
if (subject === undefined)
  throw new Error(`unknown processor "${name}"; expected one of ${[...LONE_PROCESSORS.keys()].join(', ')}`);
const { build, event, floor, passes = 1 } = subject;
const count = BATCHES[floor];
const consumer = createInstantConsumer();
const meters = createMeters();
const processor = build({ consumer, meters });
const bare = bareWork();
const ours: Pace[] = [];
const floors: Pace[] = [];
let serial = 0;
let texts = nextTexts();
await processor.start();
for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
  // What was grouped once is remembered.
  if (floor === 'grouping') texts = nextTexts();
  const theirs = await paceOf(batchesOf(texts), 1, bare);
  const own = await paceOf(batchesOf(texts), passes, processor);
  if (round < WARM_UP_ROUNDS) continue;
  floors.push(theirs);
  ours.push(own);
}
await processor.shutdown();
checkSecrets(meters);
process.stdout.write(`${JSON.stringify({ ...best(ours), floor: best(floors) })}\n`);

/** Batches as JSON, of events that were not there before. */
function nextTexts(): string[] {
  return Array.from({ length: count }, () => {
    const first = serial;
    serial += BATCH;
    return JSON.stringify(Array.from({ length: BATCH }, (_, index) => event(first + index)));
  });
}

/** As they come out of a body: strings of their own that nobody has looked at yet. */
function batchesOf(bodies: readonly string[]): Batch[] {
  return bodies.map((body) => {
    const payloads: RawPayload[] = JSON.parse(body);
    return { receiver: 'events', events: payloads.map((payload) => ({ payload })) };
  });
}

/** The same batches straight to the consumer, with what is done to each event in any case. */
function bareWork(): Consumer {
  const grouper = createCachedGrouper(DEFAULT_GROUPING);
  return {
    consume(batch) {
      for (const { payload } of batch.events) {
        if (floor === 'grouping') grouper.fingerprint(payload);
        else encodeRawLine(payload);
      }
      return consumer.consume(batch);
    },
  };
}

async function paceOf(batches: readonly Batch[], times: number, taker: Consumer): Promise<Pace> {
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  for (let pass = 0; pass < times; pass += 1) {
    for (const batch of batches) await taker.consume(batch);
  }
  const { user, system } = process.cpuUsage(cpuBegan);
  const seconds = (performance.now() - began) / 1000;
  const events = times * batches.length * BATCH;
  return { perCpuSecond: (events * 1_000_000) / (user + system), perSecond: events / seconds };
}

function best(paces: readonly Pace[]): Pace {
  return {
    perCpuSecond: Math.max(...paces.map(({ perCpuSecond }) => perCpuSecond)),
    perSecond: Math.max(...paces.map(({ perSecond }) => perSecond)),
  };
}

/** A redaction that finds nothing would be fast: throws unless it found what there was. */
function checkSecrets(counted: Meters): void {
  const masked = counted.samples('faultline_processor_redacted_values').reduce((sum, { value }) => sum + value, 0);
  const handed = count * BATCH * (WARM_UP_ROUNDS + ROUNDS);
  const expected = name === 'redaction_of_secrets' ? handed * SECRETS : 0;
  if (masked !== expected) throw new Error(`${masked} values were masked, not ${expected}`);
}
