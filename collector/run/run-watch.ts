import type { JsonObject } from '../../core/event/json.js';
import { parseStack } from '../../core/fingerprint/stack/read-stack.js';
import type { FailureLines, TextFailure } from '../log-parsing/text-failure.js';
import type { ExitStatus } from './child.js';
import { type EndReasons, exitEvent, isFailedEnd } from './exit-event.js';
import { failureEvent } from './failure-event.js';
import { lastWordsOf } from './last-words.js';
import type { RunSource, StreamName } from './run-source.js';
import { LastLines, WatchedStream } from './watched-stream.js';

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

interface PendingFailure {
  readonly failure: TextFailure;
  readonly stream: StreamName;
  readonly foundAt: string;
}

const PENDING_MS = 500;

/** Creates the events of one run: a failure gets the exit status if the program ends within 500 ms; an end that none explains is an event itself. */
export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #streams = new Map<StreamName, WatchedStream>();
  readonly #lastLines = new LastLines();
  #pending: PendingFailure | undefined;
  /** The failure before the pending one, which may report it again. */
  #reported: PendingFailure | undefined;
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
    const isExplained = [...this.#streams.values()].some((stream) => stream.explainsEnd);
    this.#emitPending(isFailed && isExplained ? status : undefined);
    if (!isFailed || isExplained) return;
    const { stream, words } = this.#lastWords(status);
    const endedAt = this.#now();
    if (typeof words === 'object') {
      const context = { stream, pid: this.#pid, foundAt: endedAt, exitStatus: status };
      this.#options.onEvent(failureEvent(words, this.#options.source, context));
      return;
    }
    const end = { status, pid: this.#pid, endedAt, lastLines: this.#lastLines.list(), lastWords: words };
    this.#options.onEvent(exitEvent(end, this.#options.source));
  }

  /** What the program said last; programs fail on standard error, and one that another process killed did not know why. */
  #lastWords(status: ExitStatus): { stream: StreamName; words: TextFailure | string | undefined } {
    const isAborted = status.kind === 'killed' && status.signal === 'SIGABRT';
    const all: readonly StreamName[] = isAborted ? ['stderr', 'terminal'] : ['stderr', 'terminal', 'stdout'];
    for (const stream of isAborted || status.kind === 'exited' ? all : []) {
      const words = lastWordsOf(this.#streams.get(stream)?.lastLines ?? []);
      if (words !== undefined) return { stream, words };
    }
    return { stream: 'stderr', words: undefined };
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
    if (this.#pending !== undefined && isSameFailure(this.#pending, failure, stream)) {
      const isBetter = typeof this.#pending.failure.value['stack'] !== 'string' || failure.format === 'sanitizer';
      if (isBetter) this.#pending = { ...this.#pending, failure };
      return;
    }
    if (this.#pending === undefined || this.#reported !== undefined || !isSecondReport(this.#pending.failure, failure))
      this.#emitPending(undefined);
    this.#reported = this.#pending;
    clearTimeout(this.#timer);
    this.#pending = { failure, stream, foundAt: this.#now() };
    this.#timer = setTimeout(() => this.#guard(() => this.#emitPending(undefined)), PENDING_MS);
  }

  #emitPending(exitStatus: ExitStatus | undefined): void {
    clearTimeout(this.#timer);
    const reports = [this.#reported, this.#pending].filter((report) => report !== undefined);
    this.#reported = undefined;
    this.#pending = undefined;
    // A program that died has one failure: what reported it first.
    const emitted = exitStatus === undefined ? reports : reports.slice(0, 1);
    for (const { failure, stream, foundAt } of emitted) {
      const context = { stream, foundAt, pid: this.#pid, exitStatus };
      this.#options.onEvent(failureEvent(failure, this.#options.source, context));
    }
  }

  #now(): string {
    return this.#options.now().toISOString();
  }
}

/** Panics that only pass on the one before: of a thread that is joined, and of a destructor. */
const PASSED_ON = /: Any \{ \.\. \}$|^panic in a destructor during cleanup$/;
/** The place in a report of UBSan, which another sanitizer then reports with a stack. */
const PLACE = /([^\s/]{1,256}:\d{1,9}:)\d{1,9}: runtime error: /;

/** Whether a failure repeats the one just before: a logger reports what the runtime then prints, on this stream or another. */
function isSameFailure(pending: PendingFailure, { value, format }: TextFailure, stream: StreamName): boolean {
  const before = pending.failure;
  const [earlier = '', message = ''] = [before.value['message'], value['message']].map(String);
  if (before.format === format && format === 'rust' && PASSED_ON.test(message)) return true;
  if (before.format === format && format === 'sanitizer') {
    const place = PLACE.exec(String(before.value['stack']))?.[1];
    return place !== undefined && String(value['stack']).replaceAll('\n', ':').includes(place);
  }
  const isEqual = earlier === message;
  if (message === '' || !(isEqual || earlier.startsWith(`${message}: `))) return false;
  if (isEqual && pending.stream !== stream && before.value['error_name'] === value['error_name']) return true;
  const isLogged = before.format === 'json' || before.format === 'log';
  return isLogged && before.value['level'] !== 'error' && format !== 'json' && format !== 'log';
}

const WITHOUT_NAMES = { errorName: '', message: '', structured: null, effects: null };

/** Whether the second report is of the same failure: its text has the first message, and the calls are equal. Threads, processes and loggers report before a program dies. */
function isSecondReport({ value }: TextFailure, second: TextFailure): boolean {
  const [message = ''] = String(value['message']).split('\n', 1);
  const [calls, secondCalls] = [value, second.value].map(({ stack }) =>
    typeof stack === 'string' ? (parseStack({ ...WITHOUT_NAMES, stack }).frames?.keys.join('\n') ?? message) : '',
  );
  return calls !== '' && calls === secondCalls && second.text.includes(message);
}
