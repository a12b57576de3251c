import { createDetectors, type TextDetector, type WordDetector } from './detectors/detectors.js';
import type { BuiltinKind, ReportFinding, SecretFinding } from './detectors/finding.js';

/** How far before the scanned offset a later finding can begin, UTF-16 units. */
export const MAX_LOOKBEHIND = 128;

const NOTHING: readonly SecretFinding[] = Object.freeze([]);

/** Finds built-in kinds of secrets in linear time; findings may overlap. */
export class TextScanner {
  readonly #kinds: ReadonlySet<BuiltinKind>;
  readonly #words: WordTable;
  readonly #byText: readonly TextDetector[];
  /** Reused, because building a scan costs more than scanning a short text. */
  readonly #synchronous: TextScan;

  constructor(kinds: ReadonlySet<BuiltinKind>) {
    const { byWord, byText } = createDetectors(kinds);
    this.#kinds = kinds;
    this.#words = new WordTable(byWord);
    this.#byText = byText;
    this.#synchronous = this.beginScan('');
  }

  /** All findings in a text. */
  scan(text: string): readonly SecretFinding[] {
    return text.length < PREFIX_LENGTH ? NOTHING : this.#synchronous.begin(text).scanTo(text.length);
  }

  /** Begins to scan a text step by step. */
  beginScan(text: string): TextScan {
    return new TextScan(this.#kinds, this.#words, this.#byText).begin(text);
  }
}

/** An incremental scan; the findings do not depend on where its steps end. */
export class TextScan {
  readonly #kinds: ReadonlySet<BuiltinKind>;
  readonly #words: WordTable;
  readonly #byText: readonly TextDetector[];
  readonly #report: ReportFinding = (start, end, kind) => {
    if (end <= start || !this.#kinds.has(kind)) return;
    this.#findings ??= [];
    this.#findings.push({ start, end, headEnd: end, kind });
  };
  #text = '';
  #findings: SecretFinding[] | undefined;
  #wordsAt = 0;
  /** By index of a detector by word: where it may find the next secret; undefined before the first one. */
  #resumeAt: number[] | undefined;
  /** By index of a detector by text: the offset to continue from. */
  readonly #textAt: number[] = [];

  constructor(kinds: ReadonlySet<BuiltinKind>, words: WordTable, byText: readonly TextDetector[]) {
    this.#kinds = kinds;
    this.#words = words;
    this.#byText = byText;
  }

  begin(text: string): this {
    this.#text = text;
    this.#wordsAt = 0;
    this.#resumeAt = undefined;
    for (let index = 0; index < this.#byText.length; index += 1) this.#textAt[index] = 0;
    return this;
  }

  /** Scans up to offset `to`, which must not decrease, and returns the new findings. */
  scanTo(to: number): readonly SecretFinding[] {
    const text = this.#text;
    const end = Math.min(to, text.length);
    this.#findings = undefined;
    this.#words.eachWord(text, this.#wordsAt, end, this.#visitWord);
    this.#wordsAt = end;
    let index = 0;
    for (const { mayOccur, find } of this.#byText) {
      const at = this.#textAt[index] ?? 0;
      if (at === 0 && !mayOccur(text)) this.#textAt[index] = text.length;
      else if (at < end) this.#textAt[index] = find(text, this.#report, at, end);
      index += 1;
    }
    return this.#findings ?? NOTHING;
  }

  /** A detector does not run on text that it has covered. */
  readonly #visitWord = (index: number, detector: WordDetector, start: number): void => {
    if ((this.#resumeAt?.[index] ?? 0) > start) return;
    this.#resumeAt ??= [];
    this.#resumeAt[index] = detector.find(this.#text, start, this.#report);
  };
}

/** A prefix is the low 5 bits of three units, so that upper and lower case are equal. */
const PREFIX_MASK = 0x7fff;
/** Length of a prefix and of the shortest word. */
const PREFIX_LENGTH = 3;

interface Word {
  readonly word: string;
  readonly index: number;
  readonly detector: WordDetector;
}

/** Finds the words of all detectors in one pass: a table of prefixes rules out most offsets at 2 ns, where an alternation of all words takes 20. */
class WordTable {
  readonly #isPrefix = new Uint8Array(PREFIX_MASK + 1);
  readonly #wordsByPrefix = new Map<number, Word[]>();

  constructor(detectors: readonly WordDetector[]) {
    for (const [index, detector] of detectors.entries()) {
      for (const word of detector.words) this.#add({ word, index, detector });
    }
  }

  /** Visits the words that end in `[from, to)`, not those that begin before the text. */
  eachWord(
    text: string,
    from: number,
    to: number,
    visit: (index: number, detector: WordDetector, start: number) => void,
  ): void {
    const isPrefix = this.#isPrefix;
    let prefix = prefixBefore(text, from);
    for (let at = from; at < to; at += 1) {
      prefix = withUnit(prefix, text.charCodeAt(at));
      if (isPrefix[prefix] === 0) continue;
      const start = at - (PREFIX_LENGTH - 1);
      for (const { word, index, detector } of this.#wordsByPrefix.get(prefix) ?? []) {
        if (start >= 0 && isWordAt(text, start, word)) visit(index, detector, start);
      }
    }
  }

  #add(word: Word): void {
    const prefix = prefixBefore(word.word, PREFIX_LENGTH);
    this.#isPrefix[prefix] = 1;
    this.#wordsByPrefix.set(prefix, [...(this.#wordsByPrefix.get(prefix) ?? []), word]);
  }
}

/** The prefix of the units before `end`. */
function prefixBefore(text: string, end: number): number {
  let prefix = 0;
  for (let at = Math.max(0, end - PREFIX_LENGTH); at < end; at += 1) prefix = withUnit(prefix, text.charCodeAt(at));
  return prefix;
}

function withUnit(prefix: number, unit: number): number {
  return ((prefix << 5) | (unit & 31)) & PREFIX_MASK;
}

/** Whether a word, given in lower case, is at `start` in any case. */
function isWordAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
