import {
  findBasic,
  findBearer,
  findDottedTokens,
  findJsonWebToken,
  findOauthCode,
  mayHaveDottedToken,
} from './bearer-tokens.js';
import { findCardNumbers, mayHaveCardNumber } from './card-numbers.js';
import { findToken, TOKEN_FORMS } from './cloud-keys.js';
import { findIdentifiedBy, findInsertedSecrets, findOptionPasswords } from './command-passwords.js';
import { findCookies } from './cookie-headers.js';
import { findEmail, findEmails } from './emails.js';
import type { BuiltinKind, ReportFinding } from './finding.js';
import { createNamedValueFinder } from './named-values.js';
import { findPasswordHash, HASH_PREFIXES } from './password-hashes.js';
import { findEncodedKey, findPrivateKey, findPuttyKey } from './private-keys.js';
import { findBareCredentials, findUrlPassword } from './url-passwords.js';

/** Finds secrets where one of its words is. */
export interface WordDetector {
  /** At least three characters, in lower case; found in any case. */
  readonly words: readonly string[];
  readonly kinds: readonly BuiltinKind[];
  /** Called with the offset of each occurrence of a word that an earlier call did not cover; returns the offset to continue from. */
  readonly find: (text: string, at: number, report: ReportFinding) => number;
}

/** Finds secrets that have no word in common, in all of a text. */
export interface TextDetector {
  readonly kind: BuiltinKind;
  /** A fast test, because most texts have no such secret. */
  readonly mayOccur: (text: string) => boolean;
  /** Finds what begins in `[from, to)`; returns the offset to continue from. */
  readonly find: (text: string, report: ReportFinding, from: number, to: number) => number;
}

const NAME_WORDS =
  'pass pwd psw psk pw= pw: pw" pw\' pw\\ otp pin puk cvn code answer maiden secret token seed key bearer creden creds auth cvv cvc sig sharedaccess jsessionid phpsessid aspsession connect.sid amz-cred samlres samlass contrase senha kennwort wachtwoord sid= sion= sionid= sion_id= ature= hmac= rtion= jwt= csrf= xsrf='.split(
    ' ',
  );

const ONE_LETTER_OPTIONS = ['u', 'p', 'a', 'w', 'x'];

const OPTION_WORDS = [
  '--user',
  '--proxy-user',
  ...ONE_LETTER_OPTIONS.flatMap((letter) => [` -${letter}`, `"-${letter}`, `'-${letter}`]),
];

const WORD_DETECTORS: readonly WordDetector[] = [
  { words: ['cookie'], kinds: ['cookies'], find: findCookies },
  { words: ['bearer'], kinds: ['bearer_tokens'], find: findBearer },
  { words: ['basic'], kinds: ['bearer_tokens'], find: findBasic },
  { words: ['eyj', 'eyai', 'ewogi', 'ewoj', 'ew0k', 'w3si'], kinds: ['bearer_tokens'], find: findJsonWebToken },
  { words: ['code='], kinds: ['bearer_tokens'], find: findOauthCode },
  { words: ['identified '], kinds: ['passwords'], find: findIdentifiedBy },
  { words: HASH_PREFIXES, kinds: ['passwords'], find: findPasswordHash },
  { words: ['insert into '], kinds: ['passwords'], find: findInsertedSecrets },
  { words: OPTION_WORDS, kinds: ['passwords'], find: findOptionPasswords },
  { words: ['://'], kinds: ['passwords'], find: findUrlPassword },
  { words: ['%40'], kinds: ['emails'], find: (text, at, report) => findEmail(text, at, '%40', report) },
  { words: ['-----begin '], kinds: ['private_keys'], find: findPrivateKey },
  { words: ['ls0tls1crudjti'], kinds: ['private_keys'], find: findEncodedKey },
  { words: ['private-lines:'], kinds: ['private_keys'], find: findPuttyKey },
  ...TOKEN_FORMS.map(
    (form): WordDetector => ({
      words: [form.prefix],
      kinds: ['cloud_keys'],
      find: (text, at, report) => findToken(form, text, at, report),
    }),
  ),
];

const TEXT_DETECTORS: readonly TextDetector[] = [
  { kind: 'card_numbers', mayOccur: mayHaveCardNumber, find: findCardNumbers },
  { kind: 'passwords', mayOccur: (text) => text.includes('@'), find: findBareCredentials },
  { kind: 'emails', mayOccur: (text) => text.includes('@'), find: findEmails },
  { kind: 'cloud_keys', mayOccur: mayHaveDottedToken, find: findDottedTokens },
];

/** The detectors of some kinds. */
export interface Detectors {
  readonly byWord: readonly WordDetector[];
  readonly byText: readonly TextDetector[];
}

/** Creates the detectors of some kinds; their caches are not shared. */
export function createDetectors(kinds: ReadonlySet<BuiltinKind>): Detectors {
  const named: WordDetector = {
    words: NAME_WORDS,
    kinds: ['passwords', 'cloud_keys', 'bearer_tokens', 'cookies'],
    find: createNamedValueFinder(),
  };
  return {
    byWord: [named, ...WORD_DETECTORS].filter((detector) => detector.kinds.some((kind) => kinds.has(kind))),
    byText: TEXT_DETECTORS.filter(({ kind }) => kinds.has(kind)),
  };
}
