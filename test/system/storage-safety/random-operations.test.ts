import { auditFolder } from '../../core/storage/safety/audit.js';
import { seededRandom } from '../../core/storage/safety/seeded-random.js';
import { pickOperation, StoreWorld } from './operations.js';

const OPERATIONS_PER_SEED = 120;
const SEEDS = 8;
/** FAULTLINE_MODEL_SECONDS=3600 runs new seeds for an hour. */
const SECONDS = Number(process.env['FAULTLINE_MODEL_SECONDS'] ?? 0);
/** FAULTLINE_SEED=17 runs that seed alone. */
const ONLY_SEED = process.env['FAULTLINE_SEED'];

async function runSeed(seed: number): Promise<void> {
  const world = new StoreWorld(seededRandom(seed));
  const done: string[] = [];
  try {
    await world.open();
    while (done.length < OPERATIONS_PER_SEED) {
      const operation = pickOperation(world.random);
      done.push(operation.name);
      await operation.run(world);
    }
    await world.close();
    await auditFolder(world);
  } catch (error) {
    const last = done.slice(-8).join(', ');
    throw new Error(`FAULTLINE_SEED=${seed} fails after ${done.length} operations: ${last}`, { cause: error });
  }
}

describe('a store under random operations', () => {
  it(
    'holds the events of a plain map',
    async () => {
      if (ONLY_SEED !== undefined) return await runSeed(Number(ONLY_SEED));
      const end = Date.now() + SECONDS * 1000;
      for (let seed = 1; seed <= SEEDS || Date.now() < end; seed += 1) await runSeed(seed);
    },
    (SECONDS + 600) * 1000,
  );
});
