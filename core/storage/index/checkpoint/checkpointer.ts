import type { FailureStreak } from '../../files/failure-streak.js';
import type { CheckpointWriter } from './checkpoint-writer.js';

const CHECKPOINT_INTERVAL_MS = 5_000;
/** Bytes that a checkpoint may write for each event since the last one, plus BYTES_PER_SECOND, so that a quiet system soon is covered. */
const BYTES_PER_EVENT = 100;
const BYTES_PER_SECOND = 16_384;
/** Beyond this many uncovered events a checkpoint is due at any cost: a crash replays a few seconds' work. */
const MAX_LAG_EVENTS = 100_000;

export type Checkpointer = ReturnType<typeof startCheckpointer>;

/**
 * Makes checkpoints on a timer, if their bytes are in proportion to what changed, and a last one at `close`. `failures` gets the failures that no
 * caller waits for.
 */
export function startCheckpointer(
  writer: CheckpointWriter,
  failures: FailureStreak,
  intervalMs = CHECKPOINT_INTERVAL_MS,
) {
  let running: Promise<unknown> = Promise.resolve();
  let isIdle = true;
  let lastMs = performance.now();
  let closed: Promise<unknown> | undefined;

  function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = running.then(async () => {
      isIdle = false;
      try {
        return await work();
      } finally {
        isIdle = true;
      }
    });
    running = run.catch(() => undefined);
    return run;
  }

  async function write(options: { seal: boolean }): Promise<void> {
    const { lagEvents, bytes } = writer.cost();
    if (lagEvents > 0 || bytes > 0) await writer.write(options);
    failures.succeeded();
    lastMs = performance.now();
  }

  function isDue(): boolean {
    const { events, bytes } = writer.cost();
    if (events === 0 && bytes === 0) return false;
    const seconds = (performance.now() - lastMs) / 1000;
    return events > MAX_LAG_EVENTS || bytes <= events * BYTES_PER_EVENT + seconds * BYTES_PER_SECOND;
  }

  const timer = setInterval(() => {
    if (isIdle && isDue()) enqueue(() => write({ seal: false })).catch(failures.failed);
  }, intervalMs).unref();

  return {
    /** Makes a checkpoint of everything up to now, after a running one; rejects if it fails. */
    async checkpoint(): Promise<void> {
      await (closed ?? enqueue(() => write({ seal: true })));
    },
    /** Runs `work` after a running checkpoint and before the next; returns undefined if the checkpointer is closed. */
    exclusively: async <Result>(work: () => Promise<Result>): Promise<Result | undefined> =>
      closed === undefined ? await enqueue(work) : undefined,
    /** Resolves even if the last checkpoint fails: the next start replays what it lacks. */
    async close(): Promise<void> {
      clearInterval(timer);
      closed ??= enqueue(() => write({ seal: true })).catch(failures.failed);
      await closed;
    },
    /** Stops without a last checkpoint; resolves when none is running. */
    async abandon(): Promise<void> {
      clearInterval(timer);
      closed ??= running;
      await closed;
    },
  };
}
