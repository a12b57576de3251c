import { quoted } from '../values/printable.js';

/** What is wrong with a reference. */
interface SubstitutionProblem {
  /** One sentence. */
  message: string;
  /** The same without what was written, for where a secret stands; absent: the sentence repeats none of it. */
  withoutText?: string;
}

/** A text with its `${…}` replaced. */
export interface Substitution {
  text: string;
  /** True when the text was one `${…}` from end to end. */
  isWhole: boolean;
  /** Path of the file that the whole text came from; absent when it came from elsewhere. */
  file?: string;
  /** With any of them `text` is of no use. */
  problems: SubstitutionProblem[];
  /** Sentences, one for each variable that is not set and has no default. */
  warnings: string[];
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a file that `${file:…}` names, or a sentence part that says why it cannot be read. */
export type ReadReferencedFile = (path: string) => { readonly text: string } | { readonly fault: string };

interface Expansion extends Substitution {
  readonly source: string;
  readonly env: Environment;
  readonly readFile: ReadReferencedFile | undefined;
  offset: number;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(?!-)/;
const MAX_NESTING = 16;
const FORMS = `\${env:NAME}, \${file:PATH} or \${yaml:TEXT}`;

const SCHEMES: ReadonlyMap<string, (reading: Expansion, rest: string) => string> = new Map([
  ['env', resolveVariable],
  ['file', resolveFile],
  ['yaml', (_, text) => text],
]);

/**
 * Replaces `${env:NAME}`, `${NAME}` and `${env:NAME:-default}` by environment variables, `${file:PATH}` by the text of a file without its last
 * line end, `${yaml:TEXT}` by the text, and `$$` by `$`; a bare `$NAME` stays. The default is for a variable that is not set: one that is set and
 * empty stays empty. References may stand inside a reference, but what a variable or a file holds is never searched for references of its own.
 * Without `readFile` files are refused.
 */
export function substitute(text: string, env: Environment, readFile?: ReadReferencedFile): Substitution {
  const reading: Expansion = { source: text, env, readFile, offset: 0, text: '', isWhole: false, problems: [], warnings: [] };
  reading.text = expandText(reading, 0);
  const { isWhole: whole, file, problems, warnings } = reading;
  return { text: reading.text, isWhole: whole, ...(file !== undefined && { file }), problems, warnings };
}

/** Reads to the end of the text or, inside a reference, past the brace that closes it. */
function expandText(reading: Expansion, depth: number): string {
  const { source: from } = reading;
  let out = '';
  let openBraces = 0;
  while (reading.offset < from.length) {
    const character = from.charAt(reading.offset);
    if (from.startsWith('$$', reading.offset)) {
      out += '$';
      reading.offset += 2;
    } else if (from.startsWith('${', reading.offset)) {
      out += expandReference(reading, depth);
    } else if (depth > 0 && character === '}' && openBraces === 0) {
      reading.offset += 1;
      return out;
    } else {
      if (character === '{') openBraces += 1;
      if (character === '}') openBraces -= 1;
      out += character;
      reading.offset += 1;
    }
  }
  if (depth > 0) fail(reading, `a \${ has no closing }; write $\${ for the characters themselves`);
  return out;
}

function expandReference(reading: Expansion, depth: number): string {
  const begin = reading.offset;
  reading.offset += 2;
  if (depth === MAX_NESTING) {
    fail(reading, `references stand more than ${MAX_NESTING} deep inside one another`);
    return '';
  }
  const reference = expandText(reading, depth + 1);
  if (reading.problems.length > 0) return '';
  reading.isWhole = depth === 0 && begin === 0 && reading.offset === reading.source.length;
  return resolveReference(reading, reference);
}

function resolveReference(reading: Expansion, reference: string): string {
  const scheme = SCHEME.exec(reference)?.[1];
  if (scheme === undefined) return resolveVariable(reading, reference);
  const look = SCHEMES.get(scheme);
  if (look !== undefined) return look(reading, reference.slice(scheme.length + 1));
  const what = `scheme ${quoted(scheme)} is not supported for uri ${quoted(reference)}`;
  return fail(
    reading,
    `${what}; expected ${FORMS}`,
    `a reference has a scheme that is not supported; expected ${FORMS}`,
  );
}

function resolveVariable(reading: Expansion, reference: string): string {
  const split = reference.indexOf(':-');
  const name = split === -1 ? reference : reference.slice(0, split);
  if (!NAME.test(name)) {
    const fault = `invalid name: must match regex ${NAME.source}`;
    return fail(reading, `environment variable ${quoted(name)} has ${fault}`, `an environment variable has ${fault}`);
  }
  const value = Object.hasOwn(reading.env, name) ? reading.env[name] : undefined;
  if (value !== undefined) return value;
  if (split !== -1) return reference.slice(split + ':-'.length);
  reading.warnings.push(`Configuration references unset environment variable ${quoted(name)}`);
  return '';
}

function resolveFile(reading: Expansion, path: string): string {
  if (reading.readFile === undefined) {
    return fail(reading, `scheme "file" is not supported here, for uri ${quoted(`file:${path}`)}`);
  }
  if (path === '') return fail(reading, `a reference to a file names no path; expected \${file:PATH}`);
  const found = reading.readFile(path);
  if ('fault' in found) return fail(reading, `file ${quoted(path)} ${found.fault}`);
  if (reading.isWhole) reading.file = path;
  return found.text.replace(/\r?\n$/, '');
}

/** The first problem of a text ends its reading: what follows would be read wrongly. */
function fail(reading: Expansion, message: string, discreet?: string): string {
  if (reading.problems.length === 0) reading.problems.push({ message, ...(discreet !== undefined && { withoutText: discreet }) });
  reading.offset = reading.source.length;
  return '';
}
