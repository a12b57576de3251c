import type { JsonValue } from '../../../core/event/json.js';
import { withoutByteOrderMark } from '../events/byte-order-mark.js';
import { readJsonError } from '../events/json-fault.js';
import { MAX_HEAD_BYTES } from './decode-limits.js';
import { JsonCursor, type WalkSteps } from './json-cursor.js';
import type { JsonNames } from './json-names.js';
import { groupsOf } from './json-scopes.js';
import { otlpInvalid } from './otlp-invalid.js';

/** Lists whose ends are remembered, which bounds the memory that a body of many scopes takes; others are walked again. */
const MAX_REMEMBERED_LISTS = 10_000;

/** Where a value lies; a list with its brackets. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** An element of the outermost list: its value with `[n]` in place of each list of records, which lies at `lists[n]`. */
export interface JsonGroup {
  readonly index: number;
  readonly value: JsonValue;
  readonly lists: readonly JsonSpan[];
}

/**
 * Finds the elements of the outermost list without parsing their records. Throws `OTLP_INVALID` where what is around the records is no JSON.
 * `listEnds` takes where each list of records ends, by where it begins; a second walk with it leaps over them.
 */
export function* walkGroups(body: Buffer, names: JsonNames, listEnds: Map<number, number>): WalkSteps<JsonGroup> {
  const cursor = new JsonCursor(body, body.length - withoutByteOrderMark(body).length, body.length);
  const rest = new CutText(body, cursor.at);
  let index = 0;
  yield* cursor.object<JsonGroup>(function* (name) {
    if (!names.groups.includes(name) || !cursor.isAtArray) return yield* cursor.value();
    const start = cursor.at;
    yield* cursor.array<JsonGroup>(function* () {
      yield yield* walkGroup(body, cursor, index++, names, listEnds);
    });
    rest.cut(start, cursor.at, '[]');
  });
  cursor.end();
  groupsOf(parseJson(rest.upTo(cursor.at), `what is around ${names.groups[0]}`), names);
}

/** Parses text in one go; `what` names it in the `OTLP_INVALID` that is thrown when it is no JSON. */
export function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw otlpInvalid(`${what} is not JSON: ${readJsonError(error, text).reason}`, error);
  }
}

function* walkGroup(
  body: Buffer,
  cursor: JsonCursor,
  index: number,
  names: JsonNames,
  listEnds: Map<number, number>,
): Generator<undefined, JsonGroup> {
  const text = new CutText(body, cursor.at);
  const lists: JsonSpan[] = [];
  function* passRecords(): WalkSteps {
    const start = cursor.at;
    const end = listEnds.get(start);
    if (end === undefined) yield* cursor.array(() => cursor.value());
    else cursor.at = end;
    if (listEnds.size < MAX_REMEMBERED_LISTS) listEnds.set(start, cursor.at);
    text.cut(start, cursor.at, `[${lists.length}]`);
    lists.push({ start, end: cursor.at });
  }
  const passScopeMember = (name: string): WalkSteps =>
    names.records.includes(name) && cursor.isAtArray ? passRecords() : cursor.value();
  const passScope = (): WalkSteps => (cursor.isAtObject ? cursor.object(passScopeMember) : cursor.value());
  const passMember = (name: string): WalkSteps =>
    names.scopes.includes(name) && cursor.isAtArray ? cursor.array(passScope) : cursor.value();
  yield* cursor.isAtObject ? cursor.object(passMember) : cursor.value();
  const value = parseJson(text.upTo(cursor.at), `${names.groups[0]}[${index}] without its records`);
  return { index, value, lists };
}

/** Part of a text from which long lists are cut while it is passed, so that the rest is short enough to be parsed in one go. */
class CutText {
  readonly #bytes: Buffer;
  #from: number;
  #text = '';

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#from = start;
  }

  /** Puts `stand` in place of what lies from `start` to `end`. */
  cut(start: number, end: number, stand: string): void {
    this.#text = this.upTo(start) + stand;
    this.#from = end;
  }

  /** The text up to `end`. Throws `OTLP_INVALID` when it is long all the same. */
  upTo(end: number): string {
    const bytes = this.#text.length + end - this.#from;
    if (bytes > MAX_HEAD_BYTES)
      throw otlpInvalid(
        `what stands around its records before byte ${end} has ${bytes} bytes, more than ${MAX_HEAD_BYTES}`,
      );
    return this.#text + this.#bytes.toString('utf8', this.#from, end);
  }
}
