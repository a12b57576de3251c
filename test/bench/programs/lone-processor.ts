import type { Batch, Consumer } from '../../../collector/component/consumer.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { encodeRawLine } from '../../../core/event/raw-line.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createCachedGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { createInstantConsumer } from '../instant-consumer.js';
import { SECRETS } from '../kilobyte-events.js';
import { LONE_PROCESSORS, type LoneProcessor } from '../lone-processors.js';

const BATCH = 500;
/** Grouping new events takes ten times as long. */
const BATCHES: Readonly<Record<LoneProcessor['floor'], number>> = { encoding: 10, grouping: 3 };
const ROUNDS = 8;
const WARM_UP_ROUNDS = 4;

interface Pace {
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

/**
 * Measures one processor before a consumer without work: `lone-processor <name>`. Prints JSON: events per second of CPU time and by the
 * clock of the best round, and the same for the floor, which gets the same events in the same rounds.
 */
const [name = ''] = process.argv.slice(2);
const subject = LONE_PROCESSORS.get(name);
if (subject === undefined)
  throw new Error(`unknown processor "${name}"; expected one of ${[...LONE_PROCESSORS.keys()].join(', ')}`);
const { build, event, floor, passes = 1 } = subject;
const count = BATCHES[floor];
const consumer = createInstantConsumer();
const meters = new Meters();
const processor = build({ consumer, meters });
const floorConsumer = createFloor();
const ours: Pace[] = [];
const floors: Pace[] = [];
let serial = 0;
let texts = nextTexts();
await processor.start();
for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
  // The fingerprints of known texts are cached.
  if (floor === 'grouping') texts = nextTexts();
  const theirs = await measurePace(parseBatches(texts), 1, floorConsumer);
  const own = await measurePace(parseBatches(texts), passes, processor);
  if (round < WARM_UP_ROUNDS) continue;
  floors.push(theirs);
  ours.push(own);
}
await processor.shutdown();
checkSecrets(meters);
process.stdout.write(`${JSON.stringify({ ...best(ours), floor: best(floors) })}\n`);

/** Returns batches of new events as JSON. */
function nextTexts(): string[] {
  return Array.from({ length: count }, () => {
    const first = serial;
    serial += BATCH;
    return JSON.stringify(Array.from({ length: BATCH }, (_, index) => event(first + index)));
  });
}

/** Returns batches with new strings, like those of a parsed body. */
function parseBatches(bodies: readonly string[]): Batch[] {
  return bodies.map((body) => {
    const payloads: RawPayload[] = JSON.parse(body);
    return { receiver: 'events', events: payloads.map((payload) => ({ payload })) };
  });
}

/** Creates the floor: a consumer that encodes or groups each event. */
function createFloor(): Consumer {
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

async function measurePace(batches: readonly Batch[], times: number, measured: Consumer): Promise<Pace> {
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  for (let pass = 0; pass < times; pass += 1) {
    for (const batch of batches) await measured.consume(batch);
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

/** Throws unless redaction masked all secrets, because a redaction that finds nothing would be fast. */
function checkSecrets(counted: Meters): void {
  const masked = counted.samples('faultline_processor_redacted_values').reduce((sum, { value }) => sum + value, 0);
  const events = count * BATCH * (WARM_UP_ROUNDS + ROUNDS);
  const expected = name === 'redaction_of_secrets' ? events * SECRETS : 0;
  if (masked !== expected) throw new Error(`${masked} values were masked, not ${expected}`);
}
