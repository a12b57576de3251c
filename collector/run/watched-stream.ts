import { cutText } from '../../core/event/text.js';
import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import { LogLineSplitter } from '../receivers/file-log/log-line-splitter.js';
import { lastMeaningful } from './last-words.js';

/** Callbacks of a WatchedStream. */
export interface StreamListener {
  /** Called with each line before it is parsed. */
  onLine(line: string): void;
  onFailure(failure: TextFailure): void;
  /** Called when the stream is silent while a trace waits for more lines: call `flush`. */
  onSilence(): void;
}

/** Longer lines are cut. */
const MAX_LINE_BYTES = 1024 * 1024;
const SILENCE_MS = 500;
/** Lines that runtimes print after the trace that ends a program: Node its version, Ruby and Rust a hint, npm a summary. */
const LINES_AFTER_TRACE = 10;
/** Runtimes look up the names of a stack between the line that announces it and its frames. */
const SYMBOLIZING_MS = 10_000;
const ANNOUNCES = /:$|Sanitizer: |^(?:READ|WRITE) of size /;

/** Parses failures in the bytes of one stream. A trace that waits for more lines is complete after 500 ms of silence, or 10 s if frames are due. */
export class WatchedStream {
  readonly #failures: FailureLines;
  readonly #listener: StreamListener;
  readonly #lines = new LogLineSplitter(0, MAX_LINE_BYTES);
  readonly #lastLines = new LastLines();
  #lineCount = 0;
  /** Number of the line after the last trace or fatal line. */
  #traceEnd = Number.NEGATIVE_INFINITY;
  /** Number of the line after the last failure. */
  #failureEnd: number | undefined;
  #hasFailedTest = false;
  #silence: NodeJS.Timeout | undefined;

  constructor(failures: FailureLines, listener: StreamListener) {
    this.#failures = failures;
    this.#listener = listener;
  }

  get lastLines(): string[] {
    return this.#lastLines.list();
  }

  /** Whether a failure says why the program ended: a failed test, a trace near the end, or the last meaningful line. */
  get explainsEnd(): boolean {
    if (this.#hasFailedTest) return true;
    if (this.#failureEnd === undefined) return false;
    if (this.#lineCount - this.#traceEnd <= LINES_AFTER_TRACE) return true;
    const lines = this.lastLines;
    return this.#lineCount - lines.length + lastMeaningful(lines) < this.#failureEnd;
  }

  push(chunk: Buffer): void {
    clearTimeout(this.#silence);
    for (const { text } of this.#lines.push(chunk)) this.#parse(visibleText(text));
    if (this.#failures.waitingFrom === Number.POSITIVE_INFINITY) return;
    const silenceMs = ANNOUNCES.test(this.lastLines.at(-1)?.slice(-1_024) ?? '') ? SYMBOLIZING_MS : SILENCE_MS;
    this.#silence = setTimeout(() => this.#listener.onSilence(), silenceMs);
  }

  /** Completes a trace that waits for more lines. */
  flush(): void {
    this.#report(this.#failures.flush());
  }

  /** Call at the end of the stream; calls the listener for the last time. */
  end(): void {
    clearTimeout(this.#silence);
    const rest = this.#lines.rest();
    if (rest !== undefined) this.#parse(visibleText(rest.text));
    this.flush();
  }

  #parse(line: string): void {
    this.#listener.onLine(line);
    this.#lastLines.push(line);
    const from = this.#lineCount;
    this.#lineCount += 1;
    this.#report(this.#failures.push(line, { from, to: this.#lineCount }));
  }

  #report(failures: readonly TextFailure[]): void {
    for (const failure of failures) {
      const { stack, level } = failure.value;
      this.#hasFailedTest ||= failure.format === 'test';
      this.#failureEnd = failure.span.to;
      if (typeof stack === 'string' || level === 'fatal') this.#traceEnd = failure.span.to;
      this.#listener.onFailure(failure);
    }
  }
}

/** The text of a line with a progress bar that a terminal would show. */
function visibleText(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

const MAX_LINES = 50;
const MAX_LENGTH = 64 * 1024;
/** Longer lines are cut, so that one does not displace all others. */
const MAX_LINE_LENGTH = 8 * 1024;

/** The last lines of a program or a stream: at most 50 lines and 65,536 characters. */
export class LastLines {
  readonly #lines: string[] = [];
  #length = 0;

  push(line: string): void {
    const text = cutText(line, MAX_LINE_LENGTH);
    this.#lines.push(text);
    this.#length += text.length;
    while (this.#lines.length > MAX_LINES || this.#length > MAX_LENGTH)
      this.#length -= this.#lines.shift()?.length ?? 0;
  }

  list(): string[] {
    return [...this.#lines];
  }
}
