import { isJsonObject } from '../../core/event/json.js';
import {
  EMPTY_MEMORY,
  MEMORY_LIMITS,
  type RememberedListState,
  type RememberedView,
  type SessionMemory,
} from './session-memory.js';

/** The known members of the document, and those of other versions, which are preserved. */
export interface MemoryDocument {
  readonly memory: SessionMemory;
  readonly others: Readonly<Record<string, unknown>>;
  /** False if a known member has a wrong type. */
  readonly isValid: boolean;
}

export const EMPTY_DOCUMENT: MemoryDocument = { memory: EMPTY_MEMORY, others: {}, isValid: true };

type Members = Readonly<Record<string, unknown>>;
/** Parses a value; undefined if it has a wrong type. */
type Parse<T> = (value: unknown) => T | undefined;

const INVALID: MemoryDocument = { ...EMPTY_DOCUMENT, isValid: false };

/** Parses a document leniently: returns the valid parts of any text. */
export function parseMemoryDocument(text: string): MemoryDocument {
  const value = parsedJson(text);
  if (!isJsonObject(value)) return INVALID;
  const { queries, views, places, time, mouse, preview, ...others } = value;
  const known = {
    queries: listOf(queries, textOf),
    views: listOf(views, viewOf),
    places: listOf(entriesOf(places), parseListState),
  };
  const isValid =
    Object.values(known).every((list) => list.isValid) &&
    isOneOf(time, [undefined, 'utc', 'local']) &&
    [mouse, preview].every((value) => isOneOf(value, [undefined, true, false]));
  const memory: SessionMemory = {
    queries: latest(new Set(known.queries.items), MEMORY_LIMITS.queries),
    views: latest(new Map(known.views.items.map((view) => [view.name, view])).values(), MEMORY_LIMITS.views),
    listStates: new Map(latest(known.places.items, MEMORY_LIMITS.places)),
    ...(time === 'utc' || time === 'local' ? { time } : {}),
    ...(typeof mouse === 'boolean' ? { isMouseOn: mouse } : {}),
    ...(typeof preview === 'boolean' ? { isPreviewOn: preview } : {}),
  };
  return { memory, others, isValid };
}

/** Serializes the document within `share` of the limits, default 1; leaves out long texts and the oldest entries. */
export function formatMemoryDocument(memory: SessionMemory, others: Members, share = 1): string {
  const limitOf = (kind: 'queries' | 'views' | 'places'): number => Math.ceil(MEMORY_LIMITS[kind] * share);
  const fits = (...texts: (string | undefined)[]): boolean =>
    texts.every((text = '') => text.length <= MEMORY_LIMITS.textUnits);
  const views = memory.views.filter(({ name, query, tab, sort }) => fits(name, query, tab, sort));
  const listStates = [...memory.listStates].filter(([name, listState]) =>
    fits(name, ...Object.values(listState).map(String)),
  );
  const document = {
    ...others,
    queries: latest(
      memory.queries.filter((query) => fits(query)),
      limitOf('queries'),
    ),
    views: latest(views, limitOf('views')),
    places: Object.fromEntries(
      latest(listStates, limitOf('places')).map(([name, { selectedIssueId, savedAtMs, ...listState }]) => [
        name,
        { ...listState, selected_issue_id: selectedIssueId, saved_at_ms: savedAtMs },
      ]),
    ),
    time: memory.time,
    mouse: memory.isMouseOn,
    preview: memory.isPreviewOn,
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

function latest<T>(items: Iterable<T>, count: number): T[] {
  return [...items].slice(-count);
}

function listOf<T>(value: unknown, parse: Parse<T>): { items: T[]; isValid: boolean } {
  if (value === undefined) return { items: [], isValid: true };
  if (!Array.isArray(value)) return { items: [], isValid: false };
  const list: readonly unknown[] = value;
  const items: T[] = [];
  for (const item of list) {
    const parsed = parse(item);
    if (parsed !== undefined) items.push(parsed);
  }
  return { items, isValid: items.length === list.length };
}

const textOf: Parse<string> = (value) =>
  typeof value === 'string' && value.length <= MEMORY_LIMITS.textUnits ? value : undefined;

const viewOf: Parse<RememberedView> = (value) => {
  const view = listStateOf(value);
  const name = isJsonObject(value) ? textOf(value['name']) : undefined;
  return view === undefined || name === undefined ? undefined : { name, ...view };
};

const parseListState: Parse<[string, RememberedListState]> = (entry) => {
  if (!Array.isArray(entry)) return undefined;
  const [name, place]: unknown[] = entry;
  const state = listStateOf(place);
  const context = textOf(name);
  if (state === undefined || context === undefined || !isJsonObject(place)) return undefined;
  const selectedIssueId = textOf(place['selected_issue_id']);
  const savedAtMs = place['saved_at_ms'];
  return [
    context,
    {
      ...state,
      ...(selectedIssueId !== undefined && { selectedIssueId }),
      ...(typeof savedAtMs === 'number' && { savedAtMs }),
    },
  ];
};

/** The members that a view and a place share. */
function listStateOf(value: unknown): Omit<RememberedView, 'name'> | undefined {
  if (!isJsonObject(value)) return undefined;
  const [query, tab, sort] = [value['query'], value['tab'], value['sort']].map(textOf);
  return query === undefined || tab === undefined || sort === undefined ? undefined : { query, tab, sort };
}

/** The entries of a map; undefined if it is missing, null for another type. */
function entriesOf(value: unknown): [string, unknown][] | null | undefined {
  if (isJsonObject(value)) return Object.entries(value);
  return value === undefined ? undefined : null;
}

function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.includes(value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
