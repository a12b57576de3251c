import type { IncomingMessage } from 'node:http';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { RequestFault } from '../http/messages/http-fault.js';

/** How one parameter's text is read. */
export interface Parameter<Value> {
  /** Completes "must be …". */
  readonly expects: string;
  /** Undefined when the text is not what is expected. */
  readonly parse: (text: string) => Value | undefined;
}

/** The parameters that a path takes, by name. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

/** The values that were given. */
export type ParameterValues<Table extends ParameterTable> = {
  [Name in keyof Table]?: Table[Name] extends Parameter<infer Value> ? Value : never;
};

/** Reads a request's query string. Throws `PARAMETER_UNKNOWN` and `PARAMETER_INVALID`, which name the parameter. */
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

/** Reads one value. Throws `PARAMETER_INVALID`. */
export function parseParameter<Value>(name: string, text: string, parameter: Parameter<Value>): Value {
  const value = parameter.parse(text);
  if (value === undefined) throw invalidParameter(name, `must be ${parameter.expects}, not ${quoted(text)}`);
  return value;
}

/** `PARAMETER_INVALID`: a parameter that has to be given was not. */
export function missingParameter(name: string): RequestFault {
  return invalidParameter(name, 'is missing');
}

function invalidParameter(name: string, problem: string): RequestFault {
  return new RequestFault('PARAMETER_INVALID', `parameter ${name} ${problem}`, { members: { parameter: name } });
}

function unknownParameter(name: string, known: readonly string[]): RequestFault {
  const meant = closest(name, known);
  const taken = known.length === 0 ? 'none is taken here' : `known are ${known.join(', ')}`;
  const hint = meant === undefined ? taken : `did you mean ${meant}?`;
  return new RequestFault('PARAMETER_UNKNOWN', `there is no parameter ${quoted(name)}: ${hint}`, {
    members: { parameter: name.slice(0, 100) },
  });
}
