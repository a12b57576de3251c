import { Session } from 'node:inspector/promises';
import { Fault } from '../../core/event/fault.js';
import { availableBytes, memoryOfProcess } from './available-memory.js';

/** Shortest time between two collections, because each stops the process for a moment. */
const MIN_INTERVAL_MS = 2_000;
/** Collections of a large heap take at most this part of the time. */
const TIME_SHARE = 1 / 10;
/** Above this part of the available memory, garbage is collected before a large body is decoded. */
const ROOM_SHARE = 1 / 2;
/** Above this part, no large body is decoded. */
const FULL_SHARE = 3 / 5;

let nextAtMs = Number.NEGATIVE_INFINITY;
let running: Promise<void> | undefined;

/**
 * Collects all garbage and returns freed memory to the system; does nothing and returns false within 2 s after the last time, longer for a large heap. V8
 * decides by the growth of its heap, which in a small control group is often too late, and returns memory only when it is idle.
 */
export async function collectGarbage(): Promise<boolean> {
  if (running === undefined && performance.now() < nextAtMs) return false;
  running ??= collect().finally(() => {
    running = undefined;
  });
  await running;
  return true;
}

/** https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-collectGarbage; a session in the process opens no port. */
async function collect(): Promise<void> {
  const session = new Session();
  session.connect();
  // Not by the clock: on a busy machine a collection waits for the processor.
  const before = process.cpuUsage();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
    const { user, system } = process.cpuUsage(before);
    nextAtMs = performance.now() + Math.max(MIN_INTERVAL_MS, (user + system) / 1_000 / TIME_SHARE);
  }
}

/** Call before work that makes much garbage: collects what there is if half of the available memory is in use. */
export async function collectBeforeWork(): Promise<void> {
  if (memoryOfProcess().resident > availableBytes() * ROOM_SHARE) await collectGarbage();
}

/** As `collectBeforeWork`, for work that takes several times the size of its input. Throws `RECEIVER_BUSY` while three fifths of the available memory are used, without freed memory that the allocator keeps. */
export async function makeRoom(): Promise<void> {
  await collectBeforeWork();
  if (memoryOfProcess().used <= availableBytes() * FULL_SHARE) return;
  throw new Fault('RECEIVER_BUSY', 'too little memory to decode this now; send it again later', { retryable: true });
}
