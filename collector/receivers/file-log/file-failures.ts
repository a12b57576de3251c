import type { FailureLines, TextFailure } from '../../log-parsing/text-failure.js';
import { createLineDecoder, type DecodeLine, type LogFormat } from './container-format.js';
import { cutToBytes, type LogLine } from './log-line-splitter.js';
import { PartialLines, type SourceLine } from './partial-lines.js';

/** A failure in a file, with what the container runtime recorded about its first line. */
export interface FileFailure extends Pick<SourceLine, 'time' | 'stream'> {
  readonly failure: TextFailure;
}

/** How failures are found in a file. */
export interface FileFailuresOptions {
  readonly createLines: () => FailureLines;
  readonly format: LogFormat;
  readonly maxLineBytes: number;
}

/** The lines of one stream. */
interface Stream {
  readonly name: SourceLine['stream'];
  readonly lines: FailureLines;
  /** Times of lines that may begin a failure, by their offsets. */
  readonly times: Map<number, string>;
  lastMs: number;
  /** Number of its last line, counted over all streams. */
  lastLine: number;
}

/** Lines of other streams after which a silent one ends its traces. */
const MAX_OTHER_LINES = 1_000;
/** UTF-16 units of failures that wait for earlier ones. */
const MAX_WAITING_LENGTH = 8 * 1_048_576;

/**
 * Finds the failures in the lines of one file. Streams of a container have traces of their own, but a failure waits for all that begins before its
 * end in any stream, so that a restart from `waitingFrom` finds no failure twice.
 */
export class FileFailures {
  readonly #options: FileFailuresOptions;
  readonly #decode: DecodeLine;
  readonly #partial: PartialLines;
  readonly #streams = new Map<SourceLine['stream'], Stream>();
  #ready: FileFailure[] = [];
  #readyLength = 0;
  #lineNumber = 0;

  constructor(options: FileFailuresOptions) {
    this.#options = options;
    this.#decode = createLineDecoder(options.format);
    this.#partial = new PartialLines(options.maxLineBytes);
  }

  /** Parses the next line of the file and returns the failures that are complete now; `nowMs` is monotonic. */
  push({ text, span }: LogLine, nowMs: number): readonly FileFailure[] {
    const decoded = this.#decode(text);
    if (decoded === undefined) {
      this.#parse({ text: cutToBytes(text, this.#options.maxLineBytes), span, stream: '' }, nowMs);
    } else {
      const line = this.#partial.push(decoded, span);
      if (line !== undefined) this.#parse(line, nowMs);
      else this.#touch(decoded.stream, nowMs);
    }
    if (this.#readyLength > MAX_WAITING_LENGTH) return this.flush();
    return this.#release();
  }

  /** Ends what is incomplete, only in streams without a line since `sinceMs` if given. */
  flush(sinceMs = Number.POSITIVE_INFINITY): readonly FileFailure[] {
    for (const stream of this.#streams.values()) if (stream.lastMs <= sinceMs) this.#end(stream);
    return this.#release();
  }

  /** Beginning of the first line that may belong to a failure not yet returned; infinite if nothing waits. */
  get waitingFrom(): number {
    return this.#ready.reduce((least, { failure }) => Math.min(least, failure.span.from), this.#openFrom());
  }

  /** Beginning of the first incomplete line or trace. */
  #openFrom(): number {
    let least = this.#partial.from;
    for (const { lines } of this.#streams.values()) least = Math.min(least, lines.waitingFrom);
    return least;
  }

  #parse(line: SourceLine, nowMs: number): void {
    this.#add(this.#touch(line.stream, nowMs), line);
  }

  /** Returns a stream that has a line now, and ends the others that have been silent for long. */
  #touch(name: SourceLine['stream'], nowMs: number): Stream {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = { name, lines: this.#options.createLines(), times: new Map(), lastMs: nowMs, lastLine: 0 };
      this.#streams.set(name, stream);
    }
    this.#lineNumber += 1;
    stream.lastMs = nowMs;
    stream.lastLine = this.#lineNumber;
    if (this.#streams.size === 1) return stream;
    for (const other of this.#streams.values())
      if (this.#lineNumber - other.lastLine === MAX_OTHER_LINES) this.#end(other);
    return stream;
  }

  #add(stream: Stream, { text, span, time }: SourceLine): void {
    if (time !== undefined) stream.times.set(span.from, time);
    this.#collect(stream, stream.lines.push(text, span));
    const neededFrom = stream.times.size === 0 ? 0 : stream.lines.waitingFrom;
    for (const from of stream.times.keys()) {
      if (from >= neededFrom) break;
      stream.times.delete(from);
    }
  }

  #end(stream: Stream): void {
    const rest = this.#partial.rest(stream.name);
    if (rest !== undefined) this.#add(stream, rest);
    this.#collect(stream, stream.lines.flush());
    stream.times.clear();
  }

  #collect({ name, times }: Stream, failures: readonly TextFailure[]): void {
    for (const failure of failures) {
      const time = times.get(failure.span.from);
      this.#ready.push({ failure, stream: name, ...(time !== undefined && { time }) });
      this.#readyLength += failure.text.length;
    }
  }

  #release(): readonly FileFailure[] {
    if (this.#ready.length === 0) return this.#ready;
    const openFrom = this.#openFrom();
    const released = this.#ready.filter(({ failure }) => failure.span.to <= openFrom);
    this.#ready = this.#ready.filter(({ failure }) => failure.span.to > openFrom);
    this.#readyLength = this.#ready.reduce((sum, { failure }) => sum + failure.text.length, 0);
    return released.sort((one, other) => one.failure.span.from - other.failure.span.from);
  }
}
