import type { DataFolder } from '../files/store-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { MAX_COMMIT_TIMESTAMPS } from '../record/commits/commit-record.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { beginEmptyIndex, checkLastEvent, type LoadedIndex, loadIndex } from './checkpoint/load-index.js';
import { readManifest } from './checkpoint/manifest.js';
import type { IndexContent } from './content/index-content.js';
import type { RemovalHistory } from './content/removal.js';
import { indexAheadOfRecord, isIndexUnusable, unlessUnusable } from './documents/index-fault.js';
import { manifestPath } from './documents/index-folder.js';
import type { CreateGrouper } from './event-groupers.js';
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
/** With thousands of partitions a refresh takes long. The next one comes after this many times as long, at most MAX_RESTS intervals. */
const REST_FACTOR = 4;
const MAX_RESTS = 10;
const MAX_FOLLOWED_EVENTS = 100_000;
/** Attempts to load while the writer removes documents. */
const MAX_LOADS = 5;

/** Opens the index read-only and follows the record. Without a usable index it replays the record in memory. */
export async function openFollowingIndex(options: FollowingIndexOptions): Promise<IndexSource> {
  const { files, directory, record, history, createGrouper, onProgress, onFault = () => undefined } = options;
  const { maxFollowedEvents = MAX_FOLLOWED_EVENTS, refreshIntervalMs = REFRESH_INTERVAL_MS } = options;
  let loaded = await beginEmptyIndex({ files, directory }, null);
  let plan: GroupingPlan | undefined;
  let refreshing: Promise<void> | undefined;
  let refreshedMs = Number.NEGATIVE_INFINITY;
  /** Duration of the last refresh that loaded nothing. */
  let followedInMs = 0;
  let wholeUpTo = -1;
  let isClosed = false;

  const lagEvents = (): number => loaded.content.segments.arrived - loaded.manifest.events;

  /** Overlapping calls share one run. */
  async function once(work: () => Promise<void>): Promise<void> {
    refreshing ??= work().finally(() => {
      refreshing = undefined;
      refreshedMs = performance.now();
    });
    await refreshing;
  }

  async function loadAndFollow(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        loaded = await loadUsable();
        return;
      } catch (error) {
        if (!isIndexUnusable(error)) throw error;
        if (attempt < MAX_LOADS) continue;
        onFault(error);
        break;
      }
    }
    const current = await planNow();
    const empty = await beginEmptyIndex(options, current.id);
    await follow(empty.content, current, onProgress);
    loaded = empty;
  }

  async function planNow(): Promise<GroupingPlan> {
    plan = await options.plan();
    return plan;
  }

  async function loadUsable(): Promise<LoadedIndex> {
    const current = await planNow();
    const grouping = current.id;
    const found = (await loadIndex({ ...options, grouping })) ?? (await beginEmptyIndex(options, grouping));
    await checkLastEvent(directory, record, found);
    await follow(found.content, current, onProgress);
    if (found.content.isAheadOfRecord) throw indexAheadOfRecord(directory);
    return found;
  }

  async function hasNewRemovals(): Promise<boolean> {
    const totals = await history?.totals();
    return totals !== undefined && totals.beforeMicros !== loaded.content.removed.beforeMicros;
  }

  async function hasNewerIndex(): Promise<boolean> {
    const { generation, checkpoint } = loaded.manifest;
    const manifest = await unlessUnusable(() => readManifest(files, manifestPath(directory)), undefined);
    return manifest !== undefined && (manifest.generation !== generation || manifest.checkpoint > checkpoint);
  }

  async function follow(
    content: IndexContent,
    current: GroupingPlan,
    report?: FollowingIndexOptions['onProgress'],
  ): Promise<void> {
    const last = content.lastReceivedAtMicros;
    const frontier = await readFrontier(files, directory, hourOfMicros(last));
    if (frontier === last && frontier === wholeUpTo) return;
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
      grouping: { plan: current, createGrouper },
      onProgress: report,
      onFault,
    });
    // What preceded this refresh is whole now.
    wholeUpTo = last;
  }

  await once(loadAndFollow);
  return {
    get content() {
      return loaded.content;
    },
    get lagEvents() {
      return lagEvents();
    },
    async refresh() {
      const intervalMs = Math.max(
        refreshIntervalMs,
        Math.min(REST_FACTOR * followedInMs, MAX_RESTS * refreshIntervalMs),
      );
      if (isClosed || performance.now() - refreshedMs < intervalMs) return;
      await once(async () => {
        const isFarBehind = lagEvents() > maxFollowedEvents && (await hasNewerIndex());
        const groupedBy = plan?.id;
        const current = await planNow();
        if (isFarBehind || current.id !== groupedBy || (await hasNewRemovals())) await loadAndFollow();
        else {
          const beganMs = performance.now();
          await follow(loaded.content, current);
          followedInMs = performance.now() - beganMs;
        }
      });
    },
    async recover() {
      await refreshing;
      await once(loadAndFollow);
      return true;
    },
    async close() {
      isClosed = true;
      await refreshing?.catch(() => undefined);
    },
  };
}
