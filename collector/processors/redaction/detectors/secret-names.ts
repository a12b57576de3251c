import type { BuiltinKind } from './finding.js';
import { looksRandom, looksSecret } from './plain-values.js';

/** Meaning of the name of a key, a header or a parameter. */
export interface SecretName {
  readonly kind: BuiltinKind;
  /** Least length of a value that need not look like a secret, because the name also has other meanings; 0: none has. */
  readonly shortest: number;
}

/** Longest name that is checked, UTF-16 units; of a longer one, its end. */
export const MAX_NAME_LENGTH = 64;

/** Longest name that is searched for the prefix of an attribute, UTF-16 units. */
const MAX_CARRIED_LENGTH = 256;

/** Trailing words that do not change the meaning: `password_confirmation`, `api_key_base64`. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  'hash digest value text confirmation confirm base64 b64 encoded raw plain plaintext header again repeat old new current'.split(
    ' ',
  ),
);

const PASSWORD_ENDINGS =
  'password passwd passwort passphrase passcode psw pwd pw secret credential credentials psk kennwort wachtwoord contrasena senha'.split(
    ' ',
  );
const KEY_ENDINGS =
  'apikey secretkey privatekey signingkey encryptionkey masterkey authkey clientkey subscriptionkey sessionkey sshkey deploykey appkey functionskey hmackey sharedkey secretkeybase clientkeydata apikeys motdepasse otpseed mfaseed seedphrase recoveryphrase'.split(
    ' ',
  );
const TOKEN_ENDINGS =
  'apitoken accesstoken authtoken refreshtoken idtoken sessiontoken bearertoken usertoken csrftoken xsrftoken middlewaretoken securitytoken logintoken resettoken devicetoken bottoken'.split(
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
const AUTH = /(?:^|[^a-z])auth$/i;
/** What `auth` names if it is not a secret. */
const AUTH_METHOD =
  /^(?:basic|bearer|digest|oauth2?|oidc|openid|saml2?|ldap|kerberos|ntlm|mtls|jwt|sso|api[_-]?key|password|session|cookie|anonymous|guest|local)(?:[_-][a-z]\w{0,12}){0,3}$/i;
const ANSWER_ENDINGS = ['securityanswer', 'secretanswer', 'maidenname'];
/** Protocol fields that grant access to their bearer. */
const PROOF_ENDINGS = ['oauthsignature', 'samlresponse', 'samlassertion'];
const SESSION_NAMES: ReadonlySet<string> = new Set(
  'jsessionid phpsessid aspsessionid aspnetsessionid connectsid cookie cookies setcookie'.split(' '),
);
const WEAK_NAMES: ReadonlySet<string> = new Set(['pass', 'token', 'auth', 'bearer', 'secrets', 'passwords']);
/** Last words of names that grant access among headers, parameters and cookies, and have other meanings elsewhere. */
const CARRIED_NAMES: ReadonlySet<string> = new Set('sid sessid assertion signature hmac jwt csrf xsrf'.split(' '));
const SESSION_ID = /sess(?:ion)?id$/;
/** Last words of the names of messages of HTTP and of environments, and of their parts, as lists, maps or texts. */
const CARRIERS: ReadonlySet<string> = new Set(
  'http request response req res headers header trailers cookies query querystring params parameters body form auth env environ environment meta href referer referrer location fragment target'.split(
    ' ',
  ),
);
/** A prefix of attribute names for one header, parameter or variable: `http.request.header.x-api-key`. */
const CARRIER_PREFIX = /(?:^|[._])(?:headers?|metadata|cookies?|query|params|body|env|environment_variable)[.]/i;
/** A header as a variable of CGI (RFC 3875): `HTTP_X_API_KEY`. */
const CGI_HEADER = /^(?:REDIRECT_)?HTTP_[A-Z]/;
/** Values that stand beside the name of a header in a list of names. */
const HEADER_NAME =
  /^(?:accept|access-control|age|allow|authorization|cache-control|connection|content|cookie|date|etag|expires|forwarded|host|if|link|location|origin|pragma|proxy|range|referer|sec|server|set-cookie|te|trailer|transfer|upgrade|user-agent|vary|via|www-authenticate|x)(?:-[a-z]{2,20}){0,5}$/i;

const COLUMN_NAME = /^[a-z]{2,20}(?:_(?:[a-z]{1,20}|\d{1,3})){1,4}$/;
const CLOUDS = /^(?:aws|azure|gcp|google|amz)/;

const PASSWORD: SecretName = { kind: 'passwords', shortest: 0 };
const WEAK_PASSWORD: SecretName = { kind: 'passwords', shortest: 6 };
const CLOUD_KEY: SecretName = { kind: 'cloud_keys', shortest: 0 };
const WEAK_CLOUD_KEY: SecretName = { kind: 'cloud_keys', shortest: 16 };
const BEARER_TOKEN: SecretName = { kind: 'bearer_tokens', shortest: 0 };
const CARRIED: SecretName = { kind: 'passwords', shortest: 6 };
const SESSION: SecretName = { kind: 'passwords', shortest: 16 };
const COOKIE: SecretName = { kind: 'cookies', shortest: 0 };

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
  const words = nameWords(name);
  return words === undefined ? undefined : MEANINGS.find(([applies]) => applies(words))?.[1];
}

/** `secretName` for the name of a header, a cookie, a parameter or a variable, where names such as `sid` and `signature` are secrets too. */
export function carriedSecretName(name: string): SecretName | undefined {
  const words = nameWords(name);
  if (words === undefined) return undefined;
  const meaning = MEANINGS.find(([applies]) => applies(words))?.[1];
  if (meaning !== undefined) return meaning;
  if (CARRIED_NAMES.has(words.last) || SESSION_ID.test(words.joined) || words.joined === 'code') return CARRIED;
  return words.last === 'session' ? SESSION : undefined;
}

/** Whether a name says that its value consists of headers, cookies, parameters or variables, or is an address with parameters. */
export function isCarrierName(name: string): boolean {
  const words = wordsOf(name.slice(-MAX_NAME_LENGTH));
  const last = words.at(-1) ?? '';
  return CARRIERS.has(last) || words.slice(-2).join('') === 'querystring' || words.some(isAddressOrHeaders);
}

/** Also in one word with others, such as `rawheaders`. */
function isAddressOrHeaders(word: string): boolean {
  return word.endsWith('url') || word.endsWith('uri') || word.endsWith('headers');
}

/** Whether a name is that of one header, cookie or variable: `http.request.header.x-api-key`. */
export function isCarriedName(name: string): boolean {
  return name.length <= MAX_CARRIED_LENGTH && (CARRIER_PREFIX.test(name) || CGI_HEADER.test(name));
}

/** Whether a text is the name of a header or a column, as in `["Authorization", "Content-Type"]`. */
export function isFieldName(text: string): boolean {
  return text.length <= 64 && (HEADER_NAME.test(text) || COLUMN_NAME.test(text));
}

/** Whether the value of a name that `carriedSecretName` knows is long enough to be a secret, and no sentence. */
export function isCarriedSecret({ shortest }: SecretName, value: string): boolean {
  return value.length >= shortest && (shortest === 0 || !/\s/.test(value));
}

/** Whether a number is a secret, given as text: four digits or more, under a name without other meanings. */
export function isSecretNumber(name: string, digits: string): boolean {
  return /^\d{4,}$/.test(digits) && secretName(name)?.shortest === 0 && !isOtherMeaning(name, digits);
}

function nameWords(name: string): NameWords | undefined {
  const words = wordsOf(name.slice(-MAX_NAME_LENGTH));
  while (words.length > 1 && isQualifier(words.at(-1) ?? '')) words.pop();
  // `has_password` is a yes or no.
  if (words.length > 1 && (words[0] === 'is' || words[0] === 'has')) return undefined;
  // `password1` is the same as `password_1`.
  const last = withoutNumber(words.pop() ?? '');
  return last === '' ? undefined : { first: words[0] ?? last, last, joined: words.join('') + last };
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || /^(?:sha)?\d+$/.test(word);
}

/** Whether the value gives a name another meaning: `PWD=/srv/app` is a folder, `pw=12` a width, `pin: 3` a connector pin. */
export function isOtherMeaning(name: string, value: string): boolean {
  if (/^code$/i.test(name)) return !isGrantCode(value);
  if (CODE_NAME.test(name)) {
    return !CODE.test(value) && !looksSecret(value) && !(/cv[a-z]2?$/i.test(name) && /^\d{3}$/.test(value));
  }
  if (AUTH.test(name)) return AUTH_METHOD.test(value);
  if (name.length > 7) return false;
  if (/^(?:old)?pwd$/i.test(name)) return /^(?:~?\/|[A-Za-z](?::|$)|\.{1,2}(?:\/|$))/.test(value);
  return /^p[sh]?w$/i.test(name) && /^(?:0x)?\d{1,4}(?:px|em|%)?$/.test(value);
}

/** Whether a code is one of a grant; others are of errors, coupons and countries. */
function isGrantCode(value: string): boolean {
  // Its beginning, because a long text would be read without a pause.
  const head = value.slice(0, 128);
  return head.length >= 20 && (looksRandom(head) || /^[\da-f]+$/i.test(head));
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
