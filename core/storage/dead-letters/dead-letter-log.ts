import { Fault } from '../../event/fault.js';
import { cutText } from '../../event/text.js';
import { within } from '../../within.js';
import type { DataFolder } from '../files/store-files.js';
import { reasonOf } from '../record/append-faults.js';
import type { RejectedPayload } from './dead-letter.js';
import { type DeadLetterBounds, DeadLetterFiles } from './dead-letter-files.js';
import { encodeContent } from './encode-content.js';

/** UTF-16 units of `field` and `reason`, which may contain keys of the sender. */
const MAX_TEXT_UNITS = 1024;

/** Options of `openRejectedLog`. */
export interface DeadLetterLogOptions extends DataFolder {
  bounds: DeadLetterBounds;
  /** Wall clock in milliseconds since the epoch. */
  nowMs: () => number;
  /** Called on the first failure, and again only after a successful write. */
  onFault?: ((fault: Fault) => void) | undefined;
  /** Bytes of records waiting for the disk, default 8 MiB; records beyond it are lost and counted. */
  maxQueuedBytes?: number;
  /** Longest time that `keep` waits for a slow disk, default 200. */
  maxWaitMs?: number;
  /** Default 5,000. */
  syncIntervalMs?: number;
}

const DEFAULT_MAX_QUEUED_BYTES = 8 * 1024 * 1024;
const DEFAULT_MAX_WAIT_MS = 200;
const DEFAULT_SYNC_INTERVAL_MS = 5_000;
const SWEEP_INTERVAL_MS = 3_600_000;

/**
 * Opens the log of rejected payloads under the writer lock, and applies the bounds; reports an unreadable folder to `onFault` instead of
 * throwing. `append` never throws: it resolves when the records are written or lost, at the latest after `maxWaitMs`, and immediately while the
 * disk is slower than that. `close` writes the queue, syncs and is idempotent; later payloads are lost.
 */
export async function openDeadLetterLog(options: DeadLetterLogOptions) {
  const { bounds, nowMs, onFault, maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES } = options;
  const { maxWaitMs = DEFAULT_MAX_WAIT_MS, syncIntervalMs = DEFAULT_SYNC_INTERVAL_MS } = options;
  const files = new DeadLetterFiles(options);
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  /** The scheduled write of the queue, until it begins. */
  let draining: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let lost = 0;
  let isSlow = false;
  let isFailing = false;
  let closed: Promise<void> | undefined;

  function enqueue(line: Buffer): void {
    if (queuedBytes + line.length > maxQueuedBytes || line.length > bounds.maxBytes) {
      lost += 1;
      return;
    }
    queue.push(line);
    queuedBytes += line.length;
  }

  async function drain(): Promise<void> {
    let lines = queue;
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    queue = [];
    draining = undefined;
    try {
      while (lines.length > 0) {
        const written = await files.write(lines, nowMs());
        lines = lines.slice(written);
        isFailing = false;
      }
    } finally {
      lost += lines.length;
      queuedBytes -= bytes;
      isSlow = false;
    }
  }

  /** Runs work one at a time in call order; reports failures instead of throwing. */
  function serially(work: () => Promise<void>): Promise<void> {
    last = last.then(work).catch(report);
    return last;
  }

  function report(cause: unknown): void {
    if (isFailing) return;
    isFailing = true;
    const sentence = `Rejected payloads cannot be stored: ${reasonOf(cause)}. They are counted as lost until a write succeeds.`;
    onFault?.(new Fault('REJECTED_UNAVAILABLE', sentence, { cause, retryable: true }));
  }

  const sweep = (): Promise<void> => serially(() => files.sweep(nowMs()));
  const timers = [
    setInterval(() => void serially(() => files.sync()), syncIntervalMs).unref(),
    setInterval(() => void sweep(), SWEEP_INTERVAL_MS).unref(),
  ];
  await sweep();
  return {
    /** Payloads that could not be stored since the log was opened. */
    get lost() {
      return lost;
    },
    async append(receiver: string, rejected: readonly RejectedPayload[]): Promise<void> {
      // Storing is disabled, so nothing counts as lost.
      if (rejected.length === 0 || bounds.maxBytes === 0) return;
      if (closed !== undefined) {
        lost += rejected.length;
        return;
      }
      const rejectedAt = new Date(nowMs()).toISOString();
      for (const one of rejected) enqueue(encodeDeadLetter(rejectedAt, receiver, one));
      draining ??= serially(drain);
      if (isSlow) return;
      const done = draining.then(() => true);
      if (!(await within(maxWaitMs, done))) isSlow = true;
    },
    /** Removes files that exceed the bounds. */
    sweep,
    close(): Promise<void> {
      closed ??= serially(() => files.close());
      for (const timer of timers) clearInterval(timer);
      return closed;
    },
  };
}

/** Encodes a rejected payload as a line with its newline; the payload comes last, so that the line begins with the reason. */
function encodeDeadLetter(rejectedAt: string, receiver: string, rejected: RejectedPayload): Buffer {
  const { code, bytes } = rejected;
  const field = cutText(rejected.field, MAX_TEXT_UNITS);
  const reason = cutText(rejected.reason, MAX_TEXT_UNITS);
  const head = JSON.stringify({ rejected_at: rejectedAt, receiver, code, field, reason, bytes }).slice(0, -1);
  const kept = encodeContent(rejected);
  if (kept === undefined) return Buffer.from(`${head}}\n`);
  const start = `${head}${kept.isCut ? ',"cut":true' : ''},"${kept.kind}":`;
  return Buffer.concat([Buffer.from(start), kept.json, Buffer.from('}\n')]);
}
