import { StringDecoder } from 'node:string_decoder';
import type { LineSpan } from '../../log-parsing/text-failure.js';

/** One line of a file or stream, without its newline. */
export interface LogLine {
  readonly text: string;
  /** In bytes from the beginning of the file; also of what was cut off the text. */
  readonly span: LineSpan;
}

const NEWLINE = 0x0a;

/** Splits bytes into lines, cut at the bound. NUL bytes before a line are removed: a file that was emptied under its writer starts with a hole. */
export class LogLineSplitter {
  readonly #maxLineBytes: number;
  /** Offset of the current line. */
  from: number;
  /** Behind the last byte that was taken. */
  #at: number;
  /** The beginning of the running line. */
  #parts: Buffer[] = [];
  #keptBytes = 0;
  #isCut = false;

  constructor(from: number, maxLineBytes: number) {
    this.from = from;
    this.#at = from;
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this chunk, which may be reused afterwards; it is used up only when the iteration is. */
  *push(chunk: Buffer): Generator<LogLine> {
    const base = this.#at;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      start = end + 1;
      this.#at = base + start;
      yield this.#finish();
    }
    // The chunk's memory is the caller's again afterwards.
    this.#append(Buffer.from(chunk.subarray(start)));
    this.#at = base + chunk.length;
  }

  /** Returns the unfinished line and starts a new one; undefined if it is empty. */
  rest(): LogLine | undefined {
    return this.#at === this.from ? undefined : this.#finish();
  }

  #append(part: Buffer): void {
    const rest = this.#keptBytes === 0 ? withoutHole(part) : part;
    const kept = rest.subarray(0, this.#maxLineBytes - this.#keptBytes);
    if (kept.length < rest.length) this.#isCut = true;
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#keptBytes += kept.length;
  }

  #finish(): LogLine {
    const [only = Buffer.alloc(0)] = this.#parts;
    const bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only;
    const line = { text: decode(bytes, this.from === 0, this.#isCut), span: { from: this.from, to: this.#at } };
    this.#parts = [];
    this.#keptBytes = 0;
    this.#isCut = false;
    this.from = this.#at;
    return line;
  }
}

/** Returns the beginning of a text, at most this many bytes of UTF-8. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit has at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  return decode(Buffer.from(text.slice(0, maxBytes), 'utf8').subarray(0, maxBytes), false, true);
}

function withoutHole(part: Buffer): Buffer {
  let start = 0;
  while (start < part.length && part[start] === 0) start++;
  return part.subarray(start);
}

function decode(bytes: Buffer, isFirst: boolean, isCut: boolean): string {
  // The decoder keeps back a character that the cut went through.
  let text = isCut ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
  if (isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
  if (!isCut && text.endsWith('\r')) text = text.slice(0, -1);
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
