import type { Request } from 'express';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import type { JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import { parseTimestamp } from '../../core/normalize/timestamp.js';
import { RequestFault } from '../http/messages/http-fault.js';

/** One parameter of a path or a query string. */
export interface Parameter<Value> {
  /** Completes "must be …". */
  readonly expects: string;
  /** Undefined if the text is invalid. */
  readonly parse: (text: string) => Value | undefined;
  readonly schema: JsonObject;
  readonly description: string;
  readonly isRequired?: true;
}

/** The parameters of a route, by name. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

type ValueOf<One> = One extends Parameter<infer Value> ? Value : never;

/** The values of the parameters that are present. */
export type ParameterValues<Table extends ParameterTable> = {
  [Name in keyof Table as Table[Name] extends { readonly isRequired: true } ? Name : never]: ValueOf<Table[Name]>;
} & {
  [Name in keyof Table as Table[Name] extends { readonly isRequired: true } ? never : Name]?: ValueOf<Table[Name]>;
};

/** Parses the parameters of a request. Throws `PARAMETER_UNKNOWN` and `PARAMETER_INVALID`, which name the parameter. */
export function parseParameters<Table extends ParameterTable>(
  { url = '', params }: Pick<Request, 'params'> & { readonly url?: string },
  table: Table,
): ParameterValues<Table> {
  const values: Record<string, unknown> = {};
  const inQuery = new Map<string, Parameter<unknown>>();
  for (const [name, parameter] of Object.entries(table)) {
    if (Object.hasOwn(params, name)) values[name] = parseParameter(name, String(params[name]), parameter);
    else inQuery.set(name, parameter);
  }
  const searchParameters = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
  for (const name of new Set(searchParameters.keys())) {
    const parameter = inQuery.get(name);
    if (parameter === undefined) {
      const sentence = `no parameter ${quoted(name)}: ${nameHint(name, [...inQuery.keys()])}`;
      throw new RequestFault('PARAMETER_UNKNOWN', sentence, { members: { parameter: cutText(name, 100) } });
    }
    const [text = '', ...more] = searchParameters.getAll(name);
    if (more.length > 0) throw invalidParameter(name, 'is given more than once');
    values[name] = parseParameter(name, text, parameter);
  }
  for (const [name, { isRequired }] of inQuery) {
    if (isRequired && values[name] === undefined) throw invalidParameter(name, 'is missing');
  }
  return values as ParameterValues<Table>;
}

function parseParameter<Value>(name: string, text: string, parameter: Parameter<Value>): Value {
  const value = parameter.parse(text);
  if (value === undefined) throw invalidParameter(name, `must be ${parameter.expects}, not ${quoted(text)}`);
  return value;
}

function invalidParameter(name: string, problem: string): RequestFault {
  return new RequestFault('PARAMETER_INVALID', `parameter ${name} ${problem}`, { members: { parameter: name } });
}

/** Suggests a known name for an unknown one, or lists all. */
export function nameHint(name: string, known: readonly string[]): string {
  const similar = closest(name, known);
  if (similar !== undefined) return `did you mean ${similar}?`;
  return known.length === 0 ? 'this request has none' : `known are ${known.join(', ')}`;
}

/** Any text. */
export function text(description: string): Parameter<string> {
  return { expects: 'a text', parse: (value) => value, schema: { type: 'string' }, description };
}

/** A time, as it is written. */
export function time(description: string): Parameter<string> {
  const parse = (value: string) => (parseTimestamp(value) === undefined ? undefined : value);
  return { expects: 'a time, for example 2026-11-21T10:00:00Z', parse, schema: { type: 'string' }, description };
}

/** One of some words. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  byDefault: Value,
  description: string,
): Parameter<Value> {
  const parse = (text: string) => values.find((value) => value === text);
  const schema = { type: 'string', enum: [...values], default: byDefault };
  return { expects: `one of ${values.join(', ')}`, parse, schema, description };
}

/** A whole number from 1; `maximum` has three digits. */
export function wholeNumber(maximum: number, byDefault: number, description: string): Parameter<number> {
  return {
    expects: `a whole number from 1 to ${maximum}`,
    parse: (digits) => (/^[1-9][0-9]{0,2}$/.test(digits) && Number(digits) <= maximum ? Number(digits) : undefined),
    schema: { type: 'integer', minimum: 1, maximum, default: byDefault },
    description,
  };
}

/** The parameter, which every request must have. */
export function required<Value>(parameter: Parameter<Value>) {
  return { ...parameter, isRequired: true as const };
}
