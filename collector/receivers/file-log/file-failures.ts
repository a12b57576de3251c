import type { FailureLines, LineSpan, TextFailure } from '../../log-parsing/text-failure.js';
import { type ContainerLine, createLineDecoder, type LogFormat } from './container-format.js';
import { cutToBytes, type LogLine } from './log-line-splitter.js';

/** A line as a program wrote it. */
interface SourceLine extends LogLine {
  /** Empty in a plain file. */
  readonly stream: ContainerLine['stream'] | '';
  /** When the container runtime read its beginning, RFC 3339; absent in a plain file. */
  readonly time?: string;
}

interface PartialLine {
  readonly time: string;
  readonly from: number;
  to: number;
  readonly parts: string[];
  bytes: number;
}

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
/** Parts of one line, a bound for empty ones. */
const MAX_PARTS = 10_000;
/** UTF-16 units of failures that wait for earlier ones. */
const MAX_WAITING_LENGTH = 8 * 1_048_576;

/** Finds the failures of one file; each waits for what begins before its end in any stream, so that a restart finds no failure twice. */
export class FileFailures {
  readonly #options: FileFailuresOptions;
  readonly #decode: (line: string) => ContainerLine | undefined;
  readonly #partial: PartialLines;
  readonly #streams = new Map<SourceLine['stream'], Stream>();
  /** Complete failures, some of which wait for earlier ones. */
  #ready: readonly FileFailure[] = [];
  /** UTF-16 units of their texts. */
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
    const line: SourceLine | undefined =
      decoded === undefined
        ? { text: cutToBytes(text, this.#options.maxLineBytes), span, stream: '' }
        : this.#partial.push(decoded, span);
    const stream = this.#touch(decoded?.stream ?? '', nowMs);
    if (line !== undefined) this.#add(stream, line);
    return this.#readyLength > MAX_WAITING_LENGTH ? this.flush() : this.#release();
  }

  /** Ends what is incomplete, only in streams without a line since `sinceMs` if given. */
  flush(sinceMs = Number.POSITIVE_INFINITY): readonly FileFailure[] {
    for (const stream of this.#streams.values()) if (stream.lastMs <= sinceMs) this.#end(stream);
    return this.#release();
  }

  /** Beginning of the first line that may belong to a failure not yet returned; infinite if nothing waits. */
  get waitingFrom(): number {
    return this.#ready.reduce((least, { failure }) => Math.min(least, failure.span.from), this.#openFrom);
  }

  /** Beginning of the first incomplete line or trace. */
  get #openFrom(): number {
    let least = this.#partial.from;
    for (const { lines } of this.#streams.values()) least = Math.min(least, lines.waitingFrom);
    return least;
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
    for (const other of this.#streams.values()) {
      if (this.#lineNumber - other.lastLine === MAX_OTHER_LINES) this.#end(other);
    }
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
    const rest = this.#partial.takeRest(stream.name);
    if (rest !== undefined) this.#add(stream, rest);
    this.#collect(stream, stream.lines.flush());
    stream.times.clear();
  }

  #collect({ name, times }: Stream, failures: readonly TextFailure[]): void {
    if (failures.length === 0) return;
    const found = failures.map((failure) => {
      const time = times.get(failure.span.from);
      return { failure, stream: name, ...(time !== undefined && { time }) };
    });
    this.#ready = [...this.#ready, ...found];
    this.#readyLength += lengthOf(found);
  }

  /** Returns the failures that no earlier one can follow any more. */
  #release(): readonly FileFailure[] {
    if (this.#ready.length === 0) return [];
    const from = this.#openFrom;
    const released = this.#ready.filter(({ failure }) => failure.span.to <= from);
    this.#ready = this.#ready.filter(({ failure }) => failure.span.to > from);
    this.#readyLength = lengthOf(this.#ready);
    return released.sort((one, other) => one.failure.span.from - other.failure.span.from);
  }
}

function lengthOf(failures: readonly FileFailure[]): number {
  return failures.reduce((sum, { failure }) => sum + failure.text.length, 0);
}

/** Joins the partial lines of each stream. A line is cut at the bound, and the parts after it are dropped. */
class PartialLines {
  readonly #maxLineBytes: number;
  /** `cut`: the rest of the line is dropped. */
  readonly #open = new Map<ContainerLine['stream'], PartialLine | 'cut'>();

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Beginning of the first line that waits for a part; infinite if none does. */
  get from(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const line of this.#open.values()) if (line !== 'cut') least = Math.min(least, line.from);
    return least;
  }

  /** Returns the line that this part completes or that reached the bound. */
  push(part: ContainerLine, span: LineSpan): SourceLine | undefined {
    const { stream, time, text, isPartial } = part;
    const begun = this.#open.get(stream);
    if (begun === 'cut') {
      if (!isPartial) this.#open.delete(stream);
      return undefined;
    }
    if (begun === undefined && !isPartial) return { stream, time, text: cutToBytes(text, this.#maxLineBytes), span };
    const line = begun ?? { time, from: span.from, to: span.to, parts: [], bytes: 0 };
    line.parts.push(text);
    line.bytes += Buffer.byteLength(text);
    line.to = span.to;
    return isPartial ? this.#continue(stream, line) : this.#finish(stream, line);
  }

  /** Returns the incomplete line of a stream and drops what it waits for. */
  takeRest(stream: SourceLine['stream']): SourceLine | undefined {
    if (stream === '') return undefined;
    const line = this.#open.get(stream);
    return line === undefined || line === 'cut' ? undefined : this.#finish(stream, line);
  }

  /** Waits for the next part, unless the line reached the bound. */
  #continue(stream: ContainerLine['stream'], line: PartialLine): SourceLine | undefined {
    const isFull = line.bytes >= this.#maxLineBytes || line.parts.length >= MAX_PARTS;
    this.#open.set(stream, isFull ? 'cut' : line);
    return isFull ? this.#join(stream, line) : undefined;
  }

  #finish(stream: ContainerLine['stream'], line: PartialLine): SourceLine {
    this.#open.delete(stream);
    return this.#join(stream, line);
  }

  #join(stream: ContainerLine['stream'], { time, from, to, parts }: PartialLine): SourceLine {
    return { stream, time, text: cutToBytes(parts.join(''), this.#maxLineBytes), span: { from, to } };
  }
}
