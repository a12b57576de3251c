import { setImmediate as turn } from 'node:timers/promises';
import { createMemoryDisk } from '../record/memory-disk.js';
import { type Audited, openAudited } from './audit.js';
import { LivingStore } from './living-store.js';
import { someEvents } from './operations.js';
import { type SeededRandom, seededRandom } from './seeded-random.js';
import { StoreModel } from './store-model.js';

/** 2026-11-21 10:00 UTC. */
const TEN_O_CLOCK_MS = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;

/** Runs some lives of a collector, each ended at any point; returns the folder after the last one. */
export async function livesOf(seed: number, durability: 'fsync' | 'os'): Promise<Audited> {
  const random = seededRandom(seed);
  const model = new StoreModel();
  const clock = { nowMs: TEN_O_CLOCK_MS };
  let disk = createMemoryDisk();
  let mayLose = false;
  for (let life = random.integer(1, 4); life > 0; life -= 1) {
    const isKilled = random.percent(25);
    const audited = { disk, model, clock, mayLose, durability };
    // Some starts end early, without a check in between.
    const living = await (random.percent(30) ? tryToOpen(audited, random) : openAudited(audited));
    if (living !== undefined) await goOn(living, random, model, clock);
    model.end();
    disk = isKilled ? disk.kill() : disk.failPower(random.next);
    mayLose ||= !isKilled && durability === 'os';
    await living?.store.close().catch(() => undefined);
  }
  return { disk, model, clock, mayLose };
}

/** Starts a store that may be killed at any call; returns it if it was not. */
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

/** Appends, actions, checkpoints and hours, until the end comes while some of them are under way. */
async function goOn(
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
  if (choice < 65) await living.append(someEvents({ random, model }));
  else if (choice < 75) await comment(living, random);
  else if (choice < 90) await living.store.checkpoint().catch(() => undefined);
  else clock.nowMs += random.pick([HOUR_MS, HOUR_MS / 3, -HOUR_MS / 2]);
}

async function comment(living: LivingStore, random: SeededRandom): Promise<void> {
  const { issues } = await living.store.reader.listIssues();
  const issue = issues[random.integer(0, Math.max(0, issues.length - 1))];
  if (issue !== undefined) await living.comment(issue.issue_id);
}
