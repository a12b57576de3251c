import { type Closable, closeAll } from './close-all.js';
import type { EventStoreOptions } from './event-store-options.js';
import { createRetentionGate } from './following/retention-gate.js';
import type { StoreFollowing } from './following/store-following.js';
import type { HeldFolder } from './held-folder.js';
import type { OpenedIndex, OpenedLogs, OpenedRecord } from './recover-store.js';
import { UNBOUNDED } from './retention/choose-removal.js';
import type { RecordHours } from './retention/record-hours.js';
import { Retainer } from './retention/retainer.js';
import type { OpenedWriter } from './store-writer.js';
import type { IssueActing } from './triage/apply-action.js';
import { RateSnoozes } from './triage/rate-snoozes.js';

/** Default of `EventStoreOptions.retentionIntervalMs`. */
const RETENTION_INTERVAL_MS = 60_000;

interface BackgroundWorkOptions {
  readonly folder: HeldFolder;
  readonly options: EventStoreOptions;
  readonly record: OpenedRecord;
  readonly indexing: OpenedIndex;
  readonly logs: OpenedLogs;
  readonly writing: OpenedWriter;
  readonly acting: IssueActing;
  readonly following: StoreFollowing;
}

/** What a store does without being asked: it ends snoozes, removes old events, and surveys the hours of its record. */
export class BackgroundWork implements Closable {
  readonly #snoozes: RateSnoozes;
  readonly #retainer: Retainer;
  readonly #hours: RecordHours;
  readonly #writing: OpenedWriter;

  constructor({ folder, options, record, indexing, logs, writing, acting, following }: BackgroundWorkOptions) {
    const { directory, files, onFault } = folder;
    const { nowMs = Date.now, retention: bounds = UNBOUNDED } = options;
    const { ages, writer } = writing;
    this.#writing = writing;
    const { index, hours } = indexing;
    this.#hours = hours;
    this.#snoozes = new RateSnoozes({ index, actions: logs.actions, acting, onFault });
    this.#retainer = new Retainer({
      directory,
      files,
      onFault,
      nowMs,
      ledger: record.ledger,
      index,
      clock: record.clock,
      ages,
      hours,
      isWriterIdle: () => writer.isIdle,
      bounds,
      holdBack: createRetentionGate({
        ages,
        maxAgeMs: bounds.maxAgeMs,
        slowConsumers: () => following.followers,
      }),
      removeBefore: (beforeMs) => logs.releaseLog.removeHours(beforeMs),
      intervalMs: options.retentionIntervalMs ?? RETENTION_INTERVAL_MS,
    });
  }

  start(): void {
    this.#writing.commits.add(() => this.#snoozes.check());
    this.#snoozes.check();
    this.#retainer.start();
    this.#hours.begin();
  }

  /** As `EventStore.retain`. */
  retain(): Promise<void> {
    return this.#retainer.run();
  }

  /** The hours first, because a removal waits for their survey. Rejects with the first error, after all are closed. */
  async close(): Promise<void> {
    const [error] = await closeAll([this.#hours, this.#retainer, this.#snoozes]);
    if (error !== undefined) throw error;
  }
}
