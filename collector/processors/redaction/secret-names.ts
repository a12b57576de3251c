import type { BuiltinKind } from './finding.js';

/** What the name of a key, a header or a parameter says of its value. */
export interface SecretName {
  readonly kind: BuiltinKind;
  /** True for names that also have other meanings: in free text their value must look like a secret. */
  readonly isWeak: boolean;
}

/** Longest name that is looked at, UTF-16 units; of longer ones the end. */
export const MAX_NAME_LENGTH = 64;

/** Words behind the one that decides, which change nothing: `password_confirmation`, `api_key_base64`. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  'hash value text confirmation confirm base64 b64 encoded raw plain plaintext header again repeat old new current'.split(
    ' ',
  ),
);

const PASSWORD_ENDINGS = 'password passwd passwort passphrase passcode psw pwd pw secret credential credentials'.split(
  ' ',
);
const KEY_ENDINGS =
  'apikey secretkey privatekey signingkey encryptionkey masterkey authkey clientkey subscriptionkey sessionkey sshkey deploykey appkey'.split(
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
const SESSION_NAMES: ReadonlySet<string> = new Set(
  'jsessionid phpsessid aspsessionid aspnetsessionid connectsid cookie cookies setcookie'.split(' '),
);
const WEAK_NAMES: ReadonlySet<string> = new Set([
  'pass',
  'token',
  'auth',
  'cvv',
  'cvc',
  'cvv2',
  'otp',
  'secrets',
  'passwords',
]);
const CLOUDS = /^(?:aws|azure|gcp|google|amz)/;

const WEAK_PASSWORD: SecretName = { kind: 'passwords', isWeak: true };
const PASSWORD: SecretName = { kind: 'passwords', isWeak: false };
const CLOUD: SecretName = { kind: 'cloud_keys', isWeak: false };

/**
 * What a name says: by its last word, so that `token` is one and `token_count`, `max_tokens` and `tokenize` are not. Words are parted by case and by
 * everything that is neither letter nor digit.
 */
export function secretName(name: string): SecretName | undefined {
  const words = wordsOf(name.slice(-MAX_NAME_LENGTH));
  while (words.length > 1 && (QUALIFIERS.has(words.at(-1) ?? '') || /^\d+$/.test(words.at(-1) ?? ''))) words.pop();
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const joined = words.join('');
  const endsWith = (endings: readonly string[]) => endings.some((ending) => joined.endsWith(ending));
  if (SESSION_NAMES.has(joined) || last === 'cookie' || last === 'cookies') return { kind: 'cookies', isWeak: false };
  if (last === 'authorization') return { kind: 'bearer_tokens', isWeak: false };
  if (endsWith(CLOUD_ENDINGS)) return CLOUD;
  if (endsWith(KEY_ENDINGS) || endsWith(TOKEN_ENDINGS) || PASSWORD_ENDINGS.some((ending) => last.endsWith(ending))) {
    return CLOUDS.test(words[0] ?? '') ? CLOUD : PASSWORD;
  }
  if (joined === 'sig') return { kind: 'cloud_keys', isWeak: true };
  if (WEAK_NAMES.has(last)) return WEAK_PASSWORD;
  return undefined;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
