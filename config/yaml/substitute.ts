import { quoted } from '../values/printable.js';

interface SubstitutionProblem {
  message: string;
  /** The message without the text, for secrets; absent if the message does not contain it. */
  withoutText?: string;
}

/** A text with its references replaced. */
export interface Substitution {
  text: string;
  /** Whether the text was a single `${…}`. */
  isWhole: boolean;
  /** Path of the file that contains the whole text; absent for other texts. */
  file?: string;
  /** If not empty, `text` must not be used. */
  problems: SubstitutionProblem[];
  /** One for each variable that is not set and has no default. */
  warnings: string[];
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the text of the file of `${file:…}`, or why it cannot be read, to follow its name. */
export type ReadReferencedFile = (path: string) => { readonly text: string } | { readonly fault: string };

interface Expansion extends Omit<Substitution, 'text'> {
  readonly source: string;
  readonly env: Environment;
  readonly readFile: ReadReferencedFile | undefined;
  offset: number;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(?!-)/;
const MAX_NESTING = 16;
const BRACE_STEPS: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['}', -1],
]);
const FORMS = `\${env:NAME}, \${file:PATH} or \${yaml:TEXT}`;

const SCHEMES: ReadonlyMap<string, (state: Expansion, rest: string) => string> = new Map([
  ['env', resolveVariable],
  ['file', resolveFile],
  ['yaml', (_, text) => text],
]);

/** Replaces `${env:NAME}`, `${NAME:-default}` (if unset), `${file:PATH}`, `${yaml:TEXT}` and `$$`; replaced text is not searched for references. */
export function substitute(text: string, env: Environment, readFile?: ReadReferencedFile): Substitution {
  const state: Expansion = { source: text, env, readFile, offset: 0, isWhole: false, problems: [], warnings: [] };
  const expanded = expandText(state, 0);
  const { isWhole, file, problems, warnings } = state;
  return { text: expanded, isWhole, ...(file !== undefined && { file }), problems, warnings };
}

/** Expands to the end of the text or, in a reference, past its closing brace. */
function expandText(state: Expansion, depth: number): string {
  const { source } = state;
  let out = '';
  let openBraces = 0;
  while (state.offset < source.length) {
    if (source.startsWith('${', state.offset)) {
      out += expandReference(state, depth);
      continue;
    }
    const character = source.charAt(state.offset);
    state.offset += source.startsWith('$$', state.offset) ? 2 : 1;
    if (depth > 0 && character === '}' && openBraces === 0) return out;
    openBraces += BRACE_STEPS.get(character) ?? 0;
    out += character;
  }
  if (depth > 0) fail(state, `a \${ has no closing }; write $\${ for a literal \${`);
  return out;
}

function expandReference(state: Expansion, depth: number): string {
  const begin = state.offset;
  state.offset += 2;
  if (depth === MAX_NESTING) {
    fail(state, `references are nested more than ${MAX_NESTING} levels deep`);
    return '';
  }
  const reference = expandText(state, depth + 1);
  if (state.problems.length > 0) return '';
  state.isWhole = depth === 0 && begin === 0 && state.offset === state.source.length;
  return resolveReference(state, reference);
}

function resolveReference(state: Expansion, reference: string): string {
  const scheme = SCHEME.exec(reference)?.[1];
  if (scheme === undefined) return resolveVariable(state, reference);
  const resolve = SCHEMES.get(scheme);
  if (resolve !== undefined) return resolve(state, reference.slice(scheme.length + 1));
  const message = `scheme ${quoted(scheme)} is not supported for uri ${quoted(reference)}; expected ${FORMS}`;
  return fail(state, message, `a reference has a scheme that is not supported; expected ${FORMS}`);
}

function resolveVariable(state: Expansion, reference: string): string {
  const split = reference.indexOf(':-');
  const name = split === -1 ? reference : reference.slice(0, split);
  if (!NAME.test(name)) {
    const fault = `invalid name: must match regex ${NAME.source}`;
    return fail(state, `environment variable ${quoted(name)} has ${fault}`, `an environment variable has ${fault}`);
  }
  const value = Object.hasOwn(state.env, name) ? state.env[name] : undefined;
  if (value !== undefined) return value;
  if (split !== -1) return reference.slice(split + ':-'.length);
  state.warnings.push(`Configuration references unset environment variable ${quoted(name)}`);
  return '';
}

function resolveFile(state: Expansion, path: string): string {
  if (state.readFile === undefined) {
    return fail(state, `scheme "file" is not supported here, for uri ${quoted(`file:${path}`)}`);
  }
  if (path === '') return fail(state, `a file reference has no path; expected \${file:PATH}`);
  const file = state.readFile(path);
  if ('fault' in file) return fail(state, `file ${quoted(path)} ${file.fault}`);
  if (state.isWhole) state.file = path;
  return file.text.replace(/\r?\n$/, '');
}

/** Stops at the first problem, because the rest would be parsed wrongly. */
function fail(state: Expansion, message: string, withoutText?: string): string {
  if (state.problems.length === 0) state.problems.push({ message, ...(withoutText !== undefined && { withoutText }) });
  state.offset = state.source.length;
  return '';
}
