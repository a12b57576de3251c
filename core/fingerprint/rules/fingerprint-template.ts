import type { RawPayload } from '../../event/raw-payload.js';
import { suggestion } from '../../query/suggestion.js';
import { GroupingFault } from '../grouping-settings.js';
import type { DecidingFrames } from '../stack/deciding-frames.js';
import { PAYLOAD_VALUES, valueReader } from './payload-values.js';

const MAX_PARTS = 32;
const MAX_TEMPLATE = 1_024;
const VARIABLE = /\{\{([^{}]{0,240})\}\}/g;
const DEFAULT_VARIABLE = 'default';
const DEFAULT_TOKEN = '{{ default }}';

/** Variables that are not fields of the payload. */
interface Analysis {
  readonly errorName: string;
  /** Parameterized. */
  readonly message: string;
  readonly frames: DecidingFrames | null;
}

type ReadVariable = (payload: RawPayload, analysis: Analysis) => string;

const ANALYSED: ReadonlyMap<string, ReadVariable> = new Map<string, ReadVariable>([
  ['error_name', (_, { errorName }) => errorName],
  ['message', (_, { message }) => message],
  ['function', (_, { frames }) => frames?.shown.function ?? ''],
  ['module', (_, { frames }) => frames?.shown.module ?? ''],
  ['file', (_, { frames }) => frames?.shown.file ?? ''],
]);

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
  const variable = ANALYSED.get(name) ?? valueReader(name);
  if (variable !== undefined) return variable;
  const known = [DEFAULT_VARIABLE, ...ANALYSED.keys(), ...PAYLOAD_VALUES];
  const what = `unknown variable {{ ${name} }}.${suggestion(name, known)}`;
  throw new GroupingFault(rule, `${what} Known are ${known.join(', ')}.`);
}
