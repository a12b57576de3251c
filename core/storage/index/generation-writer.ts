import type { FailureStreak } from '../files/failure-streak.js';
import { makeFolderDurably } from '../files/write-durably.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { CheckpointWriter } from './checkpoint/checkpoint-writer.js';
import { beginEmptyIndex, checkLastEvent, type LoadedIndex, loadGeneration } from './checkpoint/load-index.js';
import type { ManifestDocument } from './checkpoint/manifest.js';
import { removeGeneration, removeStrayDocuments } from './checkpoint/remove-strays.js';
import type { IndexContent } from './content/index-content.js';
import { unlessUnusable } from './documents/index-fault.js';
import { generationFolder } from './documents/index-folder.js';
import type { IndexGrouping } from './event-groupers.js';
import type { IssueIndexOptions } from './issue-index-options.js';
import { type ReplayIntoIndexOptions, replayIntoIndex } from './replay-into-index.js';

/** Unwritten segments allowed during a replay; live events never wait. */
const MAX_UNWRITTEN_IN_REPLAY = 64;

type CatchUpOptions = Pick<ReplayIntoIndexOptions, 'among' | 'untilMicros' | 'signal' | 'onProgress' | 'afterCommit'>;

/** One generation of the index that is being written, active or not, grouped by one plan. */
export class WritingGeneration {
  readonly content: IndexContent;
  readonly writer: CheckpointWriter;
  readonly #options: IssueIndexOptions;
  readonly #grouping: IndexGrouping;
  readonly #failures: FailureStreak;
  #segmentsBegun = 0;
  #segmentsWritten: Promise<void> = Promise.resolve();

  /** Manifests go to `document`; `failures` gets segment write failures, which are retried. */
  constructor(
    options: IssueIndexOptions,
    grouping: IndexGrouping,
    loaded: LoadedIndex,
    document: ManifestDocument,
    failures: FailureStreak,
  ) {
    this.#options = options;
    this.#grouping = grouping;
    this.#failures = failures;
    this.content = loaded.content;
    this.writer = new CheckpointWriter(options, loaded, document);
  }

  get lagEvents(): number {
    return this.content.segments.arrived - this.writer.manifest.events;
  }

  /** Applies the commits that the record holds beyond it; `afterCommit` is awaited after each. */
  async catchUp({ afterCommit, ...options }: CatchUpOptions): Promise<void> {
    const { record, onFault = () => undefined } = this.#options;
    const { content } = this;
    await replayIntoIndex({
      record,
      content,
      grouping: this.#grouping,
      afterMicros: content.lastReceivedAtMicros,
      ...options,
      onFault,
      afterCommit: async () => {
        const written = this.writeSegments();
        if (content.segments.unwritten > MAX_UNWRITTEN_IN_REPLAY) await written;
        await afterCommit?.();
      },
    });
  }

  /** Writes newly sealed segments; a failure is retried, and a success ends no series of failures. */
  writeSegments(): Promise<void> {
    const { sealed } = this.content.segments;
    if (sealed.segments === this.#segmentsBegun) return this.#segmentsWritten;
    this.#segmentsBegun = sealed.segments;
    this.#segmentsWritten = this.content.segments
      .writeUpTo(sealed.segments)
      .catch((error: unknown) => this.#failures.failed(error));
    return this.#segmentsWritten;
  }

  /** Removes the documents of a generation that was never activated. */
  async discard(): Promise<void> {
    await this.#segmentsWritten;
    await removeGeneration(this.#options.files, this.#options.directory, this.writer.manifest.generation);
  }
}

type Source = Pick<IssueIndexOptions, 'directory' | 'files' | 'record' | 'history'>;

/** Loads the kept generation grouped by `from`, or creates an empty one. Hold removals meanwhile; rejects with the system's error. */
export async function beginGeneration(source: Source, plan: GroupingPlan, from?: string | null): Promise<LoadedIndex> {
  const { directory, files } = source;
  let loaded = from === undefined ? undefined : await unlessUnusable(() => loadKept(source, from), undefined);
  if (loaded === undefined) {
    loaded = await beginEmptyIndex(source, plan.id);
    await makeFolderDurably(files, generationFolder(directory, loaded.manifest.generation));
  }
  return { ...loaded, manifest: { ...loaded.manifest, grouping: plan.id } };
}

async function loadKept(source: Source, grouping: string | null): Promise<LoadedIndex | undefined> {
  const loaded = await loadGeneration({ ...source, grouping });
  if (loaded === undefined) return undefined;
  await checkLastEvent(source.directory, source.record, loaded);
  await removeStrayDocuments(source.files, source.directory, loaded.manifest);
  return loaded;
}
