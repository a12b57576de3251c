import { ownValue } from '../../event/json.js';
import type { RawPayload } from '../../event/raw-payload.js';
import { cutText, plainText } from '../../event/text.js';
import { suggestion } from '../../query/suggestion.js';
import { GroupingFault } from '../grouping-settings.js';
import { foldedMessage } from '../message/folded-message.js';
import type { DecidingFrames } from '../stack/deciding-frames.js';
import { PAYLOAD_VALUES, valueReader } from './payload-values.js';

const MAX_PARTS = 32;
const MAX_TEMPLATE = 1_024;
const VARIABLE = /\{\{([^{}]{0,240})\}\}/g;
const DEFAULT_VARIABLE = 'default';
const DEFAULT_TOKEN = '{{ default }}';

/** What variables read beside the payload. */
export interface Analysis {
  readonly errorName: string;
  /** Parameterized. */
  readonly message: string;
  readonly frames: DecidingFrames | null;
}

type ReadVariable = (payload: RawPayload, analysis: Analysis) => string;

const ANALYSED: ReadonlyMap<string, ReadVariable> = new Map<string, ReadVariable>([
  ['error_name', (_, { errorName }) => errorName],
  ['message', (_, { message }) => foldedMessage(message)],
  ['function', (_, { frames }) => frames?.shown.function ?? ''],
  ['module', (_, { frames }) => frames?.shown.module ?? ''],
  ['file', (_, { frames }) => frames?.shown.file ?? ''],
  ['transaction', transactionOf],
]);

/** The names of Sentry for the same: https://docs.sentry.io/concepts/data-management/event-grouping/fingerprint-rules/#variables. */
const SENTRY_NAMES: ReadonlyMap<string, string> = new Map([
  ['error.type', 'error_name'],
  ['type', 'error_name'],
  ['error.value', 'message'],
  ['value', 'message'],
  ['logger', 'tags.logger'],
  ['stack.function', 'function'],
  ['stack.module', 'module'],
  ['stack.package', 'module'],
  ['package', 'module'],
  ['stack.abs_path', 'file'],
]);

/** Inserts the variables of an entry that a client sent; unknown ones stay as text. */
export function expandEntry(entry: string, payload: RawPayload, analysis: Analysis): string {
  if (!entry.includes('{{')) return entry;
  return entry.replace(VARIABLE, (whole, name: string) => readerOf(name.trim())?.(payload, analysis) ?? whole);
}

/** The compiled `fingerprint` of a rule. */
export interface FingerprintTemplate {
  /** Whether the built-in parts count too. */
  readonly includesDefault: boolean;
  readonly fill: (payload: RawPayload, analysis: Analysis) => string[];
}

/** Compiles the `fingerprint` of a rule. Throws `GROUPING_INVALID`. */
export function compileTemplate(rule: string, parts: readonly string[]): FingerprintTemplate {
  if (parts.length === 0 || parts.length > MAX_PARTS) {
    throw new GroupingFault(rule, `fingerprint needs 1 to ${MAX_PARTS} parts.`);
  }
  const fills = parts.map((part) => templateOf(rule, part));
  const includesDefault = fills.includes(null);
  return {
    includesDefault,
    fill: (payload, analysis) => fills.map((fill) => (fill === null ? DEFAULT_TOKEN : fill(payload, analysis))),
  };
}

/** Null for `{{ default }}`, the built-in parts. */
function templateOf(rule: string, part: string): ReadVariable | null {
  if (part.length > MAX_TEMPLATE) {
    throw new GroupingFault(rule, `a part of fingerprint has more than ${MAX_TEMPLATE} characters.`);
  }
  const pieces: (string | ReadVariable)[] = [];
  let at = 0;
  for (const match of part.matchAll(VARIABLE)) {
    const name = (match[1] ?? '').trim();
    if (name === DEFAULT_VARIABLE) {
      if (part.trim() === match[0]) return null;
      throw new GroupingFault(rule, `{{ default }} stands for several parts: write it as a part of its own.`);
    }
    pieces.push(part.slice(at, match.index), variableOf(rule, name));
    at = match.index + match[0].length;
  }
  pieces.push(part.slice(at));
  return (payload, analysis) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : piece(payload, analysis))).join('');
}

function variableOf(rule: string, name: string): ReadVariable {
  const variable = readerOf(name);
  if (variable !== undefined) return variable;
  const known = [DEFAULT_VARIABLE, ...ANALYSED.keys(), ...PAYLOAD_VALUES];
  const what = `unknown variable {{ ${name} }}.${suggestion(name, known)}`;
  throw new GroupingFault(rule, `${what} Known are ${known.join(', ')}.`);
}

function readerOf(sent: string): ReadVariable | undefined {
  const name = SENTRY_NAMES.get(sent) ?? sent;
  return ANALYSED.get(name) ?? valueReader(name);
}

/** The route, else the transaction as it was sent. */
function transactionOf({ route, extra }: RawPayload): string {
  if (route !== '') return route;
  const sent = ownValue(ownValue(extra, 'sentry'), 'transaction');
  return typeof sent === 'string' ? plainText(cutText(sent, MAX_TEMPLATE)) : '';
}
