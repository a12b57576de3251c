import { seededRandom } from '../../core/storage/safety/seeded-random.js';
import { DAY_MS, HOUR_MS, MAX_AGE_MS, Machine, MINUTE_MS, YEAR_MS } from '../../core/storage/safety/wrong-clock.js';
import { seedsToRun } from './seeds.js';

describe('a machine whose clock changes at random', () => {
  it.each(seedsToRun(12))('keeps young hours, removes old ones, and its ids ascend (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const machine = new Machine();
    await machine.open();
    const span = (): number => random.pick([MINUTE_MS, HOUR_MS, 5 * HOUR_MS, 10 * DAY_MS, 10 * YEAR_MS]);
    const steps: [() => unknown, ...(() => unknown)[]] = [
      () => machine.run(HOUR_MS + random.integer(0, HOUR_MS)),
      () => machine.run(random.integer(1, 20 * MINUTE_MS)),
      () => machine.run(4 * HOUR_MS),
      () => {
        machine.errorMs += span();
      },
      () => {
        machine.errorMs -= span();
      },
      () => {
        machine.errorMs = 0;
      },
      () => machine.pause(span() % YEAR_MS),
      () => {
        machine.trueMs += span() % YEAR_MS;
      },
      () => machine.restart(),
      () => machine.reboot(span() % YEAR_MS),
    ];
    for (let step = 0; step < 40; step += 1) {
      machine.errorMs = Math.max(machine.errorMs, -30 * YEAR_MS);
      await random.pick(steps)();
      await machine.opened.retain();
      expect(await machine.removedTooEarly()).toEqual([]);
    }
    machine.errorMs = 0;
    await machine.restart();
    const before = machine.arrivedAt.size;
    await machine.run(MAX_AGE_MS + 3 * HOUR_MS);
    const remaining = await machine.remaining();
    expect([...machine.arrivedAt.keys()].slice(0, before).filter((id) => remaining.has(id))).toEqual([]);
    const ids = [...machine.arrivedAt.keys()];
    expect(ids).toEqual([...new Set(ids)].sort());
    await machine.opened.close();
  });
});
