import type { FingerprintedEvent, StoredEvent } from '../../../../core/contract/stages.js';
import { Fault } from '../../../../core/event/fault.js';
import type { IssueId } from '../../../../core/event/ids.js';
import { type AppendOptions, type EventStore, openEventStore } from '../../../../core/storage/event-store.js';
import { parseMicros } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { type RetentionBounds, UNBOUNDED } from '../../../../core/storage/retention/choose-removal.js';
import { groupsBy } from '../../../helpers/grouping.js';
import { MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { groupByName } from './sent-events.js';
import type { StoreModel } from './store-model.js';

/** Longer than any test: only a test starts checkpoints. */
const NEVER_MS = 2 ** 30;

/** What a store lives on. */
export interface LivingStoreOptions {
  readonly disk: MemoryDisk;
  readonly model: StoreModel;
  readonly clock: { nowMs: number };
  /** Default `fsync`. */
  readonly durability?: 'fsync' | 'os';
  /** Bounds that `retain` reads when it runs; unbounded by default. */
  readonly retention?: RetentionBounds;
}

/** An open store that records its requests and results in the model. */
export class LivingStore {
  readonly store: EventStore;
  /** Reported faults, in order. */
  readonly faults: Fault[];
  readonly #options: LivingStoreOptions;
  #actionsSent = 0;

  private constructor(options: LivingStoreOptions, store: EventStore, faults: Fault[]) {
    this.#options = options;
    this.store = store;
    this.faults = faults;
  }

  static async open(options: LivingStoreOptions): Promise<LivingStore> {
    const { disk, clock, durability = 'fsync', retention = UNBOUNDED } = options;
    const faults: Fault[] = [];
    const store = await openEventStore({
      directory: MEMORY_ROOT,
      files: disk.files,
      durability,
      retention,
      createGrouper: groupsBy(groupByName),
      checkpointIntervalMs: NEVER_MS,
      nowMs: () => clock.nowMs,
      onFault: (fault) => {
        // Lines of the last commit after a crash are not damage.
        if (fault instanceof Fault && fault.code === 'LINES_ADOPTED') return;
        faults.push(fault instanceof Fault ? fault : new Fault('NOT_A_FAULT', fault.message, { cause: fault }));
      },
    });
    return new LivingStore(options, store, faults);
  }

  /** Resolves when lost commit records of closed hours are restored. */
  async surveyed(): Promise<void> {
    for await (const _ of this.store.findBatches('none')) throw new Error('No batch has this id.');
  }

  /** Returns the stored events; undefined if the batch was rejected with a retryable fault. */
  async append(
    events: readonly FingerprintedEvent[],
    options?: AppendOptions,
  ): Promise<readonly StoredEvent[] | undefined> {
    const { model } = this.#options;
    const batch = model.send(events);
    try {
      const stored = await this.store.append(events, options);
      model.acknowledge(batch, stored, MEMORY_ROOT);
      return stored;
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      if (!this.#mayKeepRejected) model.reject(batch);
      return undefined;
    }
  }

  /** Retention removed all events received before this timestamp; 0 if it removed none. */
  async removedBeforeMicros(): Promise<number> {
    const { removed } = await this.store.reader.stats();
    return removed.before === null ? 0 : Date.parse(removed.before) * 1000;
  }

  /** Comments on an issue; returns false if that was rejected. */
  async comment(issueId: IssueId): Promise<boolean> {
    const { model, clock } = this.#options;
    this.#actionsSent += 1;
    const text = `${model.actions.size} ${this.#actionsSent} ${clock.nowMs}`;
    const action = {
      action: 'comment',
      issueId,
      actor: null,
      data: { text },
    };
    model.sendAction(action);
    try {
      const { history } = await this.store.act(issueId, { action: 'comment', text });
      const { id = '', at = '' } = history.find(({ detail }) => detail === text) ?? {};
      model.acknowledgeAction(action, { ...action, id, atMicros: parseMicros(`${at.slice(0, 26)}Z`) ?? 0 });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      return false;
    }
  }

  /** Kills the process, or fails the power if `luck` is given; returns the disk for the next process. */
  end(luck?: () => number): MemoryDisk {
    const { disk, model } = this.#options;
    model.end();
    const found = luck === undefined ? disk.kill() : disk.failPower(luck);
    // Releases timers; the calls fail.
    void this.store.close().catch(() => undefined);
    return found;
  }

  /** Whether rejected lines may still be on the disk: their rollback failed or was not synced. */
  get #mayKeepRejected(): boolean {
    return this.#options.durability === 'os' || this.faults.some(({ code }) => code === 'STORE_UNAVAILABLE');
  }
}
