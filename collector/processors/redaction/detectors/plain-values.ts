/** Words that follow `password:` in sentences and types. */
const PROSE: ReadonlySet<string> = new Set(
  (
    'a an the this that it its your our my at of to in on for from with by and or but if as than then please ' +
    'must should shall may might can cannot could would will is are was were has have had do does did not no never ' +
    'required require requires needed missing empty blank invalid incorrect wrong bad weak short long too expired expires ' +
    'rejected refused denied failed failure error mismatch mismatched unknown unset undefined null none nil nan true false yes ' +
    'string number boolean object array path value length minimum maximum minlength maxlength at least more less ensure expected ' +
    'unexpected unauthorized forbidden changed reset updated created deleted revoked verified optional include omit same-origin ' +
    'input field fields contains contain cast format malformed already only provided supplied given unable could enter use reused ' +
    'filtered redacted hidden masked removed secret password token n/a holds option flag function class getter off enabled disabled blocked accepted declined allowed'
  ).split(' '),
);

/** Placeholders: masks, variables of shells and templates, formats. The closing bracket is optional, because the caller may have cut it. */
const PLACEHOLDER =
  /^(?:\*+|[xX]{3,64}|\.{3}|\$\{[^{}]{1,100}\}?|\$[A-Z_][A-Z0-9_]{0,60}|%[sdvr]|%\([a-z_]{1,60}\)s|\{\{?[\w .]{0,60}\}{0,2}|\[[A-Za-z ]{3,20}\]|<[\w .-]{1,100}(?:\[\]| ?'?\*{1,20}'?)?>)$/;

/** A longer value is never harmless, UTF-16 units. */
export const MAX_PLAIN_LENGTH = 128;

/** Whether a value after a secret's name is harmless: a word of a sentence, a placeholder, an earlier mask. */
export function isPlainValue(value: string): boolean {
  if (value.length > MAX_PLAIN_LENGTH) return false;
  const blank = value.indexOf(' ');
  const first = blank < 0 ? value : value.slice(0, blank);
  const word = first.toLowerCase().replace(/[.,:;!?)\]}'"]{1,3}$/, '');
  if (word === '' || PROSE.has(word)) return true;
  return PLACEHOLDER.test(value) || (blank >= 0 && PLACEHOLDER.test(first));
}

/** Schemes of `Authorization`, which are not masked. */
export const SCHEME =
  /(?:bearer|basic|token|apikey|api-key|negotiate|ntlm|digest|aws4-hmac-sha256|hawk|oauth|signature)(?:[ \t]{1,8}|%20|\+)/iy;

/** Whether a value is long and mixed enough to be a secret where its name alone does not say so. */
export function looksSecret(value: string): boolean {
  return value.length >= 8 && (/\d/.test(value) || (/[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) && value.length >= 16));
}

/** Share of neighbours of different classes in text that looks random: base64 of random bytes has 0.64, names in camel case have about 0.3. */
const MIN_CHANGES = 0.38;

/** Whether a text has small letters, capitals and digits in the disorder of base64 of random bytes; names, words and hashes in hexadecimal do not. */
export function looksRandom(text: string): boolean {
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
  if (!isMixed) return false;
  let changes = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (classOf(text.charCodeAt(at)) !== classOf(text.charCodeAt(at - 1))) changes += 1;
  }
  return changes >= MIN_CHANGES * (text.length - 1);
}

function classOf(code: number): 'lower' | 'upper' | 'digit' | 'other' {
  if (code >= 0x61 && code <= 0x7a) return 'lower';
  if (code >= 0x41 && code <= 0x5a) return 'upper';
  return code >= 0x30 && code <= 0x39 ? 'digit' : 'other';
}
