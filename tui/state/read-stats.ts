import { isLost, type SourceState } from '../../core/merged/source.js';
import type { EffectContext } from './effect-context.js';
import type { StateRead, TerminalState } from './terminal-state.js';

/** Reads the statistics of the store and the states of its sources. */
export const READ_STATS: StateRead = {
  name: 'stats',
  perform: async (reader) => {
    const stats = await reader.stats();
    const sources = reader.sources();
    return (state) => {
      const known = isSame(sources, state.sources) ? state : withSources(state, sources);
      const stale = staleIssues(known, reader);
      const current = isSame([...stale], [...known.stale]) ? known : { ...known, stale };
      return isSame(stats, current.stats) ? current : { ...current, stats };
    };
  },
};

/** Reloads the list when a lost source is back. */
function withSources(state: TerminalState, sources: readonly SourceState[]): TerminalState {
  const lost = new Set(state.sources.filter(isLost).map(({ name }) => name));
  const isBack = sources.some(({ kind, name }) => kind === 'connected' && lost.has(name));
  if (!isBack) return { ...state, sources };
  const [issues, ...above] = state.stack;
  return { ...state, sources, stack: [{ ...issues, shown: undefined }, ...above] };
}

/** The loaded issues whose sources are all lost, with the names of these. */
function staleIssues({ stack, sources }: TerminalState, reader: EffectContext['reader']): TerminalState['stale'] {
  const lost = new Set(sources.filter((one) => isLost(one) && one.isPeer !== true).map(({ name }) => name));
  if (lost.size === 0 || lost.size === sources.length) return new Map();
  const owned = stack[0].list.rows.map(({ issue_id }) => [issue_id, reader.ownersOf(issue_id)] as const);
  const stale = owned.filter(([, owners]) => owners.length > 0 && owners.every((name) => lost.has(name)));
  return new Map(stale.map(([id, owners]) => [id, owners.join(', ')]));
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
