import { openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { seededRandom } from './seeded-random.js';
import { seedsToRun } from './seeds.js';
import { eventOf } from './sent-events.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const MAX_AGE_MS = 12 * HOUR_MS;
const NEVER_MS = 2 ** 30;
/** 2026-11-21 10:30 UTC. */
const START_MS = Date.UTC(2026, 10, 21, 10, 30);

/** A machine with a data folder and a wall clock that may be wrong. */
class Machine {
  readonly disk = createMemoryDisk();
  readonly faults: string[] = [];
  trueMs = START_MS;
  /** The wall clock minus the true time. */
  errorMs = 0;
  #bootedAtMs = START_MS - DAY_MS;
  #pausedMs = 0;
  #boots = 0;
  /** The true arrival of each stored event, by its id, in order. */
  readonly arrivedAt = new Map<string, number>();
  store: Awaited<ReturnType<typeof openEventStore>> | undefined;

  async open(options: Partial<EventStoreOptions> = {}): Promise<void> {
    const boot = String(this.#boots);
    this.store = await openEventStore({
      directory: MEMORY_ROOT,
      files: this.disk.files,
      checkpointIntervalMs: NEVER_MS,
      retentionIntervalMs: NEVER_MS,
      retention: { maxAgeMs: MAX_AGE_MS, maxBytes: 0 },
      nowMs: () => this.trueMs + this.errorMs,
      uptime: { bootId: boot, ms: () => this.trueMs - this.#bootedAtMs - this.#pausedMs },
      onFault: (fault) => this.faults.push('code' in fault ? String(fault.code) : fault.message),
      ...options,
    });
  }

  get opened() {
    if (this.store === undefined) throw new Error('no store is open');
    return this.store;
  }

  async restart(options: Partial<EventStoreOptions> = {}): Promise<void> {
    await this.store?.close();
    await this.open(options);
  }

  /** Turns the machine off for a time. */
  async reboot(offMs: number): Promise<void> {
    await this.store?.close();
    this.trueMs += offMs;
    this.#bootedAtMs = this.trueMs;
    this.#pausedMs = 0;
    this.#boots += 1;
    await this.open();
  }

  /** Suspends the virtual machine, which stops its uptime. */
  pause(ms: number): void {
    this.trueMs += ms;
    this.#pausedMs += ms;
  }

  /** Stores one event; returns the hour of its partition. */
  async send(): Promise<string> {
    const [stored] = await this.opened.append([eventOf({ message: `at ${this.trueMs}` })]);
    this.arrivedAt.set(stored?.event_id ?? '', this.trueMs);
    return stored?.raw.path.split('/').slice(-5, -1).join('-') ?? '';
  }

  /** Advances the time, with an event and a run of retention each half hour. */
  async run(ms: number): Promise<string> {
    let hour = '';
    for (const end = this.trueMs + ms; this.trueMs < end; ) {
      this.trueMs += Math.min(30 * MINUTE_MS, end - this.trueMs);
      hour = await this.send();
      await this.opened.retain();
    }
    return hour;
  }

  async remaining(): Promise<ReadonlySet<string>> {
    const remaining = new Set<string>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.opened.reader.searchEvents({ query: '', limit: 500, ...(cursor && { cursor }) });
      for (const { event_id } of page.events) remaining.add(event_id);
      cursor = page.next_cursor;
    }
    return remaining;
  }

  /** Events that retention removed before their age. */
  async removedTooEarly(): Promise<string[]> {
    const remaining = await this.remaining();
    return [...this.arrivedAt]
      .filter(([id, at]) => this.trueMs - at < MAX_AGE_MS && !remaining.has(id))
      .map(([id]) => id);
  }
}

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
