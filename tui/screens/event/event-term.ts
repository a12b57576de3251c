import { isJsonObject, type JsonValue, ownValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { printFieldName, printValue } from '../../../core/query/print-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import { findQueryField, isFieldOf, type PayloadPart, type QueryField } from '../../../core/query/query-fields.js';

/** A payload, or the normalized form of one. */
type Payload = PayloadPart & Pick<RawPayload, 'timestamp'>;

/** UTF-16 units of a value that may become part of a query. */
const MAX_VALUE = 1_000;

/** The query term that matches a value of an event, or excludes it; a sentence if no term can. */
export function eventTerm(
  payload: Payload,
  path: readonly (string | number)[],
  isExcluded: boolean,
): { readonly term: string } | string {
  const field = fieldOf(path);
  if (field === undefined) return 'This cannot be filtered by.';
  const value = valueAt(payload, path);
  if (typeof value === 'object' && value !== null) return 'Select a single value.';
  if (String(value).length > MAX_VALUE) return 'The value is too long to filter by.';
  const plain =
    value === null ? `NOT ${printFieldName(field.name)}:*` : `${printFieldName(field.name)}:${valueText(field, value)}`;
  const term = isExcluded ? (value === null ? `${printFieldName(field.name)}:*` : `NOT ${plain}`) : plain;
  const isMatch = value === null || fieldMatches(field, payload, value);
  return isMatch && isQuery(term) ? { term } : 'This cannot be filtered by.';
}

/** Members of an array are matched by the field of the array. */
function fieldOf(path: readonly (string | number)[]): QueryField | undefined {
  const [first, ...rest] = path;
  const keys = rest.filter((key) => typeof key === 'string');
  const numbers = rest.length - keys.length;
  if (numbers > 1 || (numbers === 1 && typeof rest.at(-1) === 'string')) return undefined;
  const name = [first, ...keys].join('.');
  const field = typeof first === 'string' ? findQueryField(name) : undefined;
  return field !== undefined && isFieldOf(field, 'events') ? field : undefined;
}

function valueAt(payload: Payload, path: readonly (string | number)[]): JsonValue | undefined {
  let value: JsonValue | undefined = { ...payload };
  for (const key of path) {
    value = Array.isArray(value) ? value[Number(key)] : isJsonObject(value) ? ownValue(value, String(key)) : undefined;
  }
  return value;
}

function valueText({ kind }: QueryField, value: JsonValue | undefined): string {
  if (typeof value === 'number' || (kind === 'time' && typeof value === 'string')) return String(value);
  return printValue(String(value), kind);
}

/** Whether the field's path leads to the value; a key that contains a dot may not be on the path. */
function fieldMatches(field: QueryField, payload: Payload, value: JsonValue | undefined): boolean {
  const found = field.ofPayload?.(payload);
  if (found === undefined) return true;
  return Array.isArray(found) ? found.includes(String(value)) : String(found) === String(value);
}

function isQuery(term: string): boolean {
  try {
    parseQuery(term, 'events');
    return true;
  } catch (error) {
    if (error instanceof QueryFault) return false;
    throw error;
  }
}
