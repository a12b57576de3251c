import { auditFolder } from './audit.js';
import { livesOf } from './random-lives.js';
import { seedsToRun } from './seeds.js';

/** Seeds of a normal run; FAULTLINE_SEEDS=5000 runs more, FAULTLINE_SEED=17 that one alone. */
const SEEDS = 20;

describe('a collector with repeated power failures at any moment', () => {
  it.each([
    ['fsync', 'keeps every answered event', 1],
    ['os', 'opens whatever is left, doubles nothing of it, and counts it right when its index is made anew', 4],
  ] as const)('under durability %s %s', async (durability, _promise, share) => {
    for (const seed of seedsToRun(Math.ceil(SEEDS / share))) {
      try {
        await auditFolder(await livesOf(seed, durability));
      } catch (error) {
        throw new Error(`FAULTLINE_SEED=${seed} shows what fails under ${durability}`, { cause: error });
      }
    }
  });
});
