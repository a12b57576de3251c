import { findBareCredentials } from './bare-credentials.js';
import { findBasic, findBearer, findJsonWebToken } from './bearer-tokens.js';
import { findCardNumbers } from './card-numbers.js';
import { findToken, TOKEN_FORMS } from './cloud-keys.js';
import { findOptionPasswords } from './command-options.js';
import { findCookies } from './cookie-headers.js';
import { findEmails } from './emails.js';
import type { BuiltinKind, Finding, Found } from './finding.js';
import { LOW_BYTES, readLowBytes } from './low-bytes.js';
import { createNamedValueDetector } from './named-values.js';
import { findOauthCode } from './oauth-codes.js';
import { findPrivateKeys, findPuttyKey } from './private-keys.js';
import { findIdentifiedBy, findInsertedSecrets } from './sql-passwords.js';
import { findUrlPasswords } from './url-passwords.js';

/** Looks for the secrets of the built-in kinds in texts, in time that grows with their length only. Findings may overlap. */
export interface TextScanner {
  readonly inOneGo: (text: string) => readonly Finding[];
  /** Begins to look at a text piece after piece. */
  readonly begin: (text: string) => TextScan;
}

/** One text that is looked at piece after piece: the findings are the same, wherever the pieces end. */
export interface TextScan {
  /** Looks on up to a place, which must not be before the last one, and answers what was found by that. */
  upTo(to: number): readonly Finding[];
}

/** How far before the place up to which a text was looked at a later finding may begin. */
export const MOST_LOOK_BACK = 128;

/** Looks closer where one of its words stands, and answers where its next word may begin. */
interface Detector {
  readonly words: readonly string[];
  readonly kinds: readonly BuiltinKind[];
  readonly find: (text: string, at: number, found: Found) => number;
}

const NAME_WORDS =
  'pass pwd psw psk pw= pw: pw" pw\' pw\\ otp secret token key creden creds auth cvv cvc sig sharedaccess jsessionid phpsessid aspsession connect.sid amz-cred samlres samlass contrase senha kennwort wachtwoord'.split(
    ' ',
  );

const DETECTORS: readonly Detector[] = [
  { words: ['cookie'], kinds: ['cookies'], find: findCookies },
  { words: ['bearer'], kinds: ['bearer_tokens'], find: findBearer },
  { words: ['basic'], kinds: ['bearer_tokens'], find: findBasic },
  { words: ['eyj'], kinds: ['bearer_tokens'], find: findJsonWebToken },
  { words: ['code='], kinds: ['bearer_tokens'], find: findOauthCode },
  { words: ['identified '], kinds: ['passwords'], find: findIdentifiedBy },
  { words: ['insert into '], kinds: ['passwords'], find: findInsertedSecrets },
  { words: [' -u', '"-u', "'-u", '--user', '--proxy-user'], kinds: ['passwords'], find: findOptionPasswords },
  { words: ['private-lines:'], kinds: ['private_keys'], find: findPuttyKey },
  ...TOKEN_FORMS.map(
    (form): Detector => ({
      words: [form.begin],
      kinds: ['cloud_keys'],
      find: (text, at, found) => findToken(form, text, at, found),
    }),
  ),
];

const NOTHING: readonly Finding[] = Object.freeze([]);
/** Units of a word that the first look takes into account, 5 bits of each: so upper and lower case are alike. */
const LOOK_MASK = 0x7fff;
const MIN_CARD_DIGITS = 13;
const SHORTEST = 3;
/** What three units may begin: a word, or one of the signs that are looked for only in texts that seem to hold them. */
const BEGINS_WORD = 1;
const ENCODED_AT = 2;
const DASHES = 4;
const SIGNS = [
  ['%40', ENCODED_AT],
  ['---', DASHES],
] as const;

interface Word {
  readonly word: string;
  readonly detector: number;
}

/**
 * Builds a scanner for some kinds. It reads a text once, unit by unit, and asks a detector only where three units in a row begin one of its words.
 * A detector is not asked about what it has looked at already, so no text makes it look twice.
 */
export function createTextScanner(kinds: ReadonlySet<BuiltinKind>): TextScanner {
  const named: Detector = {
    words: NAME_WORDS,
    kinds: ['passwords', 'cloud_keys', 'bearer_tokens', 'cookies'],
    find: createNamedValueDetector(),
  };
  const detectors = [named, ...DETECTORS].filter((detector) => detector.kinds.some((kind) => kinds.has(kind)));
  const isBegun = new Uint8Array(LOOK_MASK + 1);
  const wordsByLook = new Map<number, Word[]>();
  for (const [detector, { words }] of detectors.entries()) {
    for (const word of words) {
      const look = lookOf(word);
      isBegun[look] = BEGINS_WORD;
      wordsByLook.set(look, [...(wordsByLook.get(look) ?? []), { word, detector }]);
    }
  }
  for (const [sign, mark] of SIGNS) isBegun[lookOf(sign)] = (isBegun[lookOf(sign)] ?? 0) | mark;
  const words: WordTable = { detectors, isBegun, wordsByLook };
  // What is looked at in one go is done before the next text comes: to build a scan for each costs more than to look at a short one.
  const short = new Scan(kinds, words);
  return {
    inOneGo: (text) => (text.length < SHORTEST ? NOTHING : short.begin(text).upTo(text.length)),
    begin: (text) => new Scan(kinds, words).begin(text),
  };
}

/** Which detector is asked where. */
interface WordTable {
  readonly detectors: readonly Detector[];
  readonly isBegun: Uint8Array;
  readonly wordsByLook: ReadonlyMap<number, readonly Word[]>;
}

class Scan implements TextScan {
  #text = '';
  readonly #kinds: ReadonlySet<BuiltinKind>;
  readonly #words: WordTable;
  #findings: Finding[] | undefined;
  readonly #found: Found = (start, end, kind) => {
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

  upTo(to: number): readonly Finding[] {
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

function lookOf(word: string): number {
  let look = 0;
  for (let at = 0; at < SHORTEST; at += 1) look = ((look << 5) | (word.charCodeAt(at) & 31)) & LOOK_MASK;
  return look;
}

function isWordAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
