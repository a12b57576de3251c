/** A saved view of the list of issues. */
export interface RememberedView {
  readonly name: string;
  readonly query: string;
  readonly tab: string;
  readonly sort: string;
}

/** The state in which a person left the list of issues. */
export interface RememberedListState {
  readonly tab: string;
  readonly query: string;
  readonly sort: string;
  readonly selectedIssueId?: string;
  /** Milliseconds since the epoch; absent in files of older versions. */
  readonly savedAtMs?: number;
}

/**
 * State that survives a restart of the terminal. Check it before use: tabs, sorts and ids may come from another version or another store.
 */
export interface SessionMemory {
  /** Unique, newest last, at most 200. */
  readonly queries: readonly string[];
  /** With unique names, at most 100. */
  readonly views: readonly RememberedView[];
  /** By the name of the context, '' without one; newest last, at most 50. */
  readonly listStates: ReadonlyMap<string, RememberedListState>;
  /** Absent: as in the preferences. */
  readonly time?: 'utc' | 'local';
  /** Absent: as in the preferences. */
  readonly isMouseOn?: boolean;
  /** Absent: by the height of the window. */
  readonly isPreviewOn?: boolean;
}

export const EMPTY_MEMORY: SessionMemory = { queries: [], views: [], listStates: new Map() };

/** Older entries and longer texts are removed. */
export const MEMORY_LIMITS = { queries: 200, views: 100, places: 50, textUnits: 1_000 } as const;
