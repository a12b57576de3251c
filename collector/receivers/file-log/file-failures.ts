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
export type FileFailures = ReturnType<typeof createFileFailures>;

/** Begins to find the failures of one file. */
export function createFileFailures({ createLines, format, maxLineBytes }: FileFailuresOptions) {
  const decode = createLineDecoder(format);
  const partial = createPartialLines(maxLineBytes);
  const streams = new Map<SourceLine['stream'], Stream>();
  let ready: FileFailure[] = [];
  let readyLength = 0;
  let lineNumber = 0;

  /** Beginning of the first incomplete line or trace. */
  function openFrom(): number {
    let least = partial.from;
    for (const { lines } of streams.values()) least = Math.min(least, lines.waitingFrom);
    return least;
  }

  /** Returns a stream that has a line now, and ends the others that have been silent for long. */
  function touch(name: SourceLine['stream'], nowMs: number): Stream {
    let stream = streams.get(name);
    if (stream === undefined) {
      stream = { name, lines: createLines(), times: new Map(), lastMs: nowMs, lastLine: 0 };
      streams.set(name, stream);
    }
    lineNumber += 1;
    stream.lastMs = nowMs;
    stream.lastLine = lineNumber;
    if (streams.size === 1) return stream;
    for (const other of streams.values()) if (lineNumber - other.lastLine === MAX_OTHER_LINES) end(other);
    return stream;
  }

  function add(stream: Stream, { text, span, time }: SourceLine): void {
    if (time !== undefined) stream.times.set(span.from, time);
    collect(stream, stream.lines.push(text, span));
    const neededFrom = stream.times.size === 0 ? 0 : stream.lines.waitingFrom;
    for (const from of stream.times.keys()) {
      if (from >= neededFrom) break;
      stream.times.delete(from);
    }
  }

  function end(stream: Stream): void {
    const rest = partial.rest(stream.name);
    if (rest !== undefined) add(stream, rest);
    collect(stream, stream.lines.flush());
    stream.times.clear();
  }

  function collect({ name, times }: Stream, failures: readonly TextFailure[]): void {
    for (const failure of failures) {
      const time = times.get(failure.span.from);
      ready.push({ failure, stream: name, ...(time !== undefined && { time }) });
      readyLength += failure.text.length;
    }
  }

  function release(): readonly FileFailure[] {
    if (ready.length === 0) return ready;
    const from = openFrom();
    const released = ready.filter(({ failure }) => failure.span.to <= from);
    ready = ready.filter(({ failure }) => failure.span.to > from);
    readyLength = ready.reduce((sum, { failure }) => sum + failure.text.length, 0);
    return released.sort((one, other) => one.failure.span.from - other.failure.span.from);
  }

  /** Ends what is incomplete, only in streams without a line since `sinceMs` if given. */
  function flush(sinceMs = Number.POSITIVE_INFINITY): readonly FileFailure[] {
    for (const stream of streams.values()) if (stream.lastMs <= sinceMs) end(stream);
    return release();
  }

  return {
    flush,

    /** Parses the next line of the file and returns the failures that are complete now; `nowMs` is monotonic. */
    push({ text, span }: LogLine, nowMs: number): readonly FileFailure[] {
      const decoded = decode(text);
      const line: SourceLine | undefined =
        decoded === undefined
          ? { text: cutToBytes(text, maxLineBytes), span, stream: '' }
          : partial.push(decoded, span);
      const stream = touch(decoded?.stream ?? '', nowMs);
      if (line !== undefined) add(stream, line);
      return readyLength > MAX_WAITING_LENGTH ? flush() : release();
    },

    /** Beginning of the first line that may belong to a failure not yet returned; infinite if nothing waits. */
    get waitingFrom(): number {
      return ready.reduce((least, { failure }) => Math.min(least, failure.span.from), openFrom());
    },
  };
}

/** Joins the partial lines of each stream. A line is cut at the bound, and the parts after it are dropped. */
function createPartialLines(maxLineBytes: number) {
  /** `cut`: the rest of the line is dropped. */
  const open = new Map<ContainerLine['stream'], PartialLine | 'cut'>();
  const join = (stream: ContainerLine['stream'], { time, from, to, parts }: PartialLine): SourceLine => {
    return { stream, time, text: cutToBytes(parts.join(''), maxLineBytes), span: { from, to } };
  };
  return {
    /** Beginning of the first line that waits for a part. */
    get from(): number {
      let least = Number.POSITIVE_INFINITY;
      for (const line of open.values()) if (line !== 'cut') least = Math.min(least, line.from);
      return least;
    },

    /** Returns the line that this part completes or that reached the bound. */
    push({ stream, time, text, isPartial }: ContainerLine, span: LineSpan): SourceLine | undefined {
      const begun = open.get(stream);
      if (begun === 'cut') {
        if (!isPartial) open.delete(stream);
        return undefined;
      }
      if (begun === undefined && !isPartial) return { stream, time, text: cutToBytes(text, maxLineBytes), span };
      const line = begun ?? { time, from: span.from, to: span.to, parts: [], bytes: 0 };
      line.parts.push(text);
      line.bytes += Buffer.byteLength(text);
      line.to = span.to;
      const isFull = line.bytes >= maxLineBytes || line.parts.length >= MAX_PARTS;
      if (isPartial) open.set(stream, isFull ? 'cut' : line);
      else open.delete(stream);
      return isPartial && !isFull ? undefined : join(stream, line);
    },

    /** Returns the incomplete line of a stream and drops what it waits for. */
    rest(stream: SourceLine['stream']): SourceLine | undefined {
      const line = stream === '' ? undefined : open.get(stream);
      if (stream === '' || line === undefined || line === 'cut') return undefined;
      open.delete(stream);
      return join(stream, line);
    },
  };
}
