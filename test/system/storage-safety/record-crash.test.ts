import fc from 'fast-check';
import type { CommittedEvent } from '../../../core/storage/record/commits/committed-event.js';
import { recoverRecord } from '../../../core/storage/record/recover-record.js';
import { failingFiles } from '../../core/storage/record/failing-files.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { openRecord, replayAll, type SeenLine, seenOf } from '../../core/storage/record/open-record.js';
import { recordEvents } from '../../core/storage/record/record-events.js';
import { TEN_O_CLOCK_MS } from '../../core/storage/ten-o-clock.js';

const HOUR_MS = 3_600_000;
/** A recovery dies at every n-th call, at others after each crash. FAULTLINE_EVERY_CALL=1 tests every call. */
const RECOVERY_STEP = process.env['FAULTLINE_EVERY_CALL'] === undefined ? 15 : 1;

const keyOf = ({ folder, line, receivedAtMicros }: SeenLine): string => `${folder} ${line} ${receivedAtMicros}`;

/** Every acknowledged event has the returned position and time, and no line is duplicated. */
function expectHolds(seen: readonly SeenLine[], acknowledged: readonly SeenLine[]): void {
  const byKey = new Map(seen.map((line) => [keyOf(line), line]));
  expect(byKey.size).toBe(seen.length);
  for (const line of acknowledged) expect(byKey.get(keyOf(line))).toEqual(line);
  const messages = seen.map(({ text }) => JSON.parse(text).message);
  expect(new Set(messages).size).toBe(messages.length);
}

describe('a process that dies at any call', () => {
  /** Appends until every call fails. */
  async function liveUntil(
    disk: MemoryDisk,
    diesAt: number,
  ): Promise<{ acknowledged: CommittedEvent[]; calls: number }> {
    const files = failingFiles(disk.files);
    let now = TEN_O_CLOCK_MS;
    const acknowledged: CommittedEvent[] = [];
    const { writer } = await openRecord(MEMORY_ROOT, { files, nowMs: () => now });
    files.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
    for (let index = 0; index < 3; index += 1) {
      const batch = [...recordEvents(2, `api ${index}`), ...recordEvents(2, `web ${index}`, { service: 'web' })];
      acknowledged.push(...(await writer.append(batch).catch(() => [])));
      now += HOUR_MS / 2;
    }
    const { calls } = files;
    await writer.close().catch(() => undefined);
    return { acknowledged, calls };
  }

  it('leaves a folder that recovers, even when recovery dies at any call too', async () => {
    const { calls } = await liveUntil(createMemoryDisk(), Number.POSITIVE_INFINITY);
    expect(calls).toBeGreaterThan(30);
    for (let diesAt = 0; diesAt <= calls; diesAt += 1) {
      const disk = createMemoryDisk();
      const { acknowledged } = await liveUntil(disk, diesAt);
      for (let recoveryDiesAt = diesAt % RECOVERY_STEP, died = true; died; recoveryDiesAt += RECOVERY_STEP) {
        const found = disk.copy();
        const files = failingFiles(found.files);
        files.arm({ code: 'EIO', at: recoveryDiesAt, times: Number.POSITIVE_INFINITY });
        died = await recoverRecord({ directory: MEMORY_ROOT, files, afterMicros: 0 }).then(
          () => false,
          () => true,
        );
        const { writer, faults } = await openRecord(MEMORY_ROOT, { files: found.files });
        const added = await writer.append(recordEvents(1, 'added'));
        await writer.close();
        expect(faults).toEqual([]);
        expectHolds(await replayAll(MEMORY_ROOT, 0, found.files), seenOf([...acknowledged, ...added]));
      }
    }
  });
});

describe('the end of a process or of the power', () => {
  it('loses nothing that was acknowledged or shown after a recovery, over many crashes in a row', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('append' as const), service: fc.constantFrom('a', 'b', 'c') }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('hour' as const) }) },
    );
    const life = fc.record({
      steps: fc.array(step, { maxLength: 12 }),
      turnsBeforeTheEnd: fc.nat(12),
      end: fc.constantFrom('power', 'killed'),
      luck: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
      failsAt: fc.option(fc.nat(30), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async (lives) => {
        let disk = createMemoryDisk();
        let now = TEN_O_CLOCK_MS;
        let sent = 0;
        /** Acknowledged events, and those that a recovered record has shown: neither may disappear. */
        let known: readonly SeenLine[] = [];
        for (const { steps, turnsBeforeTheEnd, end, luck, failsAt } of lives) {
          const files = failingFiles(disk.files);
          const { writer, faults } = await openRecord(MEMORY_ROOT, { files, nowMs: () => now, maxOpenPartitions: 2 });
          expect(faults).toEqual([]);
          const seen = await replayAll(MEMORY_ROOT, 0, disk.files);
          expectHolds(seen, known);
          if (failsAt !== undefined) files.arm({ code: 'EIO', at: failsAt });
          const acknowledged: CommittedEvent[] = [];
          const running: Promise<unknown>[] = [];
          for (const { kind, ...rest } of steps) {
            if (kind === 'wait') await Promise.all(running);
            else if (kind === 'hour') now += HOUR_MS;
            else {
              sent += 1;
              const batch = [...recordEvents(2, `${sent}`, rest), ...recordEvents(1, `${sent} other`)];
              const append = writer.append(batch).then((events) => acknowledged.push(...events));
              running.push(append.catch(() => undefined));
            }
          }
          for (let turn = 0; turn < turnsBeforeTheEnd; turn += 1) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          // The end may come at any point; later acknowledgements do not count.
          known = [...seen, ...seenOf(acknowledged)];
          let next = 0;
          disk = end === 'killed' ? disk.kill() : disk.failPower(() => luck[next++ % luck.length] ?? 0);
          await Promise.all(running);
          await writer.close().catch(() => undefined);
        }
        const { writer } = await openRecord(MEMORY_ROOT, { files: disk.files, nowMs: () => now });
        const added = await writer.append(recordEvents(1, 'last'));
        await writer.close();
        expectHolds(await replayAll(MEMORY_ROOT, 0, disk.files), [...known, ...seenOf(added)]);
      }),
    );
  });
});
