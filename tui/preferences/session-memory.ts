/** A list of issues under a name that a person gave it. */
export interface RememberedView {
  readonly name: string;
  readonly query: string;
  readonly tab: string;
  readonly sort: string;
  readonly isGrouped: boolean;
}

/** Where one left the list of issues. */
export interface RememberedPlace {
  readonly tab: string;
  readonly query: string;
  readonly sort: string;
  readonly isGrouped: boolean;
  /** The selected issue; absent: none was. */
  readonly selectedIssueId?: string;
}

/**
 * What the terminal remembers from one run to the next. Everything in it is data: text came from people and events, and tabs, sorts and ids may be those of
 * another version or of a store that is gone, so check them before use.
 */
export interface SessionMemory {
  /** The latest last, each once, at most 200. */
  readonly queries: readonly string[];
  /** Each name once, at most 100. */
  readonly views: readonly RememberedView[];
  /** By the name of the context, and '' where there is none; the latest last, at most 50. */
  readonly places: ReadonlyMap<string, RememberedPlace>;
  /** Absent: as the preferences say. */
  readonly time?: 'utc' | 'local';
  /** Absent: as the preferences say. */
  readonly isMouseOn?: boolean;
}

/** What the first run remembers. */
export const EMPTY_MEMORY: SessionMemory = { queries: [], views: [], places: new Map() };

/** How much is remembered; what is older, or longer, is forgotten. */
export const MEMORY_LIMITS = { queries: 200, views: 100, places: 50, textUnits: 1_000 } as const;
