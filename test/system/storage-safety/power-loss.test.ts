import { auditFolder } from '../../core/storage/safety/audit.js';
import { runRandomLives } from './random-lives.js';
import { seedsToRun } from './seeds.js';

/** The default number of seeds. */
const SEEDS = 20;

describe('a collector with repeated power failures at any moment', () => {
  it.each([
    ['fsync', 'keeps every acknowledged event', 1],
    ['os', 'opens, duplicates nothing, and has correct counts in a rebuilt index', 4],
  ] as const)('under durability %s %s', async (durability, _promise, share) => {
    for (const seed of seedsToRun(Math.ceil(SEEDS / share))) {
      try {
        await auditFolder(await runRandomLives(seed, durability));
      } catch (error) {
        throw new Error(`FAULTLINE_SEED=${seed} fails with durability ${durability}`, { cause: error });
      }
    }
  });
});
