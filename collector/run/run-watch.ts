import type { JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import { type EndReasons, exitEvent, isFailedEnd } from './exit-event.js';
import type { ExitStatus } from './exit-status.js';
import { failureEvent } from './failure-event.js';
import type { RunSource, StreamName } from './run-source.js';
import { WatchedStream } from './watched-stream.js';

/** Options of a RunWatch. */
export interface RunWatchOptions {
  readonly source: RunSource;
  createFailureLines(): FailureLines;
  /** Called with each event, in the order of the failures. */
  onEvent(payload: JsonObject): void;
  /** Called once if the search for failures throws; the watch then ignores all output. */
  onError(error: unknown): void;
  now(): Date;
}

/** A failure that may be the one that ends the program. */
interface PendingFailure {
  readonly failure: TextFailure;
  readonly stream: StreamName;
  readonly foundAt: string;
}

/** Lines that runtimes print after the trace that ends a program: Node its version, Ruby and Rust a hint, npm a summary. */
const LINES_AFTER_TRACE = 10;
const PENDING_MS = 500;

const MAX_LINES = 50;
const MAX_LENGTH = 64 * 1024;
/** Longer lines are cut, so that one does not displace all others. */
const MAX_LINE_LENGTH = 8 * 1024;

/**
 * Creates the events of one run from the output and the end of its program. A failure is pending for 500 ms: if the program ends meanwhile, the event
 * gets the exit status. The end is not an event of its own if a trace or a fatal line ended within the last 10 lines of a stream.
 */
export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #streams = new Map<StreamName, WatchedStream>();
  readonly #lastLines = new LastLines();
  /** Number of the line after the last trace or fatal line of each stream. */
  readonly #traceEnds = new Map<StreamName, number>();
  #pending: PendingFailure | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pid = 0;
  #hasFailed = false;

  constructor(options: RunWatchOptions) {
    this.#options = options;
  }

  started(pid: number): void {
    this.#pid = pid;
  }

  output(stream: StreamName, chunk: Buffer): void {
    this.#guard(() => this.#streamOf(stream).push(chunk));
  }

  /** Call after the program has ended and all output was passed to `output`. */
  ended(status: ExitStatus, reasons: EndReasons): void {
    this.#guard(() => this.#end(status, reasons));
  }

  /** An error of the watch must not affect the program. */
  #guard(work: () => void): void {
    if (this.#hasFailed) return;
    try {
      work();
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onError(error);
    }
  }

  #end(status: ExitStatus, reasons: EndReasons): void {
    for (const stream of this.#streams.values()) stream.end();
    const isFailed = isFailedEnd(status, reasons);
    const isExplained = [...this.#traceEnds].some(
      ([name, end]) => this.#streamOf(name).lineCount - end <= LINES_AFTER_TRACE,
    );
    this.#emitPending(isFailed && isExplained ? status : undefined);
    if (!isFailed || isExplained) return;
    const end = { status, pid: this.#pid, endedAt: this.#now(), lastLines: this.#lastLines.list() };
    this.#options.onEvent(exitEvent(end, this.#options.source));
  }

  #streamOf(name: StreamName): WatchedStream {
    const existing = this.#streams.get(name);
    if (existing !== undefined) return existing;
    const stream: WatchedStream = new WatchedStream(this.#options.createFailureLines(), {
      onLine: (line) => this.#lastLines.push(line),
      onFailure: (failure) => this.#hold(failure, name),
      onSilence: () => this.#guard(() => stream.flush()),
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #hold(failure: TextFailure, stream: StreamName): void {
    this.#emitPending(undefined);
    const { stack, level } = failure.value;
    if (typeof stack === 'string' || level === 'fatal') this.#traceEnds.set(stream, failure.span.to);
    this.#pending = { failure, stream, foundAt: this.#now() };
    this.#timer = setTimeout(() => this.#guard(() => this.#emitPending(undefined)), PENDING_MS);
  }

  #emitPending(exitStatus: ExitStatus | undefined): void {
    clearTimeout(this.#timer);
    if (this.#pending === undefined) return;
    const { failure, stream, foundAt } = this.#pending;
    this.#pending = undefined;
    this.#options.onEvent(failureEvent(failure, this.#options.source, { stream, pid: this.#pid, foundAt, exitStatus }));
  }

  #now(): string {
    return this.#options.now().toISOString();
  }
}

/** The last lines of all streams: at most 50 lines and 65,536 characters. */
class LastLines {
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
