import { openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { eventOf } from './sent-events.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;
/** How long the store keeps events. */
export const MAX_AGE_MS = 12 * HOUR_MS;
const NEVER_MS = 2 ** 30;
/** 2026-11-21 10:30 UTC. */
const START_MS = Date.UTC(2026, 10, 21, 10, 30);

/** A machine with a data folder and a wall clock that may be wrong. */
export class Machine {
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
