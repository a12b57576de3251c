import { createMemoryDisk, type Fate, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { auditFolder, openAudited } from './audit.js';
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

function dieAt(disk: MemoryDisk, model: StoreModel, at: number, effect: Fate['effect']): Death {
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

/** Returns a folder whose process died at a call, and its model. */
async function diedAt(at: number, effect: Fate['effect'], life: Life = {}) {
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const model = new StoreModel();
  const disk = createMemoryDisk();
  const death = dieAt(disk, model, at, effect);
  await live(death, model, clock, life).catch((error: unknown) => {
    // The process may have died while it opened the store.
    if (!death.hasDied()) throw error;
  });
  return { disk: disk.kill(), model, clock, calls: death.calls() };
}

/** A recovery dies at every n-th call, at others after each crash. */
const RECOVERY_STEP = 10;
/** Recoveries are tested after every n-th crash. */
const CRASH_STEP = 11;
/** Every n-th folder is audited completely, the others only opened. */
const AUDIT_STEP = 7;
/** FAULTLINE_EVERY_CALL=1 tests every call with every effect and audits each folder completely. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

describe('a collector that is killed at any call that changes its disk', () => {
  it.each([
    ['none', {}, 1],
    ['part', { isLarge: true }, 6],
    ['whole', {}, 6],
    ['none', { durability: 'os' }, 6],
  ] as const)(
    'loses and duplicates nothing after a restart, with this effect of the call: %s %j',
    async (effect, life, step) => {
      const { calls } = await diedAt(Number.POSITIVE_INFINITY, effect, life);
      expect(calls).toBeGreaterThan(150);
      for (let at = 0, crash = 0; at < calls; at += isEveryCall ? 1 : step, crash += 1) {
        const { disk, model, clock } = await diedAt(at, effect, life);
        if (isEveryCall || crash % AUDIT_STEP === 0) await auditFolder({ disk, model, clock });
        else await (await openAudited({ disk, model, clock })).store.close();
      }
    },
  );

  it('recovers even if the recovery is also killed at any call', async () => {
    const { calls } = await diedAt(Number.POSITIVE_INFINITY, 'none');
    for (let at = 0; at < calls; at += isEveryCall ? 1 : CRASH_STEP) {
      const dead = await diedAt(at, 'part');
      for (let recoveryDiesAt = at % RECOVERY_STEP, died = true; died; recoveryDiesAt += RECOVERY_STEP) {
        const { clock } = dead;
        const model = dead.model.copy();
        const disk = dead.disk.copy();
        const death = dieAt(disk, model, recoveryDiesAt, 'none');
        const opening = await LivingStore.open({ disk, model, clock }).catch((error: unknown) => {
          if (!death.hasDied()) throw error;
        });
        died = death.hasDied();
        model.end();
        const living = await openAudited({ disk: disk.kill(), model, clock });
        await living.store.close();
        await opening?.store.close().catch(() => undefined);
      }
    }
  });
});
