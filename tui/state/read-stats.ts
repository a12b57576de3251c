import type { StateRead } from './terminal-state.js';

/** The store's numbers. */
export const READ_STATS: StateRead = {
  name: 'stats',
  perform: async (reader) => {
    const stats = await reader.stats();
    return (state) => (JSON.stringify(stats) === JSON.stringify(state.stats) ? state : { ...state, stats });
  },
};

/** What the person may do here. */
export const READ_ACCESS: StateRead = {
  name: 'access',
  perform: async (reader) => {
    const access = await reader.access();
    return (state) => (access.actions === state.access?.actions ? state : { ...state, access });
  },
};
