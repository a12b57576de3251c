import type { DataFolder } from '../files/store-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { MAX_COMMIT_TIMESTAMPS } from '../record/commits/commit-record.js';
import { readFrontier } from '../record/inspect-partitions.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { beginEmptyIndex, checkLastEvent, type LoadedIndex, loadIndex } from './checkpoint/load-index.js';
import { createManifest, type ManifestDocument } from './checkpoint/manifest.js';
import type { IndexContent } from './content/index-content.js';
import type { RemovalHistory } from './content/removal.js';
import { indexAheadOfRecord, isIndexUnusable, unlessUnusable } from './documents/index-fault.js';
import { manifestPath } from './documents/index-folder.js';
import type { CreateGrouper } from './event-groupers.js';
import type { IndexSource } from './index-source.js';
import { type ReplayableRecord, type ReplayProgress, replayIntoIndex } from './replay-into-index.js';
import { keyOfLine } from './segments/event-segment.js';

/** Options for reading the index in a process that does not write it. */
export interface FollowingIndexOptions extends DataFolder {
  /** Stays open when the index closes. */
  record: ReplayableRecord;
  /** Default: nothing was removed. */
  history?: RemovalHistory | undefined;
  /** Loads the writer's current plan; called on every refresh. */
  plan: () => Promise<GroupingPlan>;
  createGrouper: CreateGrouper;
  /** Minimum milliseconds between two refreshes, default 500. */
  refreshIntervalMs?: number | undefined;
  /** Events to hold in memory before the writer's newer index is loaded instead, default 100,000. */
  maxFollowedEvents?: number | undefined;
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called for an unusable index and for damage in the record. */
  onFault?: ((fault: Error) => void) | undefined;
}

const REFRESH_INTERVAL_MS = 500;
/** With thousands of partitions a refresh takes long. The next one comes after this many times as long, at most MAX_RESTS intervals. */
const REST_FACTOR = 4;
const MAX_RESTS = 10;
const MAX_FOLLOWED_EVENTS = 100_000;
/** Attempts to load while the writer removes documents. */
const MAX_LOADS = 5;

/** Opens the index read-only and follows the record. Without a usable index it replays the record in memory. */
export async function openFollowingIndex(options: FollowingIndexOptions): Promise<IndexSource> {
  const index = new FollowingIndex(options, await beginEmptyIndex(options, null));
  await index.load();
  return index;
}

class FollowingIndex implements IndexSource {
  readonly #options: FollowingIndexOptions;
  readonly #onFault: (fault: Error) => void;
  readonly #refreshIntervalMs: number;
  readonly #maxFollowedEvents: number;
  /** Of the generation that the writer shows now. */
  readonly #writersManifest: ManifestDocument;
  #loaded: LoadedIndex;
  /** `id` of the plan that groups the loaded index; undefined before the first one. */
  #groupedBy: string | null | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  /** Duration of the last refresh that loaded nothing. */
  #followedInMs = 0;
  /** Everything received up to here was read when it was complete. */
  #completeUpTo = -1;
  #isClosed = false;

  constructor(options: FollowingIndexOptions, empty: LoadedIndex) {
    this.#options = options;
    this.#onFault = options.onFault ?? (() => undefined);
    this.#refreshIntervalMs = options.refreshIntervalMs ?? REFRESH_INTERVAL_MS;
    this.#maxFollowedEvents = options.maxFollowedEvents ?? MAX_FOLLOWED_EVENTS;
    this.#writersManifest = createManifest(options.files, manifestPath(options.directory));
    this.#loaded = empty;
  }

  get content(): IndexContent {
    return this.#loaded.content;
  }

  get lagEvents(): number {
    return this.#loaded.content.segments.arrived - this.#loaded.manifest.events;
  }

  /** Loads the newest index of the writer and applies what the record holds beyond it. */
  async load(): Promise<void> {
    await this.#refreshOnce(() => this.#loadAndFollow());
  }

  async refresh(): Promise<void> {
    const restMs = Math.min(REST_FACTOR * this.#followedInMs, MAX_RESTS * this.#refreshIntervalMs);
    const intervalMs = Math.max(this.#refreshIntervalMs, restMs);
    if (this.#isClosed || performance.now() - this.#refreshedMs < intervalMs) return;
    await this.#refreshOnce(() => this.#followOrReload());
  }

  async recover(): Promise<boolean> {
    await this.#refreshing;
    await this.load();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing?.catch(() => undefined);
  }

  /** Overlapping calls share one run. */
  async #refreshOnce(work: () => Promise<void>): Promise<void> {
    this.#refreshing ??= work().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedMs = performance.now();
    });
    await this.#refreshing;
  }

  async #followOrReload(): Promise<void> {
    const isFarBehind = this.lagEvents > this.#maxFollowedEvents && (await this.#hasNewerIndex());
    const groupedBy = this.#groupedBy;
    const plan = await this.#readPlan();
    if (isFarBehind || plan.id !== groupedBy || (await this.#hasNewRemovals())) {
      await this.#loadAndFollow();
      return;
    }
    const beganMs = performance.now();
    await this.#follow(this.#loaded.content, plan);
    this.#followedInMs = performance.now() - beganMs;
  }

  async #loadAndFollow(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#loaded = await this.#loadUsable();
        return;
      } catch (error) {
        if (!isIndexUnusable(error)) throw error;
        if (attempt < MAX_LOADS) continue;
        this.#onFault(error);
        break;
      }
    }
    const plan = await this.#readPlan();
    const empty = await beginEmptyIndex(this.#options, plan.id);
    await this.#follow(empty.content, plan, this.#options.onProgress);
    this.#loaded = empty;
  }

  async #loadUsable(): Promise<LoadedIndex> {
    const { directory, record, onProgress } = this.#options;
    const plan = await this.#readPlan();
    const loaded =
      (await loadIndex({ ...this.#options, grouping: plan.id })) ?? (await beginEmptyIndex(this.#options, plan.id));
    await checkLastEvent(directory, record, loaded);
    await this.#follow(loaded.content, plan, onProgress);
    if (loaded.content.isAheadOfRecord) throw indexAheadOfRecord(directory);
    return loaded;
  }

  async #readPlan(): Promise<GroupingPlan> {
    const plan = await this.#options.plan();
    this.#groupedBy = plan.id;
    return plan;
  }

  async #hasNewRemovals(): Promise<boolean> {
    const totals = await this.#options.history?.totals();
    return totals !== undefined && totals.beforeMicros !== this.#loaded.content.removed.beforeMicros;
  }

  async #hasNewerIndex(): Promise<boolean> {
    const { generation, checkpoint } = this.#loaded.manifest;
    const isRead = await unlessUnusable(async () => {
      await this.#writersManifest.read();
      return true;
    }, false);
    const { manifest } = this.#writersManifest.data;
    return isRead && manifest !== undefined && (manifest.generation !== generation || manifest.checkpoint > checkpoint);
  }

  async #follow(
    content: IndexContent,
    plan: GroupingPlan,
    onProgress?: FollowingIndexOptions['onProgress'],
  ): Promise<void> {
    const { files, directory, record, createGrouper } = this.#options;
    const last = content.lastReceivedAtMicros;
    const frontier = await readFrontier(files, directory, hourOfMicros(last));
    if (frontier === last && frontier === this.#completeUpTo) return;
    // The last commit known may have reached only some of its partitions: read its instants again.
    const { beforeMicros, cursorMicros } = content.segments.sealed;
    const afterMicros = Math.max(last - MAX_COMMIT_TIMESTAMPS, cursorMicros, beforeMicros - 1);
    const appliedLines = new Set(content.segments.open.rowsAfter(afterMicros).map(keyOfLine));
    await replayIntoIndex({
      record,
      content,
      afterMicros,
      untilMicros: frontier,
      isKnown: (line) => appliedLines.has(keyOfLine(line)),
      grouping: { plan, createGrouper },
      onProgress,
      onFault: this.#onFault,
    });
    // What preceded this refresh is complete now.
    this.#completeUpTo = last;
  }
}
