import type { JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import { type EndReasons, exitEvent, isFailedEnd } from './exit-event.js';
import type { ExitStatus } from './exit-status.js';
import { failureEvent } from './failure-event.js';
import type { RunSource, StreamName } from './run-source.js';
import { WatchedStream } from './watched-stream.js';

/** What a watch is built from. */
export interface RunWatchOptions {
  readonly source: RunSource;
  createFailureLines(): FailureLines;
  /** Takes each event, in the order in which failures were found. */
  onEvent(payload: JsonObject): void;
  /** Looking at the output failed; the watch takes and tells nothing any more. */
  onBroken(error: unknown): void;
  now(): Date;
}

/** A failure with a trace that may be the one that ends the program. */
interface HeldFailure {
  readonly failure: TextFailure;
  readonly stream: StreamName;
  readonly foundAt: string;
}

/** What a program prints behind the trace that ends it: Node its version, Ruby and Rust a hint, npm some lines. */
const LINES_AFTER_TRACE = 10;
const HOLD_MS = 500;

const MAX_LINES = 50;
const MAX_LENGTH = 64 * 1024;
/** Of one line its end is cut, so that it does not push out all others. */
const MAX_LINE_LENGTH = 8 * 1024;

/**
 * Makes the events of one run out of what its program prints and of how it ends. A failure with a trace is held for 500 ms: when the program ends
 * meanwhile, the failure says how. A program whose last 10 lines of a stream hold the end of a trace or a fatal line makes no event of its end.
 */
export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #streams = new Map<StreamName, WatchedStream>();
  readonly #lastLines = new LastLines();
  readonly #lastEnds = new Map<StreamName, number>();
  #held: HeldFailure | undefined;
  #hold: NodeJS.Timeout | undefined;
  #pid = 0;
  #isBroken = false;

  constructor(options: RunWatchOptions) {
    this.#options = options;
  }

  started(pid: number): void {
    this.#pid = pid;
  }

  output(stream: StreamName, chunk: Buffer): void {
    this.#guard(() => this.#streamOf(stream).push(chunk));
  }

  /** The program has ended and all of its output was seen. */
  ended(status: ExitStatus, reasons: EndReasons): void {
    this.#guard(() => this.#end(status, reasons));
  }

  /** A fault of ours must not become one of the program that we run. */
  #guard(work: () => void): void {
    if (this.#isBroken) return;
    try {
      work();
    } catch (error) {
      this.#isBroken = true;
      this.#options.onBroken(error);
    }
  }

  #end(status: ExitStatus, reasons: EndReasons): void {
    for (const stream of this.#streams.values()) stream.end();
    const isFailed = isFailedEnd(status, reasons);
    const isExplained = [...this.#lastEnds].some(
      ([name, end]) => this.#streamOf(name).lineCount - end <= LINES_AFTER_TRACE,
    );
    this.#release(isFailed && isExplained ? status : undefined);
    if (!isFailed || isExplained) return;
    const end = { status, pid: this.#pid, endedAt: this.#now(), lastLines: this.#lastLines.list() };
    this.#options.onEvent(exitEvent(end, this.#options.source));
  }

  #streamOf(name: StreamName): WatchedStream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const stream: WatchedStream = new WatchedStream(this.#options.createFailureLines(), {
      onLine: (line) => this.#lastLines.push(line),
      onFailure: (failure) => this.#found(failure, name),
      onSilence: () => this.#guard(() => stream.takeWaiting()),
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #found(failure: TextFailure, stream: StreamName): void {
    this.#release(undefined);
    const { stack, level } = failure.value;
    if (typeof stack === 'string' || level === 'fatal') this.#lastEnds.set(stream, failure.span.to);
    this.#held = { failure, stream, foundAt: this.#now() };
    this.#hold = setTimeout(() => this.#guard(() => this.#release(undefined)), HOLD_MS);
  }

  #release(ended: ExitStatus | undefined): void {
    clearTimeout(this.#hold);
    if (this.#held === undefined) return;
    const { failure, stream, foundAt } = this.#held;
    this.#held = undefined;
    this.#options.onEvent(failureEvent(failure, this.#options.source, { stream, pid: this.#pid, foundAt, ended }));
  }

  #now(): string {
    return this.#options.now().toISOString();
  }
}

/** The last lines that a program printed, over all its streams: at most 50, together at most 65,536 characters. */
class LastLines {
  readonly #lines: string[] = [];
  #length = 0;

  push(line: string): void {
    const kept = cutText(line, MAX_LINE_LENGTH);
    this.#lines.push(kept);
    this.#length += kept.length;
    while (this.#lines.length > MAX_LINES || this.#length > MAX_LENGTH)
      this.#length -= this.#lines.shift()?.length ?? 0;
  }

  list(): string[] {
    return [...this.#lines];
  }
}
