import { createMemoryDisk } from '../record/memory-disk.js';
import { HOUR_MS, openFolder } from './folder-under-retention.js';

describe('a search through all events', () => {
  it('skips removed events, and ends at a removed cursor', async () => {
    const disk = createMemoryDisk();
    const retention = { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 };
    const { store, at, faults } = await openFolder(disk.files, { retention });
    await at(0, [1, 2, 1]);
    await at(1.5, [1], { service: 'web' });
    await at(3.25, [1, 3]);
    const { reader } = store;
    const first = await reader.searchEvents({ query: 'level:error', limit: 4 });
    expect(first.events).toHaveLength(4);
    await store.retain();
    const rest = await reader.searchEvents({ query: 'level:error', cursor: first.next_cursor ?? '' });
    expect(rest).toMatchObject({ events: [], next_cursor: null, is_complete: true });
    const left = await reader.searchEvents({ query: 'level:error' });
    expect(left.events.map(({ service }) => service)).toEqual(['api', 'api', 'web']);
    expect(left.total.events).toBe(3);
    await store.close();
    expect(faults).toEqual([]);
  });
});
