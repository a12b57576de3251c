import { findBareCredentials } from './detectors/bare-credentials.js';
import { findCardNumbers } from './detectors/card-numbers.js';
import { detectorsOf } from './detectors/detectors.js';
import { findEmails } from './detectors/emails.js';
import type { BuiltinKind, ReportFinding, SecretFinding } from './detectors/finding.js';
import { findPrivateKeys } from './detectors/private-keys.js';
import { findUrlPasswords } from './detectors/url-passwords.js';
import {
  buildWordTable,
  DASHES,
  ENCODED_AT,
  isWordAt,
  LOOK_MASK,
  SHORTEST,
  type WordTable,
} from './detectors/word-table.js';

/** Looks for the secrets of the built-in kinds in texts, in time that grows with their length only. Findings may overlap. */
export interface TextScanner {
  readonly inOneGo: (text: string) => readonly SecretFinding[];
  /** Begins to look at a text piece after piece. */
  readonly begin: (text: string) => TextScan;
}

/** One text that is looked at piece after piece: the findings are the same, wherever the pieces end. */
export interface TextScan {
  /** Looks on up to a place, which must not be before the last one, and answers what was found by that. */
  scanTo(to: number): readonly SecretFinding[];
}

/** How far before the place up to which a text was looked at a later finding may begin. */
export const MAX_LOOKBEHIND = 128;

const NOTHING: readonly SecretFinding[] = Object.freeze([]);
const MIN_CARD_DIGITS = 13;

/** The low bytes of the units that are looked at now; nothing looks at two texts at once. */
const LOW_BYTES = Buffer.allocUnsafeSlow(8 * 1024);
/** Units that are read one by one: a call that copies all at once costs as much as so many. */
const FEW = 48;

/**
 * Builds a scanner for some kinds. It reads a text once, unit by unit, and asks a detector only where three units in a row begin one of its words.
 * A detector is not asked about what it has looked at already, so no text makes it look twice.
 */
export function createTextScanner(kinds: ReadonlySet<BuiltinKind>): TextScanner {
  const words = buildWordTable(detectorsOf(kinds));
  // What is looked at in one go is done before the next text comes: to build a scan for each costs more than to look at a short one.
  const short = new Scan(kinds, words);
  return {
    inOneGo: (text) => (text.length < SHORTEST ? NOTHING : short.begin(text).scanTo(text.length)),
    begin: (text) => new Scan(kinds, words).begin(text),
  };
}

class Scan implements TextScan {
  #text = '';
  readonly #kinds: ReadonlySet<BuiltinKind>;
  readonly #words: WordTable;
  #findings: SecretFinding[] | undefined;
  readonly #found: ReportFinding = (start, end, kind) => {
    if (end <= start || !this.#kinds.has(kind)) return;
    this.#findings ??= [];
    this.#findings.push({ start, end, headEnd: end, kind });
  };
  #at = 0;
  #look = 0;
  #digits = 0;
  #mayHoldCard = false;
  #resumeAt: number[] | undefined;
  #hasAt: boolean | undefined;
  /** Signs that it seems to hold. */
  #signs = 0;
  #cardsAt = 0;
  #urlsAt = 0;
  #credentialsAt = 0;
  #emailsAt = 0;
  #encodedEmailsAt = 0;
  #keysAt = 0;

  constructor(kinds: ReadonlySet<BuiltinKind>, words: WordTable) {
    this.#kinds = kinds;
    this.#words = words;
  }

  begin(text: string): this {
    this.#text = text;
    this.#at = 0;
    this.#look = 0;
    this.#digits = 0;
    this.#mayHoldCard = false;
    this.#resumeAt = undefined;
    this.#hasAt = undefined;
    this.#signs = 0;
    this.#cardsAt = 0;
    this.#urlsAt = 0;
    this.#credentialsAt = 0;
    this.#emailsAt = 0;
    this.#encodedEmailsAt = 0;
    this.#keysAt = 0;
    return this;
  }

  scanTo(to: number): readonly SecretFinding[] {
    const text = this.#text;
    if (text.length < SHORTEST) return NOTHING;
    this.#findings = undefined;
    const kinds = this.#kinds;
    const found = this.#found;
    const end = Math.min(to, text.length);
    this.#lookForWords(end);
    // The digits of a card may go on behind a piece.
    if (kinds.has('card_numbers') && (this.#mayHoldCard || end < text.length || this.#cardsAt > 0)) {
      this.#cardsAt = findCardNumbers(text, found, this.#cardsAt, end);
    }
    this.#hasAt ??= text.includes('@');
    const hasEmails = kinds.has('emails');
    if (this.#hasAt) {
      if (kinds.has('passwords')) {
        this.#urlsAt = findUrlPasswords(text, found, this.#urlsAt, end);
        this.#credentialsAt = findBareCredentials(text, found, this.#credentialsAt, end);
      }
      if (hasEmails) this.#emailsAt = findEmails(text, '@', found, this.#emailsAt, end);
    }
    // A sign that a piece ends in was not seen yet.
    const unseen = end - (SHORTEST - 1);
    if ((this.#signs & ENCODED_AT) === 0) this.#encodedEmailsAt = unseen;
    else if (hasEmails) this.#encodedEmailsAt = findEmails(text, '%40', found, this.#encodedEmailsAt, end);
    if ((this.#signs & DASHES) === 0) this.#keysAt = unseen;
    else if (kinds.has('private_keys')) this.#keysAt = findPrivateKeys(text, found, this.#keysAt, end);
    return this.#findings ?? NOTHING;
  }

  #lookForWords(end: number): void {
    for (let from = this.#at; from < end; from += LOW_BYTES.length) {
      this.#lookAtUnits(from, readLowBytes(this.#text, from, end));
    }
    this.#at = Math.max(this.#at, end);
  }

  /** Looks at so many units from `from` on, whose low bytes stand in `LOW_BYTES`. */
  #lookAtUnits(from: number, count: number): void {
    const text = this.#text;
    const { detectors, isBegun, wordsByLook } = this.#words;
    let look = this.#look;
    let digits = this.#digits;
    for (let place = 0; place < count; place += 1) {
      const byte = LOW_BYTES[place] ?? 0;
      look = ((look << 5) | (byte & 31)) & LOOK_MASK;
      if (byte >= 0x30 && byte <= 0x39) {
        digits += 1;
        if (digits >= MIN_CARD_DIGITS) this.#mayHoldCard = true;
      } else if (byte !== 0x20 && byte !== 0x2d) digits = 0;
      const begun = isBegun[look];
      if (begun === 0 || begun === undefined) continue;
      this.#signs |= begun;
      const start = from + place - (SHORTEST - 1);
      if (start < 0) continue;
      for (const { word, detector } of wordsByLook.get(look) ?? []) {
        if ((this.#resumeAt?.[detector] ?? 0) > start || !isWordAt(text, start, word)) continue;
        this.#resumeAt ??= [];
        this.#resumeAt[detector] = detectors[detector]?.find(text, start, this.#found) ?? 0;
      }
    }
    this.#look = look;
    this.#digits = digits;
  }
}

/**
 * Puts the low bytes of units of a text into `LOW_BYTES`, as many as it holds; answers how many. They are enough for a first look, which takes 5 bits of
 * each and may only take too much for digits. To read them costs half of what `charCodeAt` does.
 */
function readLowBytes(text: string, from: number, end: number): number {
  const count = Math.min(end - from, LOW_BYTES.length);
  if (count > FEW) return LOW_BYTES.write(from === 0 ? text : text.slice(from, from + count), 0, count, 'latin1');
  for (let place = 0; place < count; place += 1) LOW_BYTES[place] = text.charCodeAt(from + place);
  return count;
}
