import type { StoreFiles } from '../files/store-files.js';
import type { RecordReader } from '../record/record-reader.js';
import { type CheckpointCost, CheckpointWriter } from './checkpoint-writer.js';
import type { IndexGrouping } from './event-groupers.js';
import type { FailureRow } from './failure-row.js';
import type { IndexContent } from './index-content.js';
import type { LoadedIndex } from './load-index.js';
import type { KnownActions, Manifest } from './manifest.js';
import { removeGeneration } from './remove-strays.js';
import { type ReplayProgress, replayRecord } from './replay-record.js';

/** What a generation is written with. */
export interface WritingGenerationOptions {
  /** Absolute path of the data folder. */
  root: string;
  files: StoreFiles;
  record: Pick<RecordReader, 'replay'>;
  grouping: IndexGrouping;
  loaded: LoadedIndex;
  /** Where its manifest goes. */
  manifestPath: string;
  /** Answers when all events that were applied are on the disk. */
  beforeManifest: () => Promise<void>;
  /** What manifests are to say of the action log. */
  knownActions: () => KnownActions | undefined;
  /** Told of segments that could not be written; they are tried again. */
  failures: FailureRow;
  onFault: (fault: Error) => void;
}

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
  readonly #options: WritingGenerationOptions;
  readonly #writer: CheckpointWriter;
  #segmentsBegun = 0;
  #segmentsWritten: Promise<void> = Promise.resolve();

  constructor(options: WritingGenerationOptions) {
    this.#options = options;
    this.content = options.loaded.content;
    this.#writer = new CheckpointWriter({ ...options, ...options.loaded });
  }

  /** The one on disk, or the first one of a new generation. */
  get manifest(): Manifest {
    return this.#writer.manifest;
  }

  get lagEvents(): number {
    return this.content.segments.arrived - this.manifest.events;
  }

  cost(): CheckpointCost {
    return this.#writer.cost();
  }

  /** One checkpoint; two must not overlap. With `seal`, everything up to now is covered. */
  write(options: { seal: boolean }): Promise<void> {
    return this.#writer.write(options);
  }

  /** Its manifests go there from now on; while no checkpoint is made. */
  redirect(manifestPath: string): void {
    this.#writer.redirect(manifestPath);
  }

  /** Writes the last manifest to where manifests go now; while no checkpoint is made. */
  publish(): Promise<void> {
    return this.#writer.publish();
  }

  /** Takes in the commits of the record that came since. */
  async catchUp({ untilMicros, signal, onProgress }: CatchUpOptions): Promise<void> {
    const { record, grouping, onFault } = this.#options;
    const { content } = this;
    await replayRecord({
      record,
      content,
      grouping,
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
      .catch((error: unknown) => this.#options.failures.failed(error));
    return this.#segmentsWritten;
  }

  /** Removes what is on the disk of one that was never shown. */
  async discard(): Promise<void> {
    await this.#segmentsWritten;
    await removeGeneration(this.#options.files, this.#options.root, this.manifest.generation);
  }
}
