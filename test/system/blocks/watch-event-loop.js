// Loaded into a collector by `node --import`: appends each block of its event loop to the file that BLOCKS_FILE names, as one line of JSON. What the
// thread only waited for a processor (Linux counts it in `schedstat`) is left out, so that other programs of the machine do not change the result.
// With BLOCKS_PROFILE_MS, a block of at least so many milliseconds also names the functions that ran for the longest time.
import { appendFileSync, existsSync, openSync, readSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 5;
/** Shorter blocks are not written. */
const SHORTEST_MS = 10;
const SCHEDULER_FILE = `/proc/self/task/${process.pid}/schedstat`;
const SAMPLE_MICROS = 1_000;
/** A profile is begun again after this time, because it grows. */
const PROFILE_MS = 10_000;
const MAX_STACKS = 3;
const MAX_FRAMES = 14;

/**
 * Returns a function that reads the time now, and for how long the main thread had a processor and waited for one, all in milliseconds; elsewhere than
 * on Linux the latter two are 0.
 */
function createThreadClock() {
  const descriptor = existsSync(SCHEDULER_FILE) ? openSync(SCHEDULER_FILE, 'r') : undefined;
  const buffer = Buffer.alloc(128);
  return () => {
    const length = descriptor === undefined ? 0 : readSync(descriptor, buffer, 0, buffer.length, 0);
    const [ran = 0, waited = 0] = buffer.toString('latin1', 0, length).split(' ').map(Number);
    return { now: performance.now(), ran: ran / 1e6, waited: waited / 1e6 };
  };
}

/** Samples the stacks of this thread. */
class Profiler {
  #session = new Session();
  #beganAt = 0;

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    this.#begin();
  }

  /** Returns the most frequent stacks of the last milliseconds, innermost frame first, with their number of samples. */
  stacksOf(lastMs) {
    let found = [];
    this.#session.post('Profiler.stop', (_, { profile }) => {
      found = stacksSince(profile, profile.endTime - lastMs * 1000);
    });
    this.#begin();
    return found;
  }

  restartIfOld() {
    if (performance.now() - this.#beganAt > PROFILE_MS) this.stacksOf(0);
  }

  #begin() {
    this.#session.post('Profiler.start');
    this.#beganAt = performance.now();
  }
}

function stacksSince({ nodes, samples, timeDeltas, startTime }, sinceMicros) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const counts = new Map();
  let time = startTime;
  for (const [index, id] of samples.entries()) {
    time += timeDeltas[index];
    if (time >= sinceMicros) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const heaviest = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_STACKS);
  return heaviest.map(([leaf, count]) => {
    const frames = [];
    for (let id = leaf; id !== undefined && frames.length < MAX_FRAMES; id = parents.get(id)) {
      const { functionName, url, lineNumber, columnNumber } = byId.get(id);
      frames.push([functionName, url.slice(url.lastIndexOf('/') + 1), lineNumber, columnNumber]);
    }
    return { count, frames };
  });
}

function watchEventLoop(file, profileMs) {
  const read = createThreadClock();
  const profiler = profileMs === undefined ? undefined : new Profiler();
  let last = read();
  const tick = () => {
    let next = read();
    const waited = next.waited - last.waited;
    const gap = next.now - last.now;
    const block = gap - TICK_MS - waited;
    if (block >= SHORTEST_MS) {
      const stacks = block >= profileMs ? profiler?.stacksOf(gap) : undefined;
      const [block_ms, cpu_ms, waited_ms] = [block, next.ran - last.ran, waited].map(Math.round);
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), block_ms, cpu_ms, waited_ms, stacks })}\n`);
      next = read();
    }
    last = next;
    profiler?.restartIfOld();
    setTimeout(tick, TICK_MS).unref();
  };
  setTimeout(tick, TICK_MS).unref();
}

const { BLOCKS_FILE: blocksFile, BLOCKS_PROFILE_MS: profileMs } = process.env;
if (blocksFile !== undefined && isMainThread) {
  watchEventLoop(blocksFile, profileMs === undefined ? undefined : Number(profileMs));
}
