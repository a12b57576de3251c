import { MEMORY_ROOT } from '../record/memory-disk.js';
import { DAY_MS, HOUR_MS, MAX_AGE_MS, Machine, MINUTE_MS, YEAR_MS } from './wrong-clock.js';

const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13).replace('T', '-');

describe.each([
  ['ten days', 10 * DAY_MS],
  ['ten years', 10 * YEAR_MS],
])('a clock that jumps %s ahead', (_name, jumpMs) => {
  it('while a store runs does not let retention remove events early', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(5 * HOUR_MS);
    machine.errorMs = jumpMs;
    await machine.run(6 * HOUR_MS);
    expect((await machine.remaining()).size).toBe(machine.arrivedAt.size);
    await machine.run(DAY_MS);
    expect(await machine.removedTooEarly()).toEqual([]);
    // Nor late: 12 hours of two events each, and the current hours.
    expect((await machine.remaining()).size).toBeLessThanOrEqual(28);
    expect(machine.faults).toEqual(['CLOCK_AHEAD']);
    await machine.opened.close();
  });

  it('before a store opens does not let retention remove events early', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(5 * HOUR_MS);
    machine.errorMs = jumpMs;
    await machine.restart();
    await machine.opened.retain();
    await machine.reboot(HOUR_MS);
    await machine.opened.retain();
    expect((await machine.remaining()).size).toBe(machine.arrivedAt.size);
    await machine.run(DAY_MS);
    expect(await machine.removedTooEarly()).toEqual([]);
    expect((await machine.remaining()).size).toBeLessThanOrEqual(28);
    await machine.opened.close();
  });

  it('and returns within ten minutes does not change the hours of the record', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(HOUR_MS);
    machine.errorMs = jumpMs;
    expect(await machine.run(9 * MINUTE_MS)).toBe(hourOf(machine.trueMs));
    machine.errorMs = 0;
    expect(await machine.run(20 * HOUR_MS)).toBe(hourOf(machine.trueMs));
    await machine.opened.close();
  });

  it('and returns later does not keep hours from ending and being removed', async () => {
    const machine = new Machine();
    machine.errorMs = jumpMs;
    await machine.open();
    const ahead = await machine.send();
    machine.errorMs = 0;
    await machine.restart();
    const hours = new Set([ahead]);
    for (let hour = 0; hour < 30; hour += 1) hours.add(await machine.run(HOUR_MS));
    expect(hours.size).toBeGreaterThanOrEqual(30);
    expect([...hours]).toEqual([...hours].sort());
    expect(await machine.removedTooEarly()).toEqual([]);
    expect((await machine.remaining()).size).toBeLessThanOrEqual(28);
    expect(machine.faults).toEqual(['CLOCK_BEHIND']);
    await machine.opened.close();
  });
});

describe('a clock', () => {
  it('that is correct after the machine slept is used at once', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(HOUR_MS);
    machine.trueMs += 3 * DAY_MS;
    expect(await machine.send()).toBe(hourOf(machine.trueMs));
    expect(machine.faults).toEqual([]);
    await machine.opened.close();
  });

  it('that is correct after a virtual machine was suspended is used ten minutes later', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(HOUR_MS);
    machine.pause(3 * DAY_MS);
    expect(await machine.send()).toBe(hourOf(machine.trueMs - 3 * DAY_MS));
    expect(await machine.run(9 * MINUTE_MS)).toBe(hourOf(machine.trueMs - 3 * DAY_MS));
    expect(await machine.run(MINUTE_MS)).toBe(hourOf(machine.trueMs));
    await machine.opened.close();
  });

  it('of a collector that was stopped for two weeks lets retention remove events at once, or later after a reboot', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(2 * HOUR_MS);
    await machine.opened.close();
    machine.trueMs += 14 * DAY_MS;
    await machine.open();
    await machine.opened.retain();
    expect((await machine.remaining()).size).toBe(0);
    await machine.run(2 * HOUR_MS);
    await machine.reboot(14 * DAY_MS);
    await machine.opened.retain();
    expect((await machine.remaining()).size).toBe(4);
    await machine.run(DAY_MS);
    expect((await machine.remaining()).size).toBeLessThanOrEqual(28);
    await machine.opened.close();
  });

  it('that goes back ten years does not stop retention', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(2 * HOUR_MS);
    machine.errorMs = -10 * YEAR_MS;
    await machine.restart();
    await machine.run(DAY_MS);
    expect(await machine.removedTooEarly()).toEqual([]);
    expect((await machine.remaining()).size).toBeLessThanOrEqual(28);
    await machine.opened.close();
  });
});

describe('a folder that lost its note of ages', () => {
  it('treats all events as received at the next run', async () => {
    const machine = new Machine();
    await machine.open();
    await machine.run(5 * HOUR_MS);
    await machine.opened.close();
    await machine.disk.files.unlink(`${MEMORY_ROOT}/cursors/retention.note`);
    machine.trueMs += DAY_MS;
    await machine.open();
    await machine.opened.retain();
    expect((await machine.remaining()).size).toBe(10);
    machine.trueMs += MAX_AGE_MS + 1;
    await machine.opened.retain();
    expect((await machine.remaining()).size).toBe(0);
    await machine.opened.close();
  });
});
