import { setImmediate as turn } from 'node:timers/promises';
import { createMemoryDisk } from '../../core/storage/record/memory-disk.js';
import { type Audited, openAudited } from '../../core/storage/safety/audit.js';
import { LivingStore } from '../../core/storage/safety/living-store.js';
import { type SeededRandom, seededRandom } from '../../core/storage/safety/seeded-random.js';
import { StoreModel } from '../../core/storage/safety/store-model.js';
import { TEN_O_CLOCK_MS } from '../../core/storage/ten-o-clock.js';
import { randomEvents } from './operations.js';

const HOUR_MS = 3_600_000;

/** Runs some stores on one folder, each killed at a random moment; returns the folder after the last. */
export async function runRandomLives(seed: number, durability: 'fsync' | 'os'): Promise<Audited> {
  const random = seededRandom(seed);
  const model = new StoreModel();
  const clock = { nowMs: TEN_O_CLOCK_MS };
  let disk = createMemoryDisk();
  let mayLose = false;
  for (let life = random.integer(1, 4); life > 0; life -= 1) {
    const isKilled = random.percent(25);
    const audited = { disk, model, clock, mayLose, durability };
    // Some starts are killed early, without an audit.
    const living = await (random.percent(30) ? tryToOpen(audited, random) : openAudited(audited));
    if (living !== undefined) await runSteps(living, random, model, clock);
    model.end();
    disk = isKilled ? disk.kill() : disk.failPower(random.next);
    mayLose ||= !isKilled && durability === 'os';
    await living?.store.close().catch(() => undefined);
  }
  return { disk, model, clock, mayLose };
}

/** Opens a store that may be killed at any call; returns undefined if the opening failed. */
async function tryToOpen(audited: Audited, random: SeededRandom): Promise<LivingStore | undefined> {
  const { disk, model } = audited;
  let calls = random.integer(0, 60);
  disk.fateOf = () => {
    calls -= 1;
    return calls < 0 ? { code: 'EIO', effect: 'none' } : undefined;
  };
  try {
    const living = await LivingStore.open(audited);
    if (calls >= 0) {
      disk.fateOf = undefined;
      await living.store.close();
      return await openAudited(audited);
    }
    model.end();
    return living;
  } catch (error) {
    if (calls >= 0) throw error;
    return undefined;
  }
}

/** Runs appends, actions, checkpoints and clock changes, and returns while some are in flight. */
async function runSteps(
  living: LivingStore,
  random: SeededRandom,
  model: StoreModel,
  clock: { nowMs: number },
): Promise<void> {
  const running: Promise<unknown>[] = [];
  for (let steps = random.integer(1, 10); steps > 0; steps -= 1) {
    running.push(step(living, random, model, clock));
    if (random.percent(40)) await Promise.all(running);
    for (let turns = random.integer(0, 6); turns > 0; turns -= 1) await turn();
  }
  for (let turns = random.integer(0, 25); turns > 0; turns -= 1) await turn();
}

async function step(
  living: LivingStore,
  random: SeededRandom,
  model: StoreModel,
  clock: { nowMs: number },
): Promise<void> {
  const choice = random.integer(0, 99);
  if (choice < 65) await living.append(randomEvents({ random, model }));
  else if (choice < 75) await comment(living, random);
  else if (choice < 90) await living.store.checkpoint().catch(() => undefined);
  else clock.nowMs += random.pick([HOUR_MS, HOUR_MS / 3, -HOUR_MS / 2]);
}

async function comment(living: LivingStore, random: SeededRandom): Promise<void> {
  const { issues } = await living.store.reader.listIssues();
  const issue = issues[random.integer(0, Math.max(0, issues.length - 1))];
  if (issue !== undefined) await living.comment(issue.issue_id);
}
