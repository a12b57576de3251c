import { auditFolder, openAudited } from '../../core/storage/safety/audit.js';
import { dieAt, diedAt } from '../../core/storage/safety/dying-store.js';
import { LivingStore } from '../../core/storage/safety/living-store.js';

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
