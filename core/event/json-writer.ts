import type { JsonValue } from './json.js';

/** Lines share buffers of this size, because V8 collects garbage for each one that is allocated. */
const SLAB_BYTES = 256 * 1024;
/** Longer strings are copied in words; above the size of the scratch buffer they are left to `JSON.stringify`. */
const SHORT_TEXT = 64;
const SCRATCH_BYTES = 64 * 1024;
/** An escape such as `\u0000`. */
const MAX_BYTES_OF_UNIT = 6;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** 1 for the ASCII characters that JSON does not escape. */
const IS_PLAIN = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit < 0x20 || unit === QUOTE || unit === BACKSLASH ? 0 : 1,
);

/** Writes small JSON values as `JSON.stringify` does, as bytes and without strings in between, which would be most of a busy collector's garbage. */
export class JsonWriter {
  #slab = Buffer.alloc(0);
  #view = new DataView(this.#slab.buffer);
  #at = 0;
  #start = 0;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  readonly #words = new DataView(this.#scratch.buffer);

  /** Returns the bytes of a value, which do not change afterwards. Values are walked by recursion, so their depth must be bounded. */
  write(value: JsonValue): Buffer {
    this.#start = this.#at;
    this.#value(value);
    return this.#slab.subarray(this.#start, this.#at);
  }

  #value(value: JsonValue): void {
    if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#ascii(Number.isFinite(value) ? String(value) : 'null');
    else if (typeof value !== 'object' || value === null) this.#ascii(String(value));
    else if (Array.isArray(value)) {
      let separator = OPEN_BRACKET;
      for (const item of value) {
        this.#byte(separator);
        separator = COMMA;
        this.#value(item);
      }
      if (separator === OPEN_BRACKET) this.#byte(OPEN_BRACKET);
      this.#byte(CLOSE_BRACKET);
    } else {
      let separator = OPEN_BRACE;
      for (const key in value) {
        const member = value[key];
        if (member === undefined) continue;
        this.#byte(separator);
        separator = COMMA;
        this.#text(key);
        this.#byte(COLON);
        this.#value(member);
      }
      if (separator === OPEN_BRACE) this.#byte(OPEN_BRACE);
      this.#byte(CLOSE_BRACE);
    }
  }

  #text(text: string): void {
    this.#reserve(text.length * MAX_BYTES_OF_UNIT + 2);
    const end = text.length <= SHORT_TEXT ? this.#short(text) : this.#long(text);
    if (end === undefined) {
      this.#at += this.#slab.write(JSON.stringify(text), this.#at, 'utf8');
      return;
    }
    this.#slab[this.#at] = QUOTE;
    this.#slab[end] = QUOTE;
    this.#at = end + 1;
  }

  /** Writes a text behind the place of its quote and returns the end; undefined if it needs escapes. */
  #short(text: string): number | undefined {
    const slab = this.#slab;
    let to = this.#at + 1;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (IS_PLAIN[unit] !== 1) return undefined;
      slab[to++] = unit;
    }
    return to;
  }

  /** As `#short`, but newlines are escaped: stacks have no other escapes. */
  #long(text: string): number | undefined {
    const { length } = text;
    // Only ASCII has as many bytes.
    if (this.#scratch.write(text, 'utf8') !== length) return undefined;
    const scratch = this.#scratch;
    const words = this.#words;
    const view = this.#view;
    let to = this.#at + 1;
    let at = 0;
    while (at < length) {
      for (; at + 4 <= length; at += 4) {
        const word = words.getInt32(at, true);
        // The highest bit of each byte that is a control character, a quote or a backslash.
        const escapes = (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101);
        if ((escapes & 0x80808080) !== 0) break;
        view.setInt32(to, word, true);
        to += 4;
      }
      for (const end = Math.min(length, at + 4); at < end; at++) {
        const unit = scratch[at] ?? 0;
        if (unit === NEWLINE) {
          view.setUint8(to++, BACKSLASH);
          view.setUint8(to++, LETTER_N);
        } else if (IS_PLAIN[unit] === 1) view.setUint8(to++, unit);
        else return undefined;
      }
    }
    return to;
  }

  #ascii(text: string): void {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) this.#slab[this.#at++] = text.charCodeAt(at);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#slab[this.#at++] = byte;
  }

  /** Moves the beginning of a value to another buffer if it does not fit. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return;
    const written = this.#slab.subarray(this.#start, this.#at);
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (written.length + bytes)));
    this.#view = new DataView(this.#slab.buffer);
    this.#slab.set(written);
    this.#start = 0;
    this.#at = written.length;
  }
}
