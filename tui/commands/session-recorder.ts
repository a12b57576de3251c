import { EMPTY_MEMORY, type RememberedListState, type SessionMemory } from '../preferences/session-memory.js';
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

/** Opens the saved state of a context; without a name nothing is saved. Never rejects: I/O errors are ignored. */
export async function openSessionRecorder(name: string | undefined, env: NodeJS.ProcessEnv) {
  const { openSessionMemory } = await import('../preferences/open-session-memory.js');
  const file = name === undefined ? undefined : await openSessionMemory(env);
  const memory = file?.memory ?? EMPTY_MEMORY;
  let last: TerminalState | undefined;
  let saved = memory;
  const save = (changed: SessionMemory): void => {
    if (changed !== saved) file?.save(changed);
    saved = changed;
  };
  return {
    /** The saved state as start options. */
    restore: (habits: DisplayPreferences): Pick<StartOptions, 'habits' | 'memory' | 'resume'> => ({
      memory,
      habits: { ...habits, time: memory.time ?? habits.time, mouse: memory.mouse ?? habits.mouse },
      resume: resumeAt(name === undefined ? undefined : memory.places.get(name)),
    }),
    /** Called after every change of the state; saves what differs. */
    record(state: TerminalState): void {
      save(state.memory);
      last = state;
    },
    /** Writes pending changes. */
    async close(): Promise<void> {
      if (last !== undefined && name !== undefined) save(withPlace(last, name));
      await file?.close();
    },
  };
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
