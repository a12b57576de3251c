import { createMemoryDisk, type Fate, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { LivingStore } from './living-store.js';
import { type EventShape, eventOf } from './sent-events.js';
import { StoreModel } from './store-model.js';

const HOUR_MS = 3_600_000;
/** Two lines of this size need more than one commit record. */
const LARGE_BYTES = 600_000;

/** A disk whose process dies at one call. */
interface Death {
  readonly disk: MemoryDisk;
  /** The number of calls that changed the disk or tried to. */
  readonly calls: () => number;
  readonly hasDied: () => boolean;
}

/** Lets every call that changes the disk fail after `at` of them; the first one has `effect`. */
export function dieAt(disk: MemoryDisk, model: StoreModel, at: number, effect: Fate['effect']): Death {
  let calls = 0;
  disk.fateOf = () => {
    calls += 1;
    if (calls <= at) return undefined;
    model.end();
    return { code: 'EIO', effect: calls === at + 1 ? effect : 'none' };
  };
  return { disk, calls: () => calls, hasDied: () => calls > at };
}

/** Variants of a process. */
interface Life {
  /** Whether an append needs several commit records; default false. */
  readonly isLarge?: boolean;
  /** Default `fsync`. */
  readonly durability?: 'fsync' | 'os';
}

/** Runs a process that makes every kind of change to its disk. */
async function live(
  death: Death,
  model: StoreModel,
  clock: { nowMs: number },
  { isLarge = false, durability = 'fsync' }: Life,
): Promise<void> {
  const { disk } = death;
  const options = { disk, model, clock, durability };
  let sent = 0;
  const events = (...shapes: Omit<EventShape, 'message'>[]) =>
    shapes.map((shape) => {
      sent += 1;
      return eventOf({ message: `${sent}`, ...shape });
    });
  let living = await LivingStore.open(options);
  const stored = await living.append(events({ kind: 0 }, { kind: 1 }, { service: 'web' }));
  await Promise.all([
    living.append(events({ kind: 2, sampled: 3 }, { env: 'staging' }), { batchId: 'first' }),
    living.append(events({ service: 'web', kind: 2 }), { batchId: 'second' }),
    living.append(events({ kind: 0, release: 'v1' }, { service: 'web' })),
  ]);
  const issueId = stored?.[0]?.issue_id;
  if (issueId !== undefined) await living.comment(issueId);
  await living.store.checkpoint().catch(() => undefined);
  const padding = isLarge ? LARGE_BYTES : 0;
  await living.append(events({ padding }, { service: 'web' }, { padding }, { kind: 3 }));
  clock.nowMs += HOUR_MS;
  await living.append(events({ kind: 0, sampled: 40 }, { kind: 4, service: 'web' }));
  if (issueId !== undefined) await living.comment(issueId);
  await living.store.close().catch(() => undefined);
  if (death.hasDied()) return;

  living = await LivingStore.open(options);
  await living.append(events({ kind: 0 }, { service: 'web' }));
  await living.store.checkpoint().catch(() => undefined);
  await living.append(events({ kind: 5 }), { batchId: 'third' });
  await living.store.close().catch(() => undefined);
}

/** Returns a folder whose process died at a call, or lost its power there if `luck` is given, with its model and the number of calls. */
export async function diedAt(at: number, effect: Fate['effect'], life: Life = {}, luck?: () => number) {
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const model = new StoreModel();
  const disk = createMemoryDisk();
  const death = dieAt(disk, model, at, effect);
  await live(death, model, clock, life).catch((error: unknown) => {
    // The process may have died while it opened the store.
    if (!death.hasDied()) throw error;
  });
  return { disk: luck === undefined ? disk.kill() : disk.failPower(luck), model, clock, calls: death.calls() };
}
