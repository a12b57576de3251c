import { createMemoryDisk, type Fate, type MemoryDisk } from '../record/memory-disk.js';
import { auditFolder, openAudited } from './audit.js';
import { LivingStore } from './living-store.js';
import { type EventShape, eventOf } from './sent-events.js';
import { StoreModel } from './store-model.js';

/** 2026-11-21 10:00 UTC. */
const TEN_O_CLOCK_MS = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
/** Two of them are more than one commit record covers. */
const LARGE_BYTES = 600_000;

/** A disk whose process dies at one of its calls, counted from zero. */
interface Death {
  readonly disk: MemoryDisk;
  /** Calls that changed the disk, or tried to. */
  readonly calls: () => number;
  readonly isOver: () => boolean;
}

function dieAt(disk: MemoryDisk, model: StoreModel, at: number, effect: Fate['effect']): Death {
  let calls = 0;
  disk.fateOf = () => {
    calls += 1;
    if (calls <= at) return undefined;
    model.end();
    return { code: 'EIO', effect: calls === at + 1 ? effect : 'none' };
  };
  return { disk, calls: () => calls, isOver: () => calls > at };
}

/** What differs between the lives of processes. */
interface Life {
  /** True: one append has several commit records. Default false. */
  readonly isLarge?: boolean;
  /** Default `fsync`. */
  readonly durability?: 'fsync' | 'os';
}

/** What a process does in its life: every kind of change that a store makes to its disk. */
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
  if (death.isOver()) return;

  living = await LivingStore.open(options);
  await living.append(events({ kind: 0 }, { service: 'web' }));
  await living.store.checkpoint().catch(() => undefined);
  await living.append(events({ kind: 5 }), { batchId: 'third' });
  await living.store.close().catch(() => undefined);
}

/** A folder whose process died there, and what it had promised. */
async function diedAt(at: number, effect: Fate['effect'], life: Life = {}) {
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const model = new StoreModel();
  const disk = createMemoryDisk();
  const death = dieAt(disk, model, at, effect);
  await live(death, model, clock, life).catch((error: unknown) => {
    // Opening may be what died.
    if (!death.isOver()) throw error;
  });
  return { disk: disk.kill(), model, clock, calls: death.calls() };
}

/** Of the calls of a recovery every so manieth is its last, other ones after each crash. */
const RECOVERY_STEP = 10;
/** And of the crashes before it every so manieth is taken. */
const CRASH_STEP = 11;
/** After so many crashes one folder is audited to the end; of the others what its next start finds. */
const AUDIT_STEP = 7;
/** FAULTLINE_EVERY_CALL=1 walks every call in every way and audits each to the end; normally those ways skip some that differ little from a call without effect. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

describe('a collector that is killed at any call that changes its disk', () => {
  it.each([
    ['none', {}, 1],
    ['part', { isLarge: true }, 6],
    ['whole', {}, 6],
    ['none', { durability: 'os' }, 6],
  ] as const)(
    'has lost and duplicated nothing after a restart, with this effect of the call: %s %j',
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

  it('is recovered by one that is killed as well, at any call', async () => {
    const { calls } = await diedAt(Number.POSITIVE_INFINITY, 'none');
    for (let at = 0; at < calls; at += isEveryCall ? 1 : CRASH_STEP) {
      const dead = await diedAt(at, 'part');
      for (let recoveryDiesAt = at % RECOVERY_STEP, died = true; died; recoveryDiesAt += RECOVERY_STEP) {
        const { clock } = dead;
        const model = dead.model.copy();
        const disk = dead.disk.copy();
        const death = dieAt(disk, model, recoveryDiesAt, 'none');
        const opening = await LivingStore.open({ disk, model, clock }).catch((error: unknown) => {
          if (!death.isOver()) throw error;
        });
        died = death.isOver();
        model.end();
        const living = await openAudited({ disk: disk.kill(), model, clock });
        await living.store.close();
        await opening?.store.close().catch(() => undefined);
      }
    }
  });
});
