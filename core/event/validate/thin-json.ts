import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json-bytes.js';
import { endOfString, type JsonVisitor, walkJson } from './json-walk.js';
import type { LeftOut } from './repairs.js';

/** A JSON text with fewer members, and what it lacks. */
export interface ThinnedJson {
  readonly bytes: Buffer;
  readonly leftOut: readonly LeftOut[];
}

/** Entries that are kept at each end of a list or object at first; half as many each time until the text has few enough members. */
const MOST_KEPT = 1_024;
/** Of these ends of a list, the outermost part keeps what is inside its entries. */
const WHOLE_PART = 16;

/** Lists that grouping reads, with as many frames as it reads, while that is no more than `NEEDED_FACTOR` times what others keep. */
const NEEDED: ReadonlySet<string> = new Set(['frames', 'exception']);
const MOST_NEEDED = 512;
const NEEDED_FACTOR = 8;
/** Lists whose last entries matter most. */
const NEWEST: ReadonlySet<string> = new Set(['breadcrumbs']);
/** A thread with one of these members is the one that failed, and is kept whole. */
const FAILED = /"(?:crashed|current)"\s*:\s*$/;
const FAILED_LENGTH = 32;
const TRUE = /^(?:true|1)\b|^"(?:true|1)"/i;
const TRUE_LENGTH = 6;
const MAX_FAILED = 64;
/** Links an exception to its cause, and is kept in each. */
const LINK = 'mechanism';

/** A deeper text is not thinned. */
const MAX_LEVELS = 1_000;
/** Lists that are named; further ones are only counted. */
const MAX_PATHS = 64;
/** Bytes of a key that are read. */
const LONGEST_KEY = 256;

/**
 * Cuts a JSON text to `maxMembers` members by leaving out the middle of long lists and objects: first what is inside their entries, then the
 * entries. Members of the outermost object stay. Undefined if that is not enough. Yields where the event loop may turn.
 */
export function* thinSteps(bytes: Buffer, maxMembers: number): Generator<undefined, ThinnedJson | undefined> {
  const outline = new Outline(bytes);
  yield* walkJson(bytes, outline);
  if (!outline.isBalanced) return undefined;
  for (let ends = MOST_KEPT; ends >= 1; ends /= 2) {
    const thinner = new Thinner(bytes, outline, ends, maxMembers);
    yield* walkJson(bytes, thinner);
    if (!thinner.isOver) return thinner.result();
  }
  return undefined;
}

/** Counts the entries of each object and array, which are numbered in the order of their beginnings. */
class Outline implements JsonVisitor {
  isOver = false;
  /** By number; grows by doubling. */
  counts = new Uint32Array(1_024);
  /** Numbers of threads that failed. */
  readonly failed = new Set<number>();
  readonly #bytes: Buffer;
  readonly #open = new Uint32Array(MAX_LEVELS);
  #levels = 0;
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isBalanced(): boolean {
    return !this.isOver && this.#levels === 0;
  }

  open(): void {
    if (this.isOver) return;
    if (this.#next === this.counts.length) {
      const counts = new Uint32Array(2 * this.#next);
      counts.set(this.counts);
      this.counts = counts;
    }
    this.isOver = this.#levels === MAX_LEVELS;
    this.#open[this.#levels++] = this.#next++;
  }

  begin(): void {
    const innermost = this.#innermost;
    if (innermost !== undefined) this.counts[innermost] = (this.counts[innermost] ?? 0) + 1;
  }

  mayBeTrue(at: number): void {
    const innermost = this.#innermost;
    if (innermost === undefined || this.failed.size >= MAX_FAILED) return;
    if (!TRUE.test(this.#bytes.toString('latin1', at, at + TRUE_LENGTH))) return;
    if (FAILED.test(this.#bytes.toString('latin1', Math.max(0, at - FAILED_LENGTH), at))) this.failed.add(innermost);
  }

  close(): void {
    this.isOver ||= this.#levels === 0;
    this.#levels--;
  }

  get #innermost(): number | undefined {
    return this.#open[this.#levels - 1];
  }
}

type Fate = 'whole' | 'without inside' | 'left out';

/** The entries from `from` to before `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An object or array around the position of the walk. */
interface Level {
  readonly isList: boolean;
  readonly count: number;
  /** The entries that are left out. */
  readonly leftOut: Range;
  /** The entries that lose what is inside; it begins and ends around `leftOut`. */
  readonly emptied: Range;
  /** Whether it loses what is inside. */
  readonly isEmptied: boolean;
  /** Index of the entry at the walk. */
  index: number;
  /** Where that entry begins. */
  at: number;
  fate: Fate;
  kept: number;
  /** Entries that lost something, and the last of them. */
  emptiedCount: number;
  lastEmptied: number;
}

const NO_ENTRIES: Range = { from: 0, to: 0 };

/** Writes a text with `ends` entries at each end of each list and object. */
class Thinner implements JsonVisitor {
  readonly #bytes: Buffer;
  readonly #outline: Outline;
  readonly #ends: number;
  readonly #maxMembers: number;
  readonly #levels: Level[] = [];
  readonly #pieces: Buffer[] = [];
  readonly #leftOut: LeftOut[] = [];
  #members = 0;
  /** Number of the next object or array. */
  #next = 0;
  /** What is before is in `#pieces`, or left out. */
  #copied = 0;
  /** Objects and arrays around the walk that are left out. */
  #skipped = 0;

  constructor(bytes: Buffer, outline: Outline, ends: number, maxMembers: number) {
    this.#bytes = bytes;
    this.#outline = outline;
    this.#ends = ends;
    this.#maxMembers = maxMembers;
  }

  get isOver(): boolean {
    return this.#members > this.#maxMembers;
  }

  result(): ThinnedJson {
    this.#copyTo(this.#bytes.length);
    return { bytes: Buffer.concat(this.#pieces), leftOut: this.#leftOut };
  }

  open(at: number): void {
    const number = this.#next++;
    const parent = this.#levels.at(-1);
    if (this.#skipped > 0 || parent?.fate === 'left out') {
      this.#skipped++;
      return;
    }
    const count = this.#outline.counts[number] ?? 0;
    if (parent?.isEmptied === true && count > 0 && this.#keyIn(parent) !== LINK) this.#empty(at);
    else this.#levels.push(this.#levelOf(at, count));
  }

  begin(at: number): void {
    const level = this.#levels.at(-1);
    if (this.#skipped > 0 || level === undefined) return;
    level.index++;
    level.at = at;
    const fate = this.#fateOf(level);
    if (fate !== 'left out') {
      this.#members++;
      level.kept++;
      if (level.fate === 'left out') this.#copied = at;
    } else if (level.fate !== 'left out') this.#copyTo(at);
    level.fate = fate;
  }

  mayBeTrue(): void {}

  close(at: number): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      // An entry that is left out is followed by one that stays, which sets this anew.
      if (this.#skipped === 0) this.#copied = at;
      return;
    }
    const level = this.#levels.pop();
    if (level === undefined) return;
    const { count, kept, emptiedCount } = level;
    if (kept < count) this.#note('max_members', count, kept);
    if (emptiedCount > 0) this.#note('max_members_inside', kept, kept - emptiedCount);
  }

  /** Leaves out what is inside the object or array that begins at `at`. */
  #empty(at: number): void {
    this.#copyTo(at + 1);
    this.#skipped = 1;
    const list = this.#levels.at(-2);
    if (list === undefined || list.lastEmptied === list.index) return;
    list.lastEmptied = list.index;
    list.emptiedCount++;
  }

  #levelOf(at: number, count: number): Level {
    const parent = this.#levels.at(-1);
    const isList = this.#bytes[at] === OPEN_BRACKET;
    const isEmptied = parent?.isList === true && parent.fate === 'without inside';
    const walk = { index: -1, at, fate: 'whole', kept: 0, emptiedCount: 0, lastEmptied: -1 } as const;
    const whole = Math.max(1, this.#ends / WHOLE_PART);
    if (parent === undefined || count <= 2 * whole) {
      return { isList, count, leftOut: NO_ENTRIES, emptied: NO_ENTRIES, isEmptied, ...walk };
    }
    const name = this.#nameOfNext();
    const needed = Math.max(this.#ends, Math.min(MOST_NEEDED, NEEDED_FACTOR * this.#ends));
    const leftOut = middle(count, NEEDED.has(name) ? needed : this.#ends, name);
    return { isList, count, leftOut, emptied: isList ? middle(count, whole, name) : NO_ENTRIES, isEmptied, ...walk };
  }

  #fateOf({ index, leftOut, emptied, at }: Level): Fate {
    const isLeftOut = index >= leftOut.from && index < leftOut.to;
    if (!isLeftOut && (index < emptied.from || index >= emptied.to)) return 'whole';
    if (this.#bytes[at] === OPEN_BRACE && this.#outline.failed.has(this.#next)) return 'whole';
    return isLeftOut ? 'left out' : 'without inside';
  }

  /** The key of the object or array that begins now; of `values`, the key of the object around it. */
  #nameOfNext(): string {
    const parent = this.#levels.at(-1);
    const around = this.#levels.at(-2);
    const key = parent && this.#keyIn(parent);
    return (key === 'values' ? around && this.#keyIn(around) : key) ?? '';
  }

  /** The key of the member of an object at the walk. */
  #keyIn({ isList, at }: Level): string | undefined {
    if (isList || this.#bytes[at] !== QUOTE) return undefined;
    const bytes = this.#bytes.subarray(at, at + LONGEST_KEY);
    const text = bytes.toString('utf8', 0, endOfString(bytes, 0));
    return text.includes('\\') ? unescaped(text) : text.slice(1, -1);
  }

  #note(limit: LeftOut['limit'], was: number, kept: number): void {
    const isNamed = this.#leftOut.length < MAX_PATHS;
    const path = isNamed ? this.#levels.map((level) => this.#keyIn(level) ?? level.kept - 1) : [];
    this.#leftOut.push({ limit, path, was, kept });
  }

  #copyTo(end: number): void {
    this.#pieces.push(this.#bytes.subarray(this.#copied, end));
    this.#copied = end;
  }
}

/** The entries that are neither among the first nor the last `ends`; of lists whose last entries matter most, those that are not among the last. */
function middle(count: number, ends: number, name: string): Range {
  const from = NEWEST.has(name) ? 0 : ends;
  const to = count - (2 * ends - from);
  return from < to ? { from, to } : NO_ENTRIES;
}

function unescaped(key: string): string {
  try {
    return JSON.parse(key);
  } catch {
    return key;
  }
}
