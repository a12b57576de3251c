import { wellFormedJson } from '../../../config/values/well-formed-json.js';
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

/** Options of `openDeadLetterLog`. */
export interface DeadLetterLogOptions extends DataFolder {
  bounds: DeadLetterBounds;
  /** Wall clock in milliseconds since the epoch. */
  nowMs: () => number;
  /** Called on the first failure, and again only after a successful write. */
  onFault?: ((fault: Fault) => void) | undefined;
  /** Bytes of records waiting for the disk, default 8 MiB; records beyond it are lost and counted. */
  maxQueuedBytes?: number;
  /** Longest time in milliseconds that `append` waits for a slow disk, default 200. */
  maxWaitMs?: number;
  /** Default 5,000. */
  syncIntervalMs?: number;
}

const DEFAULT_MAX_QUEUED_BYTES = 8 * 1024 * 1024;
const DEFAULT_MAX_WAIT_MS = 200;
const DEFAULT_SYNC_INTERVAL_MS = 5_000;
const SWEEP_INTERVAL_MS = 3_600_000;

/** Opens the log of rejected payloads under the writer lock, and applies the bounds; an unreadable folder is reported to `onFault`. */
export async function openDeadLetterLog(options: DeadLetterLogOptions): Promise<DeadLetterLog> {
  const log = new DeadLetterLog(options);
  await log.sweep();
  return log;
}

/** The log of rejected payloads. No call throws: what cannot be stored is counted as lost, and reported once. */
export class DeadLetterLog {
  readonly #files: DeadLetterFiles;
  readonly #bounds: DeadLetterBounds;
  readonly #nowMs: () => number;
  readonly #onFault: ((fault: Fault) => void) | undefined;
  readonly #maxQueuedBytes: number;
  readonly #maxWaitMs: number;
  readonly #timers: readonly NodeJS.Timeout[];
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** The scheduled write of the queue, until it begins. */
  #draining: Promise<void> | undefined;
  /** The last work on the files. */
  #last: Promise<void> = Promise.resolve();
  #lost = 0;
  /** Whether the disk takes longer than `maxWaitMs`: then `append` does not wait. */
  #isSlow = false;
  #isFailing = false;
  #closed: Promise<void> | undefined;

  constructor(options: DeadLetterLogOptions) {
    this.#files = new DeadLetterFiles(options);
    this.#bounds = options.bounds;
    this.#nowMs = options.nowMs;
    this.#onFault = options.onFault;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#maxWaitMs = options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS;
    const sync = (): void => void this.#serially(() => this.#files.sync());
    this.#timers = [
      setInterval(sync, options.syncIntervalMs ?? DEFAULT_SYNC_INTERVAL_MS).unref(),
      setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS).unref(),
    ];
  }

  /** Payloads that could not be stored since the log was opened. */
  get lost(): number {
    return this.#lost;
  }

  /** Resolves when the records are written or lost, at the latest after `maxWaitMs`, and immediately while the disk is slower than that. */
  async append(receiver: string, rejected: readonly RejectedPayload[]): Promise<void> {
    // Storing is disabled, so nothing counts as lost.
    if (rejected.length === 0 || this.#bounds.maxBytes === 0) return;
    if (this.#closed !== undefined) {
      this.#lost += rejected.length;
      return;
    }
    const rejectedAt = new Date(this.#nowMs()).toISOString();
    for (const payload of rejected) this.#enqueue(encodeDeadLetter(rejectedAt, receiver, payload));
    this.#draining ??= this.#serially(() => this.#drain());
    if (this.#isSlow) return;
    const isDone = this.#draining.then(() => true);
    if (!(await within(this.#maxWaitMs, isDone))) this.#isSlow = true;
  }

  /** Removes files that exceed the bounds. */
  sweep(): Promise<void> {
    return this.#serially(() => this.#files.sweep(this.#nowMs()));
  }

  /** Writes the queue, syncs and closes; safe to call twice. Later payloads are lost. */
  close(): Promise<void> {
    this.#closed ??= this.#serially(() => this.#files.close());
    for (const timer of this.#timers) clearInterval(timer);
    return this.#closed;
  }

  #enqueue(line: Buffer): void {
    if (this.#queuedBytes + line.length > this.#maxQueuedBytes || line.length > this.#bounds.maxBytes) {
      this.#lost += 1;
      return;
    }
    this.#queue.push(line);
    this.#queuedBytes += line.length;
  }

  async #drain(): Promise<void> {
    let lines = this.#queue;
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    this.#queue = [];
    this.#draining = undefined;
    try {
      while (lines.length > 0) {
        const written = await this.#files.write(lines, this.#nowMs());
        lines = lines.slice(written);
        this.#isFailing = false;
      }
    } finally {
      this.#lost += lines.length;
      this.#queuedBytes -= bytes;
      this.#isSlow = false;
    }
  }

  /** Runs work one at a time in call order; reports failures instead of throwing. */
  #serially(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#report(error));
    return this.#last;
  }

  #report(cause: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const sentence = `Rejected payloads cannot be stored: ${reasonOf(cause)}. They are counted as lost until a write succeeds.`;
    this.#onFault?.(new Fault('REJECTED_UNAVAILABLE', sentence, { cause, retryable: true }));
  }
}

/** Encodes a rejected payload as a line with its newline; the payload comes last, so that the line begins with the reason. */
function encodeDeadLetter(rejectedAt: string, receiver: string, rejected: RejectedPayload): Buffer {
  const { code, bytes } = rejected;
  const field = cutText(rejected.field, MAX_TEXT_UNITS);
  const reason = cutText(rejected.reason, MAX_TEXT_UNITS);
  const json = wellFormedJson(JSON.stringify({ rejected_at: rejectedAt, receiver, code, field, reason, bytes }));
  const head = json.slice(0, -1);
  const content = encodeContent(rejected);
  if (content === undefined) return Buffer.from(`${head}}\n`);
  const start = `${head}${content.isCut ? ',"cut":true' : ''},"${content.kind}":`;
  return Buffer.concat([Buffer.from(start), content.json, Buffer.from('}\n')]);
}
