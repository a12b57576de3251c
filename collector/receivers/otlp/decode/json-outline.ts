import type { JsonValue } from '../../../../core/event/json.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../../core/event/json-bytes.js';
import { hasTooManyMembers } from '../../../../core/event/member-counter.js';
import { parseSentJson } from '../../../../core/event/sent-json.js';
import { protoName } from '../../../otlp/json-values.js';
import { otlpInvalid } from './decode-steps.js';

const COLON = 0x3a;

/** A list of records in the body. */
interface ListSpan {
  /** Behind the opening bracket. */
  readonly start: number;
  /** The position of the closing bracket. */
  readonly end: number;
}

/** A request in JSON whose records are parsed one at a time, because all of them at once take many times their bytes. */
export class JsonOutline {
  readonly #bytes: Buffer;
  readonly #maxRecordMembers: number;
  readonly #lists: ListSpan[] = [];
  readonly #pieces: Buffer[] = [];
  #at = 0;
  /** What is before is in `#pieces`. */
  #copied = 0;

  private constructor(bytes: Buffer, maxRecordMembers: number) {
    this.#bytes = bytes;
    this.#maxRecordMembers = maxRecordMembers;
  }

  /** Finds the records, and parses each of up to `maxRecordMembers` to check it; yields where the event loop may turn. Throws `OTLP_INVALID`. */
  static *read(bytes: Buffer, names: readonly string[], maxRecordMembers: number): Generator<undefined, JsonOutline> {
    const outline = new JsonOutline(bytes, maxRecordMembers);
    outline.#next();
    yield* outline.#passObject(names);
    outline.#pieces.push(bytes.subarray(outline.#copied));
    return outline;
  }

  /** Returns the request as JSON, in which each list of records contains only its number. */
  text(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Yields the records of a list of the outline; the bytes of a record instead if it has more members than the bound. */
  *recordsOf([number]: readonly JsonValue[]): Generator<JsonValue | Buffer> {
    const list = this.#lists[Number(number)];
    if (list === undefined) return;
    this.#at = list.start;
    while (this.#next() !== CLOSE_BRACKET) {
      const record = this.#record();
      yield hasTooManyMembers(record, this.#maxRecordMembers) ? record : parseRecord(record);
      if (this.#next() === COMMA) this.#at += 1;
    }
  }

  /** Passes an object in which the member of the first name leads to the records. The outline is parsed later, which finds what is malformed. */
  *#passObject([name = '', ...inner]: readonly string[]): Generator<undefined, void> {
    if (this.#bytes[this.#at] !== OPEN_BRACE) {
      this.#passValue();
      return;
    }
    const spellings = [name, protoName(name)];
    this.#at += 1;
    while (this.#next() !== CLOSE_BRACE) {
      const byte = this.#next();
      if (byte === COMMA || byte === COLON) this.#at += 1;
      else if (byte !== QUOTE || !spellings.includes(this.#string())) this.#passValue();
      else if (this.#afterColon() !== OPEN_BRACKET) this.#passValue();
      else if (inner.length > 0) yield* this.#passList(inner);
      else yield* this.#passRecords();
    }
    this.#at += 1;
  }

  *#passList(inner: readonly string[]): Generator<undefined, void> {
    this.#at += 1;
    while (this.#next() !== CLOSE_BRACKET) {
      if (this.#next() === COMMA) this.#at += 1;
      else yield* this.#passObject(inner);
      yield undefined;
    }
    this.#at += 1;
  }

  *#passRecords(): Generator<undefined, void> {
    this.#at += 1;
    const start = this.#at;
    while (this.#next() !== CLOSE_BRACKET) {
      const record = this.#record();
      if (!hasTooManyMembers(record, this.#maxRecordMembers)) parseRecord(record);
      yield undefined;
      if (this.#next() === CLOSE_BRACKET) break;
      if (this.#next() !== COMMA) throw malformed(`a record ends with neither a comma nor a bracket`, this.#at);
      this.#at += 1;
      if (this.#next() === CLOSE_BRACKET) throw malformed('a record is missing behind a comma', this.#at);
    }
    this.#pieces.push(this.#bytes.subarray(this.#copied, start), Buffer.from(String(this.#lists.length)));
    this.#lists.push({ start, end: this.#at });
    this.#copied = this.#at;
    this.#at += 1;
  }

  #record(): Buffer {
    const start = this.#at;
    this.#passValue();
    return this.#bytes.subarray(start, this.#at);
  }

  /** Returns the next byte that is not white space. Throws at the end of the body. */
  #next(): number {
    while (isJsonSpace(this.#bytes[this.#at])) this.#at += 1;
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed('it ends early', this.#at);
    return byte;
  }

  #afterColon(): number {
    if (this.#next() !== COLON) throw malformed('a key is not followed by a colon', this.#at);
    this.#at += 1;
    return this.#next();
  }

  /** Passes a string and returns it. */
  #string(): string {
    const start = this.#at;
    this.#passString();
    const text = this.#bytes.toString('utf8', start, this.#at);
    return text.includes('\\') ? String(parse(text)) : text.slice(1, -1);
  }

  #passString(): void {
    for (this.#at += 1; this.#bytes[this.#at] !== QUOTE; this.#at += 1) {
      if (this.#bytes[this.#at] === BACKSLASH) this.#at += 1;
      if (this.#at >= this.#bytes.length) throw malformed('it ends inside a string', this.#at);
    }
    this.#at += 1;
  }

  /** Passes at least one byte, of any value. */
  #passValue(): void {
    let depth = 0;
    do {
      const byte = this.#next();
      if (byte === QUOTE) {
        this.#passString();
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
      this.#at += 1;
      if (!isStructural(byte)) this.#passLiteral();
    } while (depth > 0);
  }

  #passLiteral(): void {
    for (let byte = this.#bytes[this.#at]; byte !== undefined; byte = this.#bytes[this.#at]) {
      if (isStructural(byte) || isJsonSpace(byte)) return;
      this.#at += 1;
    }
  }
}

function isStructural(byte: number): boolean {
  return (
    byte === COMMA ||
    byte === COLON ||
    byte === QUOTE ||
    byte === OPEN_BRACE ||
    byte === CLOSE_BRACE ||
    byte === OPEN_BRACKET ||
    byte === CLOSE_BRACKET
  );
}

function parseRecord(record: Buffer): JsonValue {
  return parse(record.toString());
}

function parse(text: string): JsonValue {
  try {
    return parseSentJson(text).value;
  } catch (error) {
    throw otlpInvalid('a record is not JSON', error);
  }
}

function malformed(what: string, at: number): Error {
  return otlpInvalid(`it is not JSON: ${what}, at byte ${at}`);
}
