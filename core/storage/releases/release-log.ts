import { join } from 'node:path';
import type { ReleaseChange } from '../../contract/reader.js';
import { formatTimestamp } from '../../normalize/timestamp.js';
import { writeFileDurably } from '../files/write-durably.js';
import { storeClosing, storeUnavailable } from '../record/append-faults.js';
import { followLog, type LogFolder } from '../record/io/read-log.js';
import { LineLog, openLineLog } from '../record/line-log.js';
import { RELEASE_LOG, type ReleaseLine } from './release-line.js';
import { ReleaseStates } from './release-states.js';
import { type SessionReport, SessionTally } from './session-tally.js';

interface ReleaseLogOptions extends LogFolder {
  /** Wall clock in milliseconds. */
  readonly nowMs: () => number;
}

/** Smaller logs are not compacted. */
const LEAST_COMPACT_BYTES = 4 * 1024 * 1024;

/** Opens the log; a torn last line is moved to `salvage/`. */
export async function openReleaseLog(options: ReleaseLogOptions): Promise<ReleaseLog> {
  const { lines, end, log } = await openLineLog(options, RELEASE_LOG);
  return new ReleaseLog(options, log, new ReleaseStates(lines), end);
}

/**
 * The writing side of `releases.ndjson`, under the writer lock; always synced. Calls that arrive during a write share the next one. Faults, all
 * retryable with nothing stored: `STORE_CLOSING`, `STORE_UNAVAILABLE`, `RECORD_MOVED`. `close` waits for running writes and is safe to call twice.
 */
export class ReleaseLog {
  readonly states: ReleaseStates;
  readonly #options: ReleaseLogOptions;
  readonly #tally = new SessionTally();
  #log: LineLog;
  #bytes: number;
  #compactAtBytes = LEAST_COMPACT_BYTES;
  #waiting: ReleaseLine[] = [];
  /** The write that has not begun. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(options: ReleaseLogOptions, log: LineLog, states: ReleaseStates, bytes: number) {
    this.#options = options;
    this.#log = log;
    this.states = states;
    this.#bytes = bytes;
  }

  /** Resolves when the change is durable. */
  record(change: ReleaseChange): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(storeClosing());
    // Tools name the release in each of their calls.
    const isKnown = typeof this.states.get(change.release)?.createdAt === 'string';
    if (change.kind === 'create' && isKnown && (change.url ?? null) === null) return Promise.resolve();
    this.#waiting.push(lineOf(change, this.#now()));
    return this.#written();
  }

  /** Resolves when the reports are counted durably. */
  count(reports: readonly SessionReport[]): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(storeClosing());
    for (const report of reports) this.#tally.add(report);
    return this.#written();
  }

  /** Removes the hours of sessions that ended before a time; resolves when the log does not hold them, or `onFault` says why it does. */
  async removeHours(beforeMs: number): Promise<void> {
    if (this.#closed !== undefined || !this.states.removeHours(beforeMs)) return;
    this.#compactAtBytes = 0;
    this.#last = this.#last.then(() => this.#compact());
    await this.#last;
  }

  close(): Promise<void> {
    this.#closed ??= this.#last.then(() => this.#log.close());
    return this.#closed;
  }

  #written(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.#write();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined).then(() => this.#compact());
    return next;
  }

  async #write(): Promise<void> {
    const changes = this.#waiting.splice(0);
    const { lines: counted, restore } = this.#tally.take();
    const at = this.#now();
    const lines: ReleaseLine[] = [
      ...changes,
      ...counted.map(({ release, line }) => ({ kind: 'sessions' as const, release, at, ...line })),
    ];
    const bytes = Buffer.from(lines.map(encode).join(''), 'utf8');
    try {
      await this.#log.append(bytes);
    } catch (error) {
      restore();
      throw error;
    }
    this.#bytes += bytes.length;
    for (const line of lines) this.states.apply(line);
  }

  /** Rewrites the log once it is twice as long as its shortest form. A failure leaves it as it is until it has doubled. */
  async #compact(): Promise<void> {
    if (this.#bytes < this.#compactAtBytes) return;
    const { files, directory, onFault } = this.#options;
    const path = join(directory, RELEASE_LOG.name);
    try {
      await this.#log.close();
      await writeFileDurably(files, path, encoded(this.states));
    } catch (error) {
      onFault?.(storeUnavailable(error));
    }
    // Either file is whole, also if the folder could not be synced.
    this.#bytes = (await files.stat(path).catch(() => undefined))?.bytes ?? this.#bytes;
    this.#compactAtBytes = Math.max(LEAST_COMPACT_BYTES, 2 * this.#bytes);
    this.#log = new LineLog(this.#options, RELEASE_LOG, this.#bytes);
  }

  #now(): string {
    return formatTimestamp({ ms: Math.floor(this.#options.nowMs()), nanos: 0 });
  }
}

function* encoded(states: ReleaseStates): Generator<Buffer> {
  for (const line of states.lines()) yield Buffer.from(encode(line), 'utf8');
}

function encode(line: ReleaseLine): string {
  return `${JSON.stringify(line)}\n`;
}

function lineOf({ release, ...change }: ReleaseChange, at: string): ReleaseLine {
  if (change.kind !== 'finalize') return { release, at, ...change };
  const { releasedAt = at, url } = change;
  return { release, at, kind: 'finalize', released_at: releasedAt, url };
}

/** Returns a reader of the releases of a folder that another process writes. */
export function followReleases(folder: LogFolder): () => Promise<ReleaseStates> {
  return followLog(folder, RELEASE_LOG, (lines) => new ReleaseStates(lines));
}
