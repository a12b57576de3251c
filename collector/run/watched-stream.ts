import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import { StreamLines } from './stream-lines.js';

/** Callbacks of a WatchedStream. */
export interface StreamListener {
  /** Called with each line before it is parsed. */
  onLine(line: string): void;
  onFailure(failure: TextFailure): void;
  /** Called when the stream is silent while a trace waits for more lines: call `flush`. */
  onSilence(): void;
}

const SILENCE_MS = 500;

/** Parses failures in the bytes of one stream. A trace that waits for more lines is complete after 500 ms of silence. */
export class WatchedStream {
  readonly #failures: FailureLines;
  readonly #listener: StreamListener;
  readonly #lines = new StreamLines((line) => this.#parse(line));
  #lineCount = 0;
  #silence: NodeJS.Timeout | undefined;

  constructor(failures: FailureLines, listener: StreamListener) {
    this.#failures = failures;
    this.#listener = listener;
  }

  /** Number of lines so far. */
  get lineCount(): number {
    return this.#lineCount;
  }

  push(chunk: Buffer): void {
    clearTimeout(this.#silence);
    this.#lines.push(chunk);
    if (this.#failures.waitingFrom === undefined) return;
    this.#silence = setTimeout(() => this.#listener.onSilence(), SILENCE_MS);
  }

  /** Completes a trace that waits for more lines. */
  flush(): void {
    this.#report(this.#failures.flush());
  }

  /** Call at the end of the stream; calls the listener for the last time. */
  end(): void {
    clearTimeout(this.#silence);
    this.#lines.end();
    this.flush();
  }

  #parse(line: string): void {
    this.#listener.onLine(line);
    const from = this.#lineCount;
    this.#lineCount += 1;
    this.#report(this.#failures.push(line, { from, to: this.#lineCount }));
  }

  #report(failures: readonly TextFailure[]): void {
    for (const failure of failures) this.#listener.onFailure(failure);
  }
}
