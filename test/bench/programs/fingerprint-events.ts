import { hash } from 'node:crypto';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { median } from '../row.js';
import { type StackFamily, unseenEvent } from '../unseen-events.js';

const RUNS = 9;
const WARM_UP_RUNS = 3;
const EVENTS = 4_000;
const HASHES = 20_000;
const HASHED_BYTES = 1_024;

/** Computes fingerprints of new events without a cache: `fingerprint-events <v8|java>`. Prints JSON: fingerprints, and hashes of 1 kB, per second of CPU time. */
const [family] = process.argv.slice(2);
const { fingerprint } = createGrouper(DEFAULT_GROUPING);
const text = 'x'.repeat(HASHED_BYTES);
const ours: number[] = [];
const theirs: number[] = [];
for (let run = 0; run < WARM_UP_RUNS + RUNS; run += 1) {
  const events = unseen(family === 'java' ? 'java' : 'v8', run * EVENTS);
  const figure = perCpuSecond(EVENTS, (index) => fingerprint(events[index] ?? unseenEvent('v8', index)));
  const floor = perCpuSecond(HASHES, () => hash('sha256', text));
  if (run < WARM_UP_RUNS) continue;
  ours.push(figure);
  theirs.push(floor);
}
process.stdout.write(`${JSON.stringify({ fingerprints: median(ours), hashes: median(theirs) })}\n`);

/** Returns events with flat strings, like those of a parsed body. */
function unseen(stackFamily: StackFamily, first: number): ReturnType<typeof unseenEvent>[] {
  const events = Array.from({ length: EVENTS }, (_, index) => unseenEvent(stackFamily, first + index));
  return JSON.parse(JSON.stringify(events));
}

function perCpuSecond(count: number, call: (index: number) => unknown): number {
  const began = process.cpuUsage();
  for (let index = 0; index < count; index += 1) call(index);
  const { user, system } = process.cpuUsage(began);
  return (count * 1_000_000) / (user + system);
}
