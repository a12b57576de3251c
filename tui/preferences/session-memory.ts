import { isJsonObject, type JsonObject, parseJson } from '../../core/event/json.js';

/** A saved view of the list of issues. */
export interface RememberedView {
  readonly name: string;
  readonly query: string;
  readonly tab: string;
  readonly sort: string;
}

/** The state in which the user left the list of issues. */
export interface RememberedListState extends Omit<RememberedView, 'name'> {
  readonly selected_issue_id?: string;
  /** Milliseconds since the epoch; absent in files of older versions. */
  readonly saved_at_ms?: number;
}

/** State that survives a restart, named as in its file. Check it before use: tabs, sorts and ids may come from another version or store. */
export interface SessionMemory {
  /** Unique, newest last, at most 200. */
  readonly queries: readonly string[];
  /** With unique names, at most 100. */
  readonly views: readonly RememberedView[];
  /** By the name of the context, '' without one; newest last, at most 50. */
  readonly places: ReadonlyMap<string, RememberedListState>;
  /** Absent: as in the preferences. */
  readonly time?: 'utc' | 'local';
  /** Absent: as in the preferences. */
  readonly mouse?: boolean;
  /** Absent: by the height of the window. */
  readonly preview?: boolean;
}

export const EMPTY_MEMORY: SessionMemory = { queries: [], views: [], places: new Map() };

/** Older entries and longer texts are removed. */
export const MEMORY_LIMITS = { queries: 200, views: 100, places: 50, textUnits: 1_000 } as const;

/** The content of a file. */
export interface ParsedMemory {
  readonly memory: SessionMemory;
  /** Members of other versions, which are preserved. */
  readonly others: JsonObject;
  /** False if something has a wrong type; the rest of the memory is there. */
  readonly isValid: boolean;
}

/** Parses the text of a file; the empty memory if it is not a JSON object. */
export function parseMemory(text: string): ParsedMemory {
  const document = parseJson(text);
  if (!isJsonObject(document)) return { memory: EMPTY_MEMORY, others: {}, isValid: false };
  const { queries = [], views = [], places = {}, time, mouse, preview, ...others } = document;
  const flags = [true, false] as const;
  let isValid = isJsonObject(places);
  const onlyValid = <T>(items: unknown, is: (item: unknown) => item is T): T[] => {
    const list: readonly unknown[] = Array.isArray(items) ? items : [undefined];
    const valid = list.filter(is);
    isValid &&= valid.length === list.length;
    return valid;
  };
  const optional = <Name extends string, T>(name: Name, value: unknown, allowed: readonly T[]) => {
    const choice = allowed.find((item) => item === value);
    isValid &&= choice === value;
    return choice === undefined ? undefined : ({ [name]: choice } as Record<Name, T>);
  };
  const validViews = onlyValid(views, isView);
  const validPlaces = onlyValid(Object.entries(places ?? {}), isPlaceEntry);
  const memory: SessionMemory = {
    queries: [...new Set(onlyValid(queries, isText))].slice(-MEMORY_LIMITS.queries),
    views: [...new Map(validViews.map((view) => [view.name, view])).values()].slice(-MEMORY_LIMITS.views),
    places: new Map(
      validPlaces.map(([name, place]) => [name, validPlace(place)] as const).slice(-MEMORY_LIMITS.places),
    ),
    ...optional('time', time, ['utc', 'local'] as const),
    ...optional('mouse', mouse, flags),
    ...optional('preview', preview, flags),
  };
  return { memory, others, isValid };
}

/** The text of a file without entries that are too old or too long. */
export function formatMemory(memory: SessionMemory, others: JsonObject): string {
  const places = [...memory.places].filter(([name, place]) => [name, place.query].every(isText));
  const document = {
    ...others,
    ...memory,
    queries: memory.queries.filter(isText).slice(-MEMORY_LIMITS.queries),
    views: memory.views.filter(isView).slice(-MEMORY_LIMITS.views),
    places: Object.fromEntries(places.slice(-MEMORY_LIMITS.places)),
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

interface Place extends Omit<RememberedView, 'name'> {
  readonly selected_issue_id?: unknown;
  readonly saved_at_ms?: unknown;
}

function validPlace({ query, tab, sort, selected_issue_id, saved_at_ms }: Place): RememberedListState {
  return {
    query,
    tab,
    sort,
    ...(isText(selected_issue_id) && { selected_issue_id }),
    ...(typeof saved_at_ms === 'number' && { saved_at_ms }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MEMORY_LIMITS.textUnits;
}

function isPlace(value: unknown): value is Place {
  return isJsonObject(value) && [value['query'], value['tab'], value['sort']].every(isText);
}

function isView(value: unknown): value is RememberedView {
  return isPlace(value) && 'name' in value && isText(value.name);
}

function isPlaceEntry(entry: unknown): entry is [string, Place] {
  return Array.isArray(entry) && isText(entry[0]) && isPlace(entry[1]);
}
