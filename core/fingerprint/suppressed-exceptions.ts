import { isJsonObject, type JsonValue, ownValue } from '../event/json.js';

/** https://develop.sentry.dev/sdk/data-model/event-payloads/exception/; a source such as `suppressed[0]` says the same. */
const SUPPRESSED = 'suppressed';
/** Coroutines of Kotlin attach one to say where they ran, and boundaries of React one that lists the components around it. */
const DIAGNOSTIC = /(?:^|\.)DiagnosticCoroutineContextException$|^React ErrorBoundary /;

/**
 * Indexes of sent exceptions that happened beside the main one, such as while closing a file: those that were suppressed, and what caused
 * them. None if nothing else was sent.
 */
export function suppressedIn(values: readonly JsonValue[]): ReadonlySet<number> {
  const found = new Set<number>();
  if (values.length < 2) return found;
  const open = [...values.keys()].filter((index) => isSuppressed(values[index]));
  if (open.length === 0) return found;
  const children = childrenById(values);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (found.has(index)) continue;
    found.add(index);
    for (const child of children.get(mechanismOf(values[index], 'exception_id')) ?? []) open.push(child);
  }
  const isRest = (value: JsonValue, index: number) => isJsonObject(value) && !found.has(index);
  return values.some(isRest) ? found : new Set();
}

function isSuppressed(exception: JsonValue | undefined): boolean {
  const source = mechanismOf(exception, 'source');
  const type = ownValue(exception, 'type');
  return (
    mechanismOf(exception, 'type') === SUPPRESSED ||
    (typeof source === 'string' && source.startsWith(SUPPRESSED)) ||
    (typeof type === 'string' && DIAGNOSTIC.test(type))
  );
}

/** The indexes of the exceptions that name an exception as their parent. */
function childrenById(values: readonly JsonValue[]): ReadonlyMap<JsonValue | undefined, number[]> {
  const children = new Map<JsonValue | undefined, number[]>();
  for (const [index, value] of values.entries()) {
    const parent = mechanismOf(value, 'parent_id');
    if (typeof parent !== 'number') continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [index]);
    else siblings.push(index);
  }
  return children;
}

function mechanismOf(exception: JsonValue | undefined, key: string): JsonValue | undefined {
  return ownValue(ownValue(exception, 'mechanism'), key);
}
