import {
  EMPTY_MEMORY,
  MEMORY_LIMITS,
  type RememberedPlace,
  type RememberedView,
  type SessionMemory,
} from './session-memory.js';

/** The members of the document that we know, and those of other versions, which are kept. */
export interface MemoryDocument {
  readonly memory: SessionMemory;
  readonly others: Readonly<Record<string, unknown>>;
  /** False when something in it is not of the kind that we write. */
  readonly isSound: boolean;
}

export const EMPTY_DOCUMENT: MemoryDocument = { memory: EMPTY_MEMORY, others: {}, isSound: true };

type Members = Readonly<Record<string, unknown>>;
/** Reads a value, or answers undefined where it is of another kind. */
type Read<T> = (value: unknown) => T | undefined;

const UNSOUND: MemoryDocument = { ...EMPTY_DOCUMENT, isSound: false };

/** Reads a document from text; whatever the text is, the answer is what can be used of it. */
export function parseMemoryDocument(text: string): MemoryDocument {
  const value = parsedJson(text);
  if (!isMembers(value)) return UNSOUND;
  const { queries, views, places, time, mouse, ...others } = value;
  const known = {
    queries: listOf(queries, textOf),
    views: listOf(views, viewOf),
    places: listOf(entriesOf(places), placeEntryOf),
  };
  const isSound =
    Object.values(known).every((list) => list.isSound) &&
    isOneOf(time, [undefined, 'utc', 'local']) &&
    isOneOf(mouse, [undefined, true, false]);
  const memory: SessionMemory = {
    queries: latest(new Set(known.queries.items), MEMORY_LIMITS.queries),
    views: latest(new Map(known.views.items.map((view) => [view.name, view])).values(), MEMORY_LIMITS.views),
    places: new Map(latest(known.places.items, MEMORY_LIMITS.places)),
    ...(time === 'utc' || time === 'local' ? { time } : {}),
    ...(typeof mouse === 'boolean' ? { isMouseOn: mouse } : {}),
  };
  return { memory, others, isSound };
}

/** The document as text; what is too much or too long of the memory is left out, the oldest first. `share` of the limits is kept, default 1. */
export function writeMemoryDocument(memory: SessionMemory, others: Members, share = 1): string {
  const limitOf = (kind: 'queries' | 'views' | 'places'): number => Math.ceil(MEMORY_LIMITS[kind] * share);
  const fits = (...texts: (string | undefined)[]): boolean =>
    texts.every((text = '') => text.length <= MEMORY_LIMITS.textUnits);
  const views = memory.views.filter(({ name, query, tab, sort }) => fits(name, query, tab, sort));
  const places = [...memory.places].filter(([name, place]) => fits(name, ...Object.values(place).map(String)));
  const document = {
    ...others,
    queries: latest(
      memory.queries.filter((query) => fits(query)),
      limitOf('queries'),
    ),
    views: latest(views, limitOf('views')).map(({ isGrouped, ...view }) => ({ ...view, grouped: isGrouped })),
    places: Object.fromEntries(latest(places, limitOf('places')).map(([name, place]) => [name, writtenPlace(place)])),
    time: memory.time,
    mouse: memory.isMouseOn,
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

function writtenPlace({ isGrouped, selectedIssueId, ...place }: RememberedPlace): Members {
  return { ...place, grouped: isGrouped, selected_issue_id: selectedIssueId };
}

/** The last so many. */
function latest<T>(items: Iterable<T>, count: number): T[] {
  return [...items].slice(-count);
}

function listOf<T>(value: unknown, read: Read<T>): { items: T[]; isSound: boolean } {
  if (value === undefined) return { items: [], isSound: true };
  if (!Array.isArray(value)) return { items: [], isSound: false };
  const list: readonly unknown[] = value;
  const items: T[] = [];
  for (const item of list) {
    const one = read(item);
    if (one !== undefined) items.push(one);
  }
  return { items, isSound: items.length === list.length };
}

const textOf: Read<string> = (value) =>
  typeof value === 'string' && value.length <= MEMORY_LIMITS.textUnits ? value : undefined;

const viewOf: Read<RememberedView> = (value) => {
  const view = listStateOf(value);
  const name = isMembers(value) ? textOf(value['name']) : undefined;
  return view === undefined || name === undefined ? undefined : { name, ...view };
};

const placeEntryOf: Read<[string, RememberedPlace]> = (entry) => {
  if (!Array.isArray(entry)) return undefined;
  const [name, place]: unknown[] = entry;
  const state = listStateOf(place);
  const context = textOf(name);
  if (state === undefined || context === undefined || !isMembers(place)) return undefined;
  const selectedIssueId = textOf(place['selected_issue_id']);
  return [context, { ...state, ...(selectedIssueId !== undefined && { selectedIssueId }) }];
};

/** What a view and a place have in common. */
function listStateOf(value: unknown): Omit<RememberedView, 'name'> | undefined {
  if (!isMembers(value)) return undefined;
  const { grouped } = value;
  const [query, tab, sort] = [value['query'], value['tab'], value['sort']].map(textOf);
  if (query === undefined || tab === undefined || sort === undefined || typeof grouped !== 'boolean') return undefined;
  return { query, tab, sort, isGrouped: grouped };
}

/** The entries of a map; undefined where there is none, null where something else stands. */
function entriesOf(value: unknown): [string, unknown][] | null | undefined {
  if (isMembers(value)) return Object.entries(value);
  return value === undefined ? undefined : null;
}

function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.includes(value);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
