import { replaceData } from '../../files/durable-document.js';
import { type StoreFiles, unlinkIfExists } from '../../files/store-files.js';
import type { IndexContent } from '../content/index-content.js';
import { ISSUES_PER_SHARD } from '../content/issue-state.js';
import { DocumentBatch } from '../documents/document-batch.js';
import { generationFolder, statesPath } from '../documents/index-folder.js';
import type { IssueIndexOptions } from '../issue-index-options.js';
import { encodeIssueHeaders, encodeStates } from './issue-documents.js';
import type { LoadedIndex } from './load-index.js';
import { HEADERS_PER_BLOCK, headersPath, type KnownActions, type Manifest, type ManifestDocument } from './manifest.js';

/** Bytes per issue assumed for a document that this process has not written. */
const ASSUMED_STATE_BYTES = 120;
const ASSUMED_HEADER_BYTES = 400;
const ASSUMED_MANIFEST_BYTES = 400;

type CheckpointOptions = Pick<IssueIndexOptions, 'files' | 'directory' | 'beforeManifest' | 'knownActions'>;

/** What a checkpoint would cost, and what it is worth. */
export interface CheckpointCost {
  /** Events since the last checkpoint began. */
  readonly events: number;
  /** Estimated bytes of documents that it replaces: what is written for the first time is written once in any case. */
  readonly bytes: number;
  /** Events that a crash would replay. */
  readonly lagEvents: number;
}

interface CheckpointChoice {
  /** Whether it covers everything up to now, so that a reopened index replays nothing of it. */
  readonly seal: boolean;
  /** Ends it between two documents; `write` then rejects with the reason, and the last manifest stays. */
  readonly signal?: AbortSignal | undefined;
}

/** Writes what changed since the last checkpoint; a replay after its cursor brings all documents to one moment. */
export class CheckpointWriter {
  readonly #files: StoreFiles;
  readonly #options: CheckpointOptions;
  readonly #content: IndexContent;
  readonly #folder: string;
  /** By shard, of the documents that this process has written. */
  readonly #stateBytes: number[] = [];
  #manifest: Manifest;
  #document: ManifestDocument;
  #checkpoint: number;
  #eventsAtLast: number;

  /** `loaded.manifest` is the one on disk, or the first of a new generation; later ones go to `document`. */
  constructor(options: CheckpointOptions, { content, manifest }: LoadedIndex, document: ManifestDocument) {
    this.#files = options.files;
    this.#options = options;
    this.#content = content;
    this.#folder = generationFolder(options.directory, manifest.generation);
    this.#manifest = manifest;
    this.#document = document;
    this.#checkpoint = manifest.checkpoint;
    this.#eventsAtLast = manifest.events;
  }

  /** The last one written. */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Events since the last checkpoint began. */
  get newEvents(): number {
    return this.#content.segments.arrived - this.#eventsAtLast;
  }

  /** Estimates the next checkpoint. */
  cost(): CheckpointCost {
    const { changedShards, issues, segments } = this.#content;
    const { beforeMicros, issues: headers, states, events, actions } = this.#manifest;
    // Actions, and removals of events outside the index, change only the manifest.
    const isManifestSame =
      segments.sealed.beforeMicros === beforeMicros && this.#actionsNow()?.lastId === actions?.lastId;
    let bytes = isManifestSame ? 0 : ASSUMED_MANIFEST_BYTES;
    for (const shard of changedShards) {
      if (states[shard] === undefined) continue;
      const inShard = Math.min(ISSUES_PER_SHARD, headers - shard * ISSUES_PER_SHARD);
      bytes += this.#stateBytes[shard] ?? inShard * ASSUMED_STATE_BYTES;
    }
    if (issues.inOrder.length > headers) bytes += (headers % HEADERS_PER_BLOCK) * ASSUMED_HEADER_BYTES;
    return { events: this.newEvents, bytes, lagEvents: segments.arrived - events };
  }

  /** Sends later manifests to another document; call it between checkpoints. */
  redirect(document: ManifestDocument): void {
    this.#document = document;
  }

  /** Writes the last manifest again, to the current document; call it between checkpoints. */
  async publish(): Promise<void> {
    await replaceData(this.#document, { manifest: this.#manifest });
  }

  /** Makes a checkpoint; calls must not overlap. Rejects with the system's error, and then the last manifest stays or is replaced whole. */
  async write({ seal, signal }: CheckpointChoice): Promise<void> {
    const { segments, changedShards } = this.#content;
    signal?.throwIfAborted();
    if (seal) segments.seal();
    const before = this.#manifest;
    const { sealed } = segments;
    const issues = this.#content.issues.inOrder.length;
    const changed = [...changedShards];
    const eventsAtLast = this.#eventsAtLast;
    this.#eventsAtLast = segments.arrived;
    // A number is used once, even by a failed checkpoint: its manifest may be on disk all the same.
    this.#checkpoint += 1;
    segments.hold(sealed.segments);
    try {
      await segments.writeUpTo(sealed.segments, signal);
      await using batch = new DocumentBatch(this.#files, signal);
      await this.#addHeaders(batch, before.issues, issues);
      for (const shard of changed) await this.#addStates(batch, shard, issues, sealed.segments);
      await batch.end();
      const states = [...before.states];
      for (const shard of changed) states[shard] = this.#checkpoint;
      const { generation, grouping } = before;
      const checkpoint = this.#checkpoint;
      const openCards = issues === before.issues ? before.openCards : checkpoint;
      const actions = this.#actionsNow();
      const next: Manifest = { ...sealed, generation, grouping, checkpoint, issues, openCards, states, actions };
      await this.#options.beforeManifest?.();
      await replaceData(this.#document, { manifest: next });
      this.#manifest = next;
    } catch (error) {
      for (const shard of changed) changedShards.add(shard);
      this.#eventsAtLast = eventsAtLast;
      throw error;
    } finally {
      segments.release();
    }
    await this.#measureStates(changed);
    await this.#removeReplaced(before);
  }

  #actionsNow(): KnownActions | undefined {
    return this.#options.knownActions?.() ?? this.#manifest.actions;
  }

  async #addHeaders(batch: DocumentBatch, from: number, end: number): Promise<void> {
    const { inOrder } = this.#content.issues;
    if (from === end) return;
    for (let block = Math.floor(from / HEADERS_PER_BLOCK); block * HEADERS_PER_BLOCK < end; block += 1) {
      const first = block * HEADERS_PER_BLOCK;
      const last = Math.min(first + HEADERS_PER_BLOCK, end);
      const path = headersPath(this.#folder, block, { issues: end, openCards: this.#checkpoint });
      await batch.add(path, 'cards', () => encodeIssueHeaders(inOrder.slice(first, last)));
    }
  }

  async #addStates(batch: DocumentBatch, shard: number, issues: number, firstUnwritten: number): Promise<void> {
    const { inOrder } = this.#content.issues;
    const { segments, changedShards } = this.#content;
    const first = shard * ISSUES_PER_SHARD;
    const end = Math.min(first + ISSUES_PER_SHARD, issues);
    await batch.add(statesPath(this.#folder, shard, this.#checkpoint), 'states', () => {
      // Later events mark the shard again. Issues newer than this checkpoint wait for the next one.
      const isWhole = end === first + ISSUES_PER_SHARD || end === inOrder.length;
      if (isWhole) changedShards.delete(shard);
      return encodeStates(inOrder.slice(first, end), this.#content.countedThrough(shard), (issue) =>
        segments.chain(issue.ordinal, issue.lastSegment, firstUnwritten),
      );
    });
  }

  async #measureStates(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      const stat = await this.#files.stat(statesPath(this.#folder, shard, this.#checkpoint));
      this.#stateBytes[shard] = stat?.bytes ?? 0;
    }
  }

  async #removeReplaced(before: Manifest): Promise<void> {
    const { states, openCards, firstSegment } = this.#manifest;
    const replaced = before.states.flatMap((written, shard) =>
      written === states[shard] ? [] : [statesPath(this.#folder, shard, written)],
    );
    if (before.openCards !== openCards && before.issues % HEADERS_PER_BLOCK > 0) {
      replaced.push(headersPath(this.#folder, Math.floor(before.issues / HEADERS_PER_BLOCK), before));
    }
    for (const document of replaced) await unlinkIfExists(this.#files, document);
    await this.#content.segments.dropBelow(firstSegment);
  }
}
