import { findBasic, findBearer, findJsonWebToken } from './bearer-tokens.js';
import { isBase64Url } from './characters.js';
import { findToken, TOKEN_FORMS } from './cloud-keys.js';
import { findOptionPasswords } from './command-options.js';
import { findCookies } from './cookie-headers.js';
import type { BuiltinKind, ReportFinding } from './finding.js';
import { createNamedValueDetector } from './named-values.js';
import { findPuttyKey } from './private-keys.js';
import { findIdentifiedBy, findInsertedSecrets } from './sql-passwords.js';

/** How far around a code the other parameters are searched, UTF-16 units. */
const NEIGHBOUR_DISTANCE = 300;
const NEIGHBOUR = /(?:^|\W|\\[nrt])(?:state|session_state|grant_type|code_verifier)=/;

/** Finds the code of a query or form that also has a `state` or `grant_type`; `at` is the offset of `code=`. Returns the offset to continue from. */
function findOauthCode(text: string, at: number, report: ReportFinding): number {
  const start = at + 'code='.length;
  const before = text[at - 1];
  if (before !== '?' && before !== '&') return start;
  let end = start;
  while (end < start + 2_048 && isCodeChar(text.charCodeAt(end))) end += 1;
  if (end - start < 10) return end;
  const around = `${text.slice(Math.max(0, at - NEIGHBOUR_DISTANCE), at).replace(/^.*\s/s, '')}${text.slice(end, end + NEIGHBOUR_DISTANCE).replace(/\s.*$/s, '')}`;
  if (NEIGHBOUR.test(around)) report(start, end, 'bearer_tokens');
  return end;
}

function isCodeChar(code: number): boolean {
  return isBase64Url(code) || code === 0x2e || code === 0x2f || code === 0x25 || code === 0x7e;
}

/** `find` is called for each occurrence of a word and returns the offset to continue from. */
export interface Detector {
  readonly words: readonly string[];
  readonly kinds: readonly BuiltinKind[];
  readonly find: (text: string, at: number, report: ReportFinding) => number;
}

const NAME_WORDS =
  'pass pwd psw psk pw= pw: pw" pw\' pw\\ otp pin puk cvn code answer maiden secret token key creden creds auth cvv cvc sig sharedaccess jsessionid phpsessid aspsession connect.sid amz-cred samlres samlass contrase senha kennwort wachtwoord'.split(
    ' ',
  );

const OPTION_WORDS = [
  '--user',
  '--proxy-user',
  ...['u', 'p', 'a', 'w', 'x'].flatMap((one) => [` -${one}`, `"-${one}`, `'-${one}`]),
];

const DETECTORS: readonly Detector[] = [
  { words: ['cookie'], kinds: ['cookies'], find: findCookies },
  { words: ['bearer'], kinds: ['bearer_tokens'], find: findBearer },
  { words: ['basic'], kinds: ['bearer_tokens'], find: findBasic },
  { words: ['eyj', 'eyai', 'ewogi', 'ewoj', 'ew0k', 'w3si'], kinds: ['bearer_tokens'], find: findJsonWebToken },
  { words: ['code='], kinds: ['bearer_tokens'], find: findOauthCode },
  { words: ['identified '], kinds: ['passwords'], find: findIdentifiedBy },
  { words: ['insert into '], kinds: ['passwords'], find: findInsertedSecrets },
  { words: OPTION_WORDS, kinds: ['passwords'], find: findOptionPasswords },
  { words: ['private-lines:'], kinds: ['private_keys'], find: findPuttyKey },
  ...TOKEN_FORMS.map(
    (form): Detector => ({
      words: [form.prefix],
      kinds: ['cloud_keys'],
      find: (text, at, report) => findToken(form, text, at, report),
    }),
  ),
];

/** Creates the detectors of some kinds; their caches are not shared. */
export function createDetectors(kinds: ReadonlySet<BuiltinKind>): readonly Detector[] {
  const named: Detector = {
    words: NAME_WORDS,
    kinds: ['passwords', 'cloud_keys', 'bearer_tokens', 'cookies'],
    find: createNamedValueDetector(),
  };
  return [named, ...DETECTORS].filter((detector) => detector.kinds.some((kind) => kinds.has(kind)));
}
