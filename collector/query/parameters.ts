import type { IncomingMessage } from 'node:http';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { RequestFault } from '../http/messages/http-fault.js';

/** Parses one query parameter. */
export interface Parameter<Value> {
  /** Completes "must be …". */
  readonly expects: string;
  /** Undefined if the text is invalid. */
  readonly parse: (text: string) => Value | undefined;
}

/** The parameters of a path, by name. */
type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

/** The values of the parameters that are present. */
type ParameterValues<Table extends ParameterTable> = {
  [Name in keyof Table]?: Table[Name] extends Parameter<infer Value> ? Value : never;
};

/** Parses a query string. Throws `PARAMETER_UNKNOWN` and `PARAMETER_INVALID`, which name the parameter. */
export function parseParameters<Table extends ParameterTable>(
  request: IncomingMessage,
  table: Table,
): ParameterValues<Table> {
  const target = request.url ?? '';
  const given = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?')) : '');
  const values: Record<string, unknown> = {};
  for (const name of new Set(given.keys())) {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter === undefined) throw unknownParameter(name, Object.keys(table));
    const [text = '', ...more] = given.getAll(name);
    if (more.length > 0) throw invalidParameter(name, 'is given more than once');
    values[name] = parseParameter(name, text, parameter);
  }
  return values as ParameterValues<Table>;
}

/** Throws `PARAMETER_INVALID`. */
export function parseParameter<Value>(name: string, text: string, parameter: Parameter<Value>): Value {
  const value = parameter.parse(text);
  if (value === undefined) throw invalidParameter(name, `must be ${parameter.expects}, not ${quoted(text)}`);
  return value;
}

/** The fault `PARAMETER_INVALID` for a missing parameter. */
export function missingParameter(name: string): RequestFault {
  return invalidParameter(name, 'is missing');
}

function invalidParameter(name: string, problem: string): RequestFault {
  return new RequestFault('PARAMETER_INVALID', `parameter ${name} ${problem}`, { members: { parameter: name } });
}

function unknownParameter(name: string, known: readonly string[]): RequestFault {
  return new RequestFault('PARAMETER_UNKNOWN', `no parameter ${quoted(name)}: ${nameHint(name, known)}`, {
    members: { parameter: name.slice(0, 100) },
  });
}

/** Suggests a known name for an unknown one, or lists all. */
export function nameHint(name: string, known: readonly string[]): string {
  const similar = closest(name, known);
  if (similar !== undefined) return `did you mean ${similar}?`;
  return known.length === 0 ? 'this request has none' : `known are ${known.join(', ')}`;
}
