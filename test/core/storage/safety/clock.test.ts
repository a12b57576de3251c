import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { auditFolder } from './audit.js';
import { LivingStore } from './living-store.js';
import { scanRecord } from './record-scan.js';
import { eventOf } from './sent-events.js';
import { StoreModel } from './store-model.js';

/** 2026-11-21 10:30 UTC. */
const HALF_PAST_TEN_MS = Date.UTC(2026, 10, 21, 10, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Changes of the wall clock before each batch, in milliseconds; the store restarts before every third batch. */
const CLOCKS: readonly (readonly [string, readonly number[]])[] = [
  ['stands still', [0, 0, 0, 0, 0, 0]],
  ['goes back by minutes', [0, -MINUTE_MS, -MINUTE_MS, 5 * MINUTE_MS, -MINUTE_MS, 0]],
  ['goes back over hours and returns', [0, -3 * HOUR_MS, 0, -HOUR_MS, 4 * HOUR_MS, -HOUR_MS, 2 * HOUR_MS]],
  ['jumps ahead a day and is corrected', [0, 24 * HOUR_MS, 0, -24 * HOUR_MS, MINUTE_MS, HOUR_MS, MINUTE_MS]],
  [
    'crosses an hour and goes back into the one before',
    [29 * MINUTE_MS, 2 * MINUTE_MS, -2 * MINUTE_MS, 0, 2 * MINUTE_MS, 0],
  ],
  ['begins at 1970', [-HALF_PAST_TEN_MS, 0, HOUR_MS, 0, HALF_PAST_TEN_MS, 0]],
];

describe('a store whose wall clock', () => {
  it.each(CLOCKS)(
    '%s dates events in the order of their arrival, and never returns to an earlier hour',
    async (_name, moves) => {
      const disk = createMemoryDisk();
      const model = new StoreModel();
      const clock = { nowMs: HALF_PAST_TEN_MS };
      let living = await LivingStore.open({ disk, model, clock });
      const arrived: string[] = [];
      const hours: string[] = [];
      for (const [batch, move] of moves.entries()) {
        clock.nowMs += move;
        if (batch % 3 === 2) {
          await living.store.close();
          living = await LivingStore.open({ disk, model, clock });
        }
        const events = ['web', 'api'].map((service) => eventOf({ message: `${batch} ${service}`, service }));
        const [first, second] = (await living.append(events)) ?? [];
        // Ids of one commit have the same time.
        arrived.push(...[first, second].map((stored) => stored?.event_id ?? '').sort());
        hours.push(first?.raw.path.split('/').slice(-5, -1).join('/') ?? '');
        expect(second?.raw.path).toContain(hours.at(-1));
      }
      expect(arrived).toEqual([...new Set(arrived)].sort());
      expect(hours).toEqual([...hours].sort());
      await living.store.close();

      const { lines } = await scanRecord(MEMORY_ROOT, disk.files);
      const instants = [...new Set(lines.map(({ receivedAtMicros }) => receivedAtMicros))];
      expect(instants.length).toBe(moves.length);
      expect(instants).toEqual([...instants].sort((a, b) => a - b));
      await auditFolder({ disk, model, clock });
    },
  );
});
