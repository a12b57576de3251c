import { StringDecoder } from 'node:string_decoder';
import type { LineSpan } from '../../log-parsing/text-failure.js';

/** One line of a file, without its newline. */
export interface FileLine {
  readonly text: string;
  /** In bytes from the beginning of the file; also of what was cut off the text. */
  readonly span: LineSpan;
}

const NEWLINE = 0x0a;

/**
 * Splits the bytes of a file into lines as they are read. Ends of lines are LF or CR LF; bytes that are no UTF-8 become U+FFFD. A line over the bound
 * is cut there. NUL bytes before a line are left out (a file that was emptied under a program that does not append begins with a hole), others become U+FFFD.
 */
export class FileLines {
  readonly #maxLineBytes: number;
  /** Where the running line begins. */
  #from: number;
  /** Behind the last byte that was taken. */
  #at: number;
  /** The beginning of the running line. */
  #parts: Buffer[] = [];
  #keptBytes = 0;
  #isCut = false;

  constructor(from: number, maxLineBytes: number) {
    this.#from = from;
    this.#at = from;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Where the line begins that is not answered yet. */
  get from(): number {
    return this.#from;
  }

  /** The lines that end in this chunk, which may be reused afterwards; it is used up only when the iteration is. */
  *push(chunk: Buffer): Generator<FileLine> {
    const base = this.#at;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      this.#at = base + start;
      yield this.#finish();
    }
    // The chunk's memory is the caller's again afterwards.
    this.#keep(Buffer.from(chunk.subarray(start)));
    this.#at = base + chunk.length;
  }

  /** The running line as far as it was written, as a line; what is written later is a line of its own. Undefined when there is none. */
  rest(): FileLine | undefined {
    return this.#at === this.#from ? undefined : this.#finish();
  }

  #keep(part: Buffer): void {
    const rest = this.#keptBytes === 0 ? withoutHole(part) : part;
    const kept = rest.subarray(0, this.#maxLineBytes - this.#keptBytes);
    if (kept.length < rest.length) this.#isCut = true;
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#keptBytes += kept.length;
  }

  #finish(): FileLine {
    const [only = Buffer.alloc(0)] = this.#parts;
    const bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only;
    const line = { text: decode(bytes, this.#from === 0, this.#isCut), span: { from: this.#from, to: this.#at } };
    this.#parts = [];
    this.#keptBytes = 0;
    this.#isCut = false;
    this.#from = this.#at;
    return line;
  }
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
