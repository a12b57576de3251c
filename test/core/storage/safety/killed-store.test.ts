import { auditFolder } from './audit.js';
import { diedAt } from './dying-store.js';
import { seededRandom } from './seeded-random.js';

/** Between the calls that are tried here; `test/system/storage-safety` tries all. */
const STEP = 23;

/** Runs `check` with some of the calls of a process that appends, acts, makes checkpoints and starts again. */
async function atSomeCalls(first: number, check: (at: number) => Promise<void>): Promise<void> {
  const { calls } = await diedAt(Number.POSITIVE_INFINITY, 'none');
  expect(calls).toBeGreaterThan(4 * STEP);
  for (let at = first; at < calls; at += STEP) await check(at);
}

describe('a store whose process ends in the middle of a start, a group commit or a checkpoint', () => {
  it('loses and duplicates nothing after a kill, whatever was done of the last call', async () => {
    await atSomeCalls(3, async (at) => {
      const effect = (['none', 'part', 'whole'] as const)[at % 3] ?? 'none';
      await auditFolder(await diedAt(at, effect, { durability: at % 2 === 0 ? 'os' : 'fsync' }));
    });
  });

  it('loses and duplicates no acknowledged event after a power failure', async () => {
    await atSomeCalls(11, async (at) => {
      await auditFolder(await diedAt(at, 'part', {}, seededRandom(at).next));
    });
  });
});
