import { findBareCredentials } from './detectors/bare-credentials.js';
import { findCardNumbers } from './detectors/card-numbers.js';
import { createDetectors } from './detectors/detectors.js';
import { findDottedTokens } from './detectors/dotted-tokens.js';
import { findEmails } from './detectors/emails.js';
import type { BuiltinKind, ReportFinding, SecretFinding } from './detectors/finding.js';
import { findPrivateKeys } from './detectors/private-keys.js';
import { findUrlPasswords } from './detectors/url-passwords.js';
import {
  buildWordTable,
  HAS_DASHES,
  HAS_ENCODED_AT,
  isWordAt,
  PREFIX_LENGTH,
  PREFIX_MASK,
  type WordTable,
} from './detectors/word-table.js';

/** How far before the scanned offset a later finding can begin, UTF-16 units. */
export const MAX_LOOKBEHIND = 128;

const NOTHING: readonly SecretFinding[] = Object.freeze([]);
const MIN_CARD_DIGITS = 13;

/** Low bytes of the units being scanned. Shared, because a scan step is synchronous. */
const LOW_BYTES = Buffer.allocUnsafeSlow(8 * 1024);
/** Up to this many units a loop is faster than `Buffer.write`. */
const LOOP_UNITS = 48;

/** Builds a linear scanner; findings may overlap. A detector runs only where its words may begin, and not on text it has covered. */
export function createTextScanner(kinds: ReadonlySet<BuiltinKind>) {
  const words = buildWordTable(createDetectors(kinds));
  // Reused for all synchronous scans: for short texts building a scan costs more than scanning.
  const short = new Scan(kinds, words);
  return {
    scan: (text: string) => (text.length < PREFIX_LENGTH ? NOTHING : short.begin(text).scanTo(text.length)),
    beginScan: (text: string) => new Scan(kinds, words).begin(text),
  };
}

/** An incremental scan; the findings do not depend on where its steps end. */
class Scan {
  #text = '';
  readonly #kinds: ReadonlySet<BuiltinKind>;
  readonly #words: WordTable;
  #findings: SecretFinding[] | undefined;
  readonly #report: ReportFinding = (start, end, kind) => {
    if (end <= start || !this.#kinds.has(kind)) return;
    this.#findings ??= [];
    this.#findings.push({ start, end, headEnd: end, kind });
  };
  #at = 0;
  #prefix = 0;
  #digits = 0;
  #mayHoldCard = false;
  #resumeAt: number[] | undefined;
  #hasAt: boolean | undefined;
  /** Flags of the signs that the text may contain. */
  #signs = 0;
  #cardsAt = 0;
  #urlsAt = 0;
  #credentialsAt = 0;
  #emailsAt = 0;
  #encodedEmailsAt = 0;
  #keysAt = 0;
  #tokensAt = 0;

  constructor(kinds: ReadonlySet<BuiltinKind>, words: WordTable) {
    this.#kinds = kinds;
    this.#words = words;
  }

  begin(text: string): this {
    this.#text = text;
    this.#at = 0;
    this.#prefix = 0;
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
    this.#tokensAt = 0;
    return this;
  }

  /** Scans up to offset `to`, which must not decrease, and returns the new findings. */
  scanTo(to: number): readonly SecretFinding[] {
    const text = this.#text;
    if (text.length < PREFIX_LENGTH) return NOTHING;
    this.#findings = undefined;
    const kinds = this.#kinds;
    const report = this.#report;
    const end = Math.min(to, text.length);
    this.#matchWords(end);
    // Each function finds what begins in [from, to) and returns where to continue. A card's digits can continue after this step.
    if (kinds.has('card_numbers') && (this.#mayHoldCard || end < text.length || this.#cardsAt > 0)) {
      this.#cardsAt = findCardNumbers(text, report, this.#cardsAt, end);
    }
    this.#hasAt ??= text.includes('@');
    const hasEmails = kinds.has('emails');
    if (this.#hasAt) {
      if (kinds.has('passwords')) {
        this.#urlsAt = findUrlPasswords(text, report, this.#urlsAt, end);
        this.#credentialsAt = findBareCredentials(text, report, this.#credentialsAt, end);
      }
      if (hasEmails) this.#emailsAt = findEmails(text, '@', report, this.#emailsAt, end);
    }
    // A sign that crosses the end of this step is not detected yet.
    const unseen = end - (PREFIX_LENGTH - 1);
    if ((this.#signs & HAS_ENCODED_AT) === 0) this.#encodedEmailsAt = unseen;
    else if (hasEmails) this.#encodedEmailsAt = findEmails(text, '%40', report, this.#encodedEmailsAt, end);
    if ((this.#signs & HAS_DASHES) === 0) this.#keysAt = unseen;
    else if (kinds.has('private_keys')) this.#keysAt = findPrivateKeys(text, report, this.#keysAt, end);
    if (kinds.has('cloud_keys')) this.#tokensAt = findDottedTokens(text, report, this.#tokensAt, end);
    return this.#findings ?? NOTHING;
  }

  #matchWords(end: number): void {
    for (let from = this.#at; from < end; from += LOW_BYTES.length) {
      this.#matchUnits(from, readLowBytes(this.#text, from, end));
    }
    this.#at = Math.max(this.#at, end);
  }

  /** Matches `count` units from `from`, whose low bytes are in `LOW_BYTES`. */
  #matchUnits(from: number, count: number): void {
    const text = this.#text;
    const { detectors, prefixFlags, wordsByPrefix } = this.#words;
    let prefix = this.#prefix;
    let digits = this.#digits;
    for (let index = 0; index < count; index += 1) {
      const byte = LOW_BYTES[index] ?? 0;
      prefix = ((prefix << 5) | (byte & 31)) & PREFIX_MASK;
      if (byte >= 0x30 && byte <= 0x39) {
        digits += 1;
        if (digits >= MIN_CARD_DIGITS) this.#mayHoldCard = true;
      } else if (byte !== 0x20 && byte !== 0x2d) digits = 0;
      const flags = prefixFlags[prefix];
      if (flags === 0 || flags === undefined) continue;
      this.#signs |= flags;
      const start = from + index - (PREFIX_LENGTH - 1);
      if (start < 0) continue;
      for (const { word, detector } of wordsByPrefix.get(prefix) ?? []) {
        if ((this.#resumeAt?.[detector] ?? 0) > start || !isWordAt(text, start, word)) continue;
        this.#resumeAt ??= [];
        this.#resumeAt[detector] = detectors[detector]?.find(text, start, this.#report) ?? 0;
      }
    }
    this.#prefix = prefix;
    this.#digits = digits;
  }
}

/** Copies low bytes of units into `LOW_BYTES`, which is faster than `charCodeAt`; returns the number copied. A prefix uses 5 bits of each. */
function readLowBytes(text: string, from: number, end: number): number {
  const count = Math.min(end - from, LOW_BYTES.length);
  if (count > LOOP_UNITS)
    return LOW_BYTES.write(from === 0 ? text : text.slice(from, from + count), 0, count, 'latin1');
  for (let index = 0; index < count; index += 1) LOW_BYTES[index] = text.charCodeAt(from + index);
  return count;
}
