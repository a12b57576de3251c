import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import { StreamLines } from './stream-lines.js';

/** What is told of a stream. */
export interface StreamListener {
  /** Each line, before it is looked at. */
  onLine(line: string): void;
  onFailure(failure: TextFailure): void;
  /** The stream was silent while a failure waited: call `takeWaiting`. */
  onSilence(): void;
}

const DEFAULT_SILENCE_MS = 500;

/** Looks for failures in the bytes of one stream. A trace that waits for more lines is taken as whole after 500 ms of silence. */
export class WatchedStream {
  readonly #failures: FailureLines;
  readonly #listener: StreamListener;
  readonly #silenceMs: number;
  readonly #lines = new StreamLines((line) => this.#take(line));
  #lineCount = 0;
  #silence: NodeJS.Timeout | undefined;

  constructor(failures: FailureLines, listener: StreamListener, silenceMs = DEFAULT_SILENCE_MS) {
    this.#failures = failures;
    this.#listener = listener;
    this.#silenceMs = silenceMs;
  }

  /** Lines so far; the spans of failures count them from 0. */
  get lineCount(): number {
    return this.#lineCount;
  }

  push(chunk: Buffer): void {
    clearTimeout(this.#silence);
    this.#lines.push(chunk);
    if (this.#failures.waitingFrom === undefined) return;
    this.#silence = setTimeout(() => this.#listener.onSilence(), this.#silenceMs);
  }

  /** Takes what waits for more lines as whole. */
  takeWaiting(): void {
    this.#hand(this.#failures.flush());
  }

  /** The stream has ended; nothing is told afterwards. */
  end(): void {
    clearTimeout(this.#silence);
    this.#lines.end();
    this.#hand(this.#failures.flush());
  }

  #take(line: string): void {
    this.#listener.onLine(line);
    const from = this.#lineCount;
    this.#lineCount += 1;
    this.#hand(this.#failures.push(line, { from, to: this.#lineCount }));
  }

  #hand(found: readonly TextFailure[]): void {
    for (const failure of found) this.#listener.onFailure(failure);
  }
}
