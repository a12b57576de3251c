import type { BuiltinKind } from './finding.js';
import { looksSecret } from './plain-values.js';

/** Meaning of the name of a key, a header or a parameter. */
export interface SecretName {
  readonly kind: BuiltinKind;
  /** Whether the name also has other meanings; in free text its value must look like a secret. */
  readonly isWeak: boolean;
}

/** Longest name that is checked, UTF-16 units; of a longer one, its end. */
export const MAX_NAME_LENGTH = 64;

/** Trailing words that do not change the meaning: `password_confirmation`, `api_key_base64`. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  'hash value text confirmation confirm base64 b64 encoded raw plain plaintext header again repeat old new current'.split(
    ' ',
  ),
);

const PASSWORD_ENDINGS =
  'password passwd passwort passphrase passcode psw pwd pw secret credential credentials psk kennwort wachtwoord contrasena senha'.split(
    ' ',
  );
const KEY_ENDINGS =
  'apikey secretkey privatekey signingkey encryptionkey masterkey authkey clientkey subscriptionkey sessionkey sshkey deploykey appkey hmackey sharedkey secretkeybase clientkeydata'.split(
    ' ',
  );
const TOKEN_ENDINGS =
  'apitoken accesstoken authtoken refreshtoken idtoken sessiontoken bearertoken usertoken csrftoken xsrftoken securitytoken logintoken resettoken devicetoken bottoken'.split(
    ' ',
  );
const CLOUD_ENDINGS =
  'accesskey accountkey sharedaccesskey sharedaccesssignature xamzsignature xamzsecuritytoken xamzcredential xgoogsignature xgoogcredential'.split(
    ' ',
  );
/** One-time codes and PINs. */
const CODE_ENDINGS =
  'otpcode totpcode mfacode 2facode factorcode verificationcode verifycode smscode securitycode pincode authenticationcode confirmationcode recoverycode backupcode logincode accesscode activationcode emailcode authcode onetimecode'.split(
    ' ',
  );
const CODE_NAMES: ReadonlySet<string> = new Set('pin puk otp totp hotp cvv cvc cvn cvv2 cvc2'.split(' '));
const CODE_NAME = /(?:pin|puk|otp|cv[vcn]2?|(?<!pass[_-]?)code)$/i;
const CODE = /^\d(?:[ -]?\d){3,9}$/;
const ANSWER_ENDINGS = ['securityanswer', 'secretanswer', 'maidenname'];
/** Protocol fields that grant access to their bearer. */
const PROOF_ENDINGS = ['oauthsignature', 'samlresponse', 'samlassertion'];
const SESSION_NAMES: ReadonlySet<string> = new Set(
  'jsessionid phpsessid aspsessionid aspnetsessionid connectsid cookie cookies setcookie'.split(' '),
);
const WEAK_NAMES: ReadonlySet<string> = new Set(['pass', 'token', 'auth', 'secrets', 'passwords']);
const CLOUDS = /^(?:aws|azure|gcp|google|amz)/;

const PASSWORD: SecretName = { kind: 'passwords', isWeak: false };
const WEAK_PASSWORD: SecretName = { kind: 'passwords', isWeak: true };
const CLOUD_KEY: SecretName = { kind: 'cloud_keys', isWeak: false };
const WEAK_CLOUD_KEY: SecretName = { kind: 'cloud_keys', isWeak: true };
const BEARER_TOKEN: SecretName = { kind: 'bearer_tokens', isWeak: false };
const COOKIE: SecretName = { kind: 'cookies', isWeak: false };

/** The words of a name in lower case, without qualifiers and a trailing number. */
interface NameWords {
  readonly first: string;
  readonly last: string;
  /** All words, without separators. */
  readonly joined: string;
}

/** What a name means; the first row that applies counts. */
const MEANINGS: readonly (readonly [applies: (name: NameWords) => boolean, meaning: SecretName])[] = [
  [({ joined, last }) => SESSION_NAMES.has(joined) || last === 'cookie' || last === 'cookies', COOKIE],
  [({ last }) => last === 'authorization', BEARER_TOKEN],
  [({ joined }) => endsWith(joined, CLOUD_ENDINGS), CLOUD_KEY],
  [({ joined, last }) => last === 'creds' || endsWith(joined, PROOF_ENDINGS), PASSWORD],
  [({ joined }) => endsWith(joined, ANSWER_ENDINGS), PASSWORD],
  [({ joined, last }) => CODE_NAMES.has(last) || endsWith(joined, CODE_ENDINGS), PASSWORD],
  [(name) => CLOUDS.test(name.first) && isPasswordName(name), CLOUD_KEY],
  [isPasswordName, PASSWORD],
  [({ joined }) => joined === 'sig', WEAK_CLOUD_KEY],
  [({ last }) => WEAK_NAMES.has(last), WEAK_PASSWORD],
];

function isPasswordName({ joined, last }: NameWords): boolean {
  return endsWith(joined, KEY_ENDINGS) || endsWith(joined, TOKEN_ENDINGS) || endsWith(last, PASSWORD_ENDINGS);
}

function endsWith(text: string, endings: readonly string[]): boolean {
  return endings.some((ending) => text.endsWith(ending));
}

/** The meaning of a name by its last word (case and signs separate): `token` is a secret, `token_count`, `max_tokens`, `tokenize` are not. */
export function secretName(name: string): SecretName | undefined {
  const words = wordsOf(name.slice(-MAX_NAME_LENGTH));
  while (words.length > 1 && isQualifier(words.at(-1) ?? '')) words.pop();
  // `password1` is the same as `password_1`.
  const last = withoutNumber(words.pop() ?? '');
  if (last === '') return undefined;
  const meant: NameWords = { first: words[0] ?? last, last, joined: words.join('') + last };
  return MEANINGS.find(([applies]) => applies(meant))?.[1];
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || /^\d+$/.test(word);
}

/** Whether the value gives a name another meaning: `PWD=/srv/app` is a folder, `pw=12` a width, `pin: 3` a connector pin. */
export function isOtherMeaning(name: string, value: string): boolean {
  if (CODE_NAME.test(name)) {
    return !CODE.test(value) && !looksSecret(value) && !(/cv[a-z]2?$/i.test(name) && /^\d{3}$/.test(value));
  }
  if (name.length > 7) return false;
  if (/^(?:old)?pwd$/i.test(name)) return /^(?:~?\/|[A-Za-z](?::|$)|\.{1,2}(?:\/|$))/.test(value);
  return /^p[sh]?w$/i.test(name) && /^(?:0x)?\d{1,4}(?:px|em|%)?$/.test(value);
}

/** Removes a trailing number, except from names such as `cvv2` and `auth0`. */
function withoutNumber(word: string): string {
  return WEAK_NAMES.has(word) || CODE_NAMES.has(word) || word.startsWith('auth') ? word : word.replace(/\d{1,3}$/, '');
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace('ñ', 'n')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
