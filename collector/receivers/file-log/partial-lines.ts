import type { LineSpan } from '../../log-parsing/text-failure.js';
import type { ContainerLine } from './container-format.js';
import { cutToBytes, type LogLine } from './log-line-splitter.js';

/** A line as a program wrote it. */
export interface SourceLine extends LogLine {
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

/** Parts of one line, a bound for empty ones. */
const MAX_PARTS = 10_000;

/** Joins the partial lines of each stream. A line is cut at the bound, and the parts after it are dropped. */
export function createPartialLines(maxLineBytes: number) {
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
