import type { DataFolder } from '../files/store-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { MAX_COMMIT_TIMESTAMPS } from '../record/commits/commit-record.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import {
  beginEmptyIndex,
  checkLastEvent,
  createEmptyIndex,
  type LoadedIndex,
  loadIndex,
} from './checkpoint/load-index.js';
import { readManifest } from './checkpoint/manifest.js';
import type { IndexContent } from './content/index-content.js';
import type { RemovalHistory } from './content/removal.js';
import { indexAheadOfRecord, isIndexUnusable, unlessUnusable } from './documents/index-fault.js';
import { manifestPath } from './documents/index-folder.js';
import type { CreateGrouper, IndexGrouping } from './event-groupers.js';
import type { IndexSource } from './index-source.js';
import { readFrontier } from './replay-frontier.js';
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
const MAX_FOLLOWED_EVENTS = 100_000;
/** Attempts to load while the writer removes documents. */
const MAX_LOADS = 5;

/** Opens the index read-only and follows the record. Without a usable index it replays the record in memory. */
export async function openFollowingIndex(options: FollowingIndexOptions): Promise<IndexSource> {
  const index = new FollowingIndex(options);
  await index.recover();
  return index;
}

class FollowingIndex implements IndexSource {
  readonly #options: FollowingIndexOptions;
  #plan: GroupingPlan | undefined;
  #loaded: LoadedIndex;
  #refreshing: Promise<void> | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #wholeUpTo = -1;
  #closed = false;

  constructor(options: FollowingIndexOptions) {
    this.#options = options;
    this.#loaded = createEmptyIndex(options.files, options.directory, null);
  }

  get content(): IndexContent {
    return this.#loaded.content;
  }

  get lagEvents(): number {
    return this.#loaded.content.segments.arrived - this.#loaded.manifest.events;
  }

  async refresh(): Promise<void> {
    const { maxFollowedEvents = MAX_FOLLOWED_EVENTS, refreshIntervalMs = REFRESH_INTERVAL_MS } = this.#options;
    if (this.#closed || performance.now() - this.#refreshedMs < refreshIntervalMs) return;
    await this.#once(async () => {
      const isFarBehind = this.lagEvents > maxFollowedEvents && (await this.#hasNewerIndex());
      const groupedBy = this.#plan?.id;
      const plan = await this.#planNow();
      if (isFarBehind || plan.id !== groupedBy || (await this.#hasNewRemovals())) await this.#loadAndFollow();
      else await this.#follow(this.#loaded.content, plan);
    });
  }

  async recover(): Promise<boolean> {
    await this.#refreshing;
    await this.#once(() => this.#loadAndFollow());
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#refreshing?.catch(() => undefined);
  }

  /** Overlapping calls share one run. */
  async #once(work: () => Promise<void>): Promise<void> {
    this.#refreshing ??= work().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedMs = performance.now();
    });
    await this.#refreshing;
  }

  async #loadAndFollow(): Promise<void> {
    const { onFault } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#loaded = await this.#loadUsable();
        return;
      } catch (error) {
        if (!isIndexUnusable(error)) throw error;
        if (attempt < MAX_LOADS) continue;
        onFault?.(error);
        break;
      }
    }
    const plan = await this.#planNow();
    const empty = await beginEmptyIndex(this.#options, plan.id);
    await this.#follow(empty.content, plan, this.#options.onProgress);
    this.#loaded = empty;
  }

  async #planNow(): Promise<GroupingPlan> {
    this.#plan = await this.#options.plan();
    return this.#plan;
  }

  async #loadUsable(): Promise<LoadedIndex> {
    const { directory, record } = this.#options;
    const plan = await this.#planNow();
    const loaded =
      (await loadIndex({ ...this.#options, grouping: plan.id })) ?? (await beginEmptyIndex(this.#options, plan.id));
    await checkLastEvent(directory, record, loaded);
    await this.#follow(loaded.content, plan, this.#options.onProgress);
    if (loaded.content.isAheadOfRecord) throw indexAheadOfRecord(directory);
    return loaded;
  }

  async #hasNewRemovals(): Promise<boolean> {
    const totals = await this.#options.history?.totals();
    return totals !== undefined && totals.beforeMicros !== this.#loaded.content.removed.beforeMicros;
  }

  async #hasNewerIndex(): Promise<boolean> {
    const { generation, checkpoint } = this.#loaded.manifest;
    const { files, directory } = this.#options;
    const manifest = await unlessUnusable(() => readManifest(files, manifestPath(directory)), undefined);
    return manifest !== undefined && (manifest.generation !== generation || manifest.checkpoint > checkpoint);
  }

  async #follow(
    content: IndexContent,
    plan: GroupingPlan,
    onProgress?: (progress: ReplayProgress) => void,
  ): Promise<void> {
    const { directory, files, record, createGrouper, onFault = () => undefined } = this.#options;
    const grouping: IndexGrouping = { plan, createGrouper };
    const last = content.lastReceivedAtMicros;
    const frontier = await readFrontier(files, directory, hourOfMicros(last));
    if (frontier === last && frontier === this.#wholeUpTo) return;
    // The last commit known may have reached only some of its partitions: read its instants again.
    const { beforeMicros, cursorMicros } = content.segments.sealed;
    const afterMicros = Math.max(last - MAX_COMMIT_TIMESTAMPS, cursorMicros, beforeMicros - 1);
    const known = new Set(content.segments.open.rowsAfter(afterMicros).map(keyOfLine));
    await replayIntoIndex({
      record,
      content,
      afterMicros,
      untilMicros: frontier,
      isKnown: (line) => known.has(keyOfLine(line)),
      grouping,
      onProgress,
      onFault,
    });
    // What preceded this refresh is whole now.
    this.#wholeUpTo = last;
  }
}
