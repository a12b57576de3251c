import { EMPTY_MEMORY, type RememberedListState, type SessionMemory } from '../preferences/session-memory.js';
import type { SessionMemoryFile } from '../preferences/session-memory-file.js';
import { sourceOf } from '../screens/lists/views-menu.js';
import { tabLabel } from '../state/issue-tabs.js';
import type { IssueSource } from '../state/issues-state.js';
import {
  type DisplayPreferences,
  type StartOptions,
  type StateChange,
  type TerminalState,
  topScreen,
  withNotice,
  withTop,
} from '../state/terminal-state.js';
import { ago } from '../text/moments.js';

const MINUTE_MS = 60_000;

/** What the terminal remembers of a session, and where the next session of the same context begins. I/O errors are ignored. */
export class SavedSession {
  readonly #name: string | undefined;
  readonly #file: SessionMemoryFile | undefined;
  #saved: SessionMemory;
  #last: TerminalState | undefined;

  private constructor(name: string | undefined, file: SessionMemoryFile | undefined) {
    this.#name = name;
    this.#file = file;
    this.#saved = file?.memory ?? EMPTY_MEMORY;
  }

  /** Opens the memory of a context by its name; without a name nothing is saved. Never rejects. */
  static async open(name: string | undefined, env: NodeJS.ProcessEnv): Promise<SavedSession> {
    if (name === undefined) return new SavedSession(undefined, undefined);
    const { SessionMemoryFile } = await import('../preferences/session-memory-file.js');
    return new SavedSession(name, await SessionMemoryFile.open(env));
  }

  /** The saved state as start options. */
  restore(habits: DisplayPreferences): Pick<StartOptions, 'habits' | 'memory' | 'resume'> {
    const memory = this.#saved;
    return {
      memory,
      habits: { ...habits, time: memory.time ?? habits.time, mouse: memory.mouse ?? habits.mouse },
      resume: resumeAt(this.#name === undefined ? undefined : memory.places.get(this.#name)),
    };
  }

  /** Called after every change of the state; saves what differs. */
  record(state: TerminalState): void {
    this.#save(state.memory);
    this.#last = state;
  }

  /** Writes pending changes. */
  async close(): Promise<void> {
    if (this.#last !== undefined && this.#name !== undefined) this.#save(withPlace(this.#last, this.#name));
    await this.#file?.close();
  }

  #save(memory: SessionMemory): void {
    if (memory !== this.#saved) this.#file?.save(memory);
    this.#saved = memory;
  }
}

function withPlace(state: TerminalState, name: string): SessionMemory {
  const places = new Map(state.memory.places);
  // Deleted first: the map is ordered by last use.
  places.delete(name);
  places.set(name, currentPlace(state));
  return { ...state.memory, places };
}

/** The query, tab, order and selection of the issue list, at this time. */
export function currentPlace({ stack: [{ wanted, list }], nowMs }: TerminalState): RememberedListState {
  const { query, tab, sort } = wanted;
  const selected = list.selectedId !== undefined && { selected_issue_id: list.selectedId };
  return { query, tab, sort, ...selected, saved_at_ms: nowMs };
}

const MAX_AGE_MS = 24 * 3_600_000;

/** Restores a place of the issue list, and says so. Changes nothing if the place is missing, a day old or of another version. */
export function resumeAt(place: RememberedListState | undefined): StateChange {
  const wanted = place && sourceOf(place);
  return (state) => {
    const screen = topScreen(state);
    if (place === undefined || wanted === undefined || screen.kind !== 'issues') return state;
    const { saved_at_ms: savedAtMs = state.nowMs, selected_issue_id: selectedId } = place;
    if (state.nowMs - savedAtMs >= MAX_AGE_MS) return state;
    const restored = withTop(state, { ...screen, wanted, list: { ...screen.list, selectedId } });
    const isPlain = wanted.query === '' && wanted.tab === screen.wanted.tab;
    return isPlain ? restored : withNotice(restored, restoredText(wanted, state.nowMs - savedAtMs));
  };
}

function restoredText({ tab, query }: IssueSource, ageMs: number): string {
  const from = ageMs < MINUTE_MS ? 'Restored' : `Restored from ${ago(new Date(0).toISOString(), ageMs)}`;
  const filter = query === '' ? '.' : ' with a filter. Esc clears the filter.';
  return `${from}: tab ${tabLabel(tab)}${filter}`;
}
