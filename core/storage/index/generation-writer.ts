import { makeFolderDurably } from '../files/make-folder-durably.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { CheckpointWriter } from './checkpoint/checkpoint-writer.js';
import { createEmptyIndex } from './checkpoint/empty-index.js';
import { checkLastEvent, type LoadedIndex, loadGeneration } from './checkpoint/load-index.js';
import { removeGeneration, removeStrayDocuments } from './checkpoint/remove-strays.js';
import type { WriteFailureStreak } from './checkpoint/write-failures.js';
import type { IndexContent } from './content/index-content.js';
import { takeRemovals } from './content/take-removals.js';
import { isIndexUnusable } from './documents/index-fault.js';
import { generationFolder } from './documents/index-folder.js';
import type { IssueIndexOptions } from './issue-index-options.js';
import type { IndexGrouping } from './replay/event-groupers.js';
import { type ReplayProgress, replayRecord } from './replay/replay-record.js';

/** How far a generation is brought. */
export interface CatchUpOptions {
  /** Commits received later are left for another time; default none. */
  untilMicros?: number;
  /** Ends it between two commits, which then rejects with Fault `STORE_CLOSING`. */
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
}

/** Segments that may wait for the disk while the record is replayed; live events never wait. */
const MAX_UNWRITTEN_IN_REPLAY = 64;

/** One generation of the index on its way to the disk, by one grouping: the one that is shown, or one that is being made beside it. */
export class WritingGeneration {
  readonly content: IndexContent;
  readonly writer: CheckpointWriter;
  readonly #options: IssueIndexOptions;
  readonly #grouping: IndexGrouping;
  readonly #failures: WriteFailureStreak;
  #segmentsBegun = 0;
  #segmentsWritten: Promise<void> = Promise.resolve();

  /** Its manifests go to `manifestPath`; `failures` hears of segments that could not be written, which are tried again. */
  constructor(
    options: IssueIndexOptions,
    grouping: IndexGrouping,
    loaded: LoadedIndex,
    manifestPath: string,
    failures: WriteFailureStreak,
  ) {
    this.#options = options;
    this.#grouping = grouping;
    this.#failures = failures;
    this.content = loaded.content;
    this.writer = new CheckpointWriter(options, loaded, manifestPath);
  }

  get lagEvents(): number {
    return this.content.segments.arrived - this.writer.manifest.events;
  }

  /** Takes in the commits of the record that came since. */
  async catchUp({ untilMicros, signal, onProgress }: CatchUpOptions): Promise<void> {
    const { record, onFault = () => undefined } = this.#options;
    const { content } = this;
    await replayRecord({
      record,
      content,
      grouping: this.#grouping,
      afterMicros: content.lastReceivedAtMicros,
      ...(untilMicros !== undefined && { untilMicros }),
      signal,
      onProgress,
      onFault,
      afterCommit: async () => {
        const written = this.writeSegments();
        if (content.segments.unwritten > MAX_UNWRITTEN_IN_REPLAY) await written;
      },
    });
  }

  /**
   * Writes what was sealed since the last call; a failure is tried again when the next segment is sealed, or at a checkpoint.
   * Success here ends no row of failures: checkpoints may go on failing at other documents.
   */
  writeSegments(): Promise<void> {
    const { sealed } = this.content.segments;
    if (sealed.segments === this.#segmentsBegun) return this.#segmentsWritten;
    this.#segmentsBegun = sealed.segments;
    this.#segmentsWritten = this.content.segments
      .writeUpTo(sealed.segments)
      .catch((error: unknown) => this.#failures.failed(error));
    return this.#segmentsWritten;
  }

  /** Removes what is on the disk of one that was never shown. */
  async discard(): Promise<void> {
    await this.#segmentsWritten;
    await removeGeneration(this.#options.files, this.#options.directory, this.writer.manifest.generation);
  }
}

type Source = Pick<IssueIndexOptions, 'directory' | 'files' | 'record' | 'history'>;

/** Loads what a generation beside the shown one goes on from, or makes an empty one. Removals must be held; rejects with the system's error. */
export async function beginGeneration(source: Source, plan: GroupingPlan, from?: string | null): Promise<LoadedIndex> {
  const { directory, files, history } = source;
  let loaded = from === undefined ? undefined : await loadKept(source, from);
  if (loaded === undefined) {
    loaded = createEmptyIndex(files, directory, plan.id);
    await makeFolderDurably(files, generationFolder(directory, loaded.manifest.generation));
    await takeRemovals({ root: directory, content: loaded.content, history, isNew: true });
  }
  return { ...loaded, manifest: { ...loaded.manifest, grouping: plan.id } };
}

/** Undefined where there is none that can be used. */
async function loadKept(source: Source, grouping: string | null): Promise<LoadedIndex | undefined> {
  const { directory, files, record, history } = source;
  try {
    const loaded = await loadGeneration({ directory, files, grouping, history });
    if (loaded === undefined) return undefined;
    await checkLastEvent(directory, record, loaded);
    await removeStrayDocuments(files, directory, loaded.manifest);
    return loaded;
  } catch (error) {
    if (isIndexUnusable(error)) return undefined;
    throw error;
  }
}
