import type { SourceState } from '../readers/source.js';
import type { StateRead, TerminalState } from './terminal-state.js';

/** Reads the statistics of the store and the states of its sources. */
export const READ_STATS: StateRead = {
  name: 'stats',
  perform: async (reader) => {
    const stats = await reader.stats();
    const sources = reader.sources();
    return (state) => {
      const known = isSame(sources, state.sources) ? state : withSources(state, sources);
      return isSame(stats, known.stats) ? known : { ...known, stats };
    };
  },
};

/** Reloads the list when a lost source is back. */
function withSources(state: TerminalState, sources: readonly SourceState[]): TerminalState {
  const lost = new Set(
    state.sources.flatMap(({ kind, name }) => (kind === 'lost' || kind === 'unauthorized' ? [name] : [])),
  );
  const isBack = sources.some(({ kind, name }) => kind === 'connected' && lost.has(name));
  if (!isBack) return { ...state, sources };
  const [issues, ...above] = state.stack;
  return { ...state, sources, stack: [{ ...issues, shown: undefined }, ...above] };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Reads what the user may do. */
export const READ_ACCESS: StateRead = {
  name: 'access',
  perform: async (reader) => {
    const access = await reader.access();
    return (state) => (access.actions === state.access?.actions ? state : { ...state, access });
  },
};
