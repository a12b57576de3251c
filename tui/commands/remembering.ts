import { EMPTY_MEMORY, type RememberedPlace, type SessionMemory } from '../preferences/session-memory.js';
import { sourceOf } from '../screens/lists/views-menu.js';
import {
  type Habits,
  type StartOptions,
  type StateChange,
  type TerminalState,
  topScreen,
  withTop,
} from '../state/terminal-state.js';

/** What is kept from one run to the next, and where one goes on. */
export interface Remembering {
  /** How the terminal begins. */
  start(habits: Habits): Pick<StartOptions, 'habits' | 'memory' | 'resume'>;
  /** Keeps what changed; called after every change, writes now and then. */
  take(state: TerminalState): void;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** Opens the memory of a context; without a name nothing is kept. Never rejects: what cannot be read or written is left. */
export async function openRemembering(name: string | undefined, env: NodeJS.ProcessEnv): Promise<Remembering> {
  if (name === undefined) {
    return {
      start: (habits) => ({ habits, memory: EMPTY_MEMORY }),
      take: () => undefined,
      close: async () => undefined,
    };
  }
  const { openSessionMemory } = await import('../preferences/open-session-memory.js');
  // A terminal that cannot remember is still a terminal, and has no room to say so.
  const file = await openSessionMemory({ env, onFault: () => undefined });
  let last: TerminalState | undefined;
  let saved = file.memory;
  const save = (memory: SessionMemory): void => {
    if (memory === saved) return;
    saved = memory;
    file.save(memory);
  };
  return {
    start: (habits) => ({
      memory: file.memory,
      habits: {
        ...habits,
        ...(file.memory.time !== undefined && { time: file.memory.time }),
        ...(file.memory.isMouseOn !== undefined && { mouse: file.memory.isMouseOn }),
      },
      resume: resumedAt(file.memory.places.get(name)),
    }),
    take(state) {
      if (state.memory !== last?.memory) save(state.memory);
      last = state;
    },
    async close() {
      if (last !== undefined) save(withPlace(last, name));
      await file.close();
    },
  };
}

function withPlace(state: TerminalState, name: string): SessionMemory {
  const places = new Map(state.memory.places);
  places.delete(name);
  places.set(name, placeOfState(state));
  return { ...state.memory, places };
}

/** Where a person is in the list. */
export function placeOfState({ stack: [{ wanted, list }] }: TerminalState): RememberedPlace {
  return { ...wanted, ...(list.selectedId !== undefined && { selectedIssueId: list.selectedId }) };
}

/** What leads back to a remembered place of the list. Nothing where the place is of another version. */
export function resumedAt(place: RememberedPlace | undefined): StateChange {
  const wanted = place && sourceOf(place);
  return (state) => {
    const screen = topScreen(state);
    if (place === undefined || wanted === undefined || screen.kind !== 'issues') return state;
    const list = { ...screen.list, selectedId: place.selectedIssueId, isTouched: place.selectedIssueId !== undefined };
    return withTop(state, { ...screen, wanted, list });
  };
}
