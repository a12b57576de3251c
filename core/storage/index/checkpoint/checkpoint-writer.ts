import { dirname } from 'node:path';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { unlinkIfExists } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import type { IndexContent } from '../content/index-content.js';
import { ISSUES_PER_SHARD } from '../content/issue-state.js';
import { type DocumentKind, writeDocument } from '../documents/document-adapter.js';
import { generationFolder, statesPath } from '../documents/index-folder.js';
import type { IssueIndexOptions } from '../issue-index-options.js';
import { encodeIssueHeaders } from './issue-header-document.js';
import type { LoadedIndex } from './load-index.js';
import { HEADERS_PER_BLOCK, headersPath, type KnownActions, type Manifest, writeManifest } from './manifest.js';
import { encodeStates } from './states-document.js';

/** Bytes per issue assumed for a document that was not written yet. */
const ASSUMED_STATE_BYTES = 120;
const ASSUMED_HEADER_BYTES = 400;
const ASSUMED_MANIFEST_BYTES = 400;

type CheckpointOptions = Pick<IssueIndexOptions, 'files' | 'directory' | 'beforeManifest' | 'knownActions'>;

/** Writes what changed since the last checkpoint; a replay after its cursor brings all documents to one moment. */
export class CheckpointWriter {
  readonly #options: CheckpointOptions;
  readonly #content: IndexContent;
  readonly #folder: string;
  readonly #stateBytes: number[] = [];
  /** The last one written. */
  manifest: Manifest;
  #manifestPath: string;
  #checkpoint: number;
  #eventsAtLast: number;

  /** `loaded.manifest` is the one on disk, or the first of a new generation; later ones go to `manifestPath`. */
  constructor(options: CheckpointOptions, loaded: LoadedIndex, manifestPath: string) {
    const { content, manifest } = loaded;
    this.#options = options;
    this.#content = content;
    this.#folder = generationFolder(options.directory, manifest.generation);
    this.manifest = manifest;
    this.#manifestPath = manifestPath;
    this.#checkpoint = manifest.checkpoint;
    this.#eventsAtLast = manifest.events;
  }

  /** Events since the last checkpoint began, bytes to write as estimated from that one, and events that a crash would replay. */
  cost(): { readonly events: number; readonly bytes: number; readonly lagEvents: number } {
    const { changedShards, issues, segments } = this.#content;
    const events = segments.arrived;
    const issueCount = issues.inOrder.length;
    // Actions, and removals of events outside the index, change only the manifest.
    const isManifestSame =
      segments.sealed.beforeMicros === this.manifest.beforeMicros &&
      this.#knownActions?.lastId === this.manifest.actions?.lastId;
    let bytes = isManifestSame ? 0 : ASSUMED_MANIFEST_BYTES;
    for (const shard of changedShards) {
      const inShard = Math.min(ISSUES_PER_SHARD, issueCount - shard * ISSUES_PER_SHARD);
      bytes += this.#stateBytes[shard] ?? inShard * ASSUMED_STATE_BYTES;
    }
    if (issueCount > this.manifest.issues) {
      const firstHeader = this.manifest.issues - (this.manifest.issues % HEADERS_PER_BLOCK);
      bytes += (issueCount - firstHeader) * ASSUMED_HEADER_BYTES;
    }
    return { events: events - this.#eventsAtLast, bytes, lagEvents: events - this.manifest.events };
  }

  get #knownActions(): KnownActions | undefined {
    return this.#options.knownActions?.() ?? this.manifest.actions;
  }

  /** Sends later manifests to another path; call it between checkpoints. */
  redirect(path: string): void {
    this.#manifestPath = path;
  }

  /** Writes the last manifest again, to the current path; call it between checkpoints. */
  async publish(): Promise<void> {
    await writeManifest(this.#options.files, this.#manifestPath, this.manifest);
  }

  /** Makes a checkpoint; calls must not overlap. `seal` covers everything up to now, so that a reopened index replays nothing of it. */
  async write(options: { seal: boolean }): Promise<void> {
    const { files, beforeManifest } = this.#options;
    const content = this.#content;
    if (options.seal) content.segments.seal();
    const before = this.manifest;
    const { sealed, arrived } = content.segments;
    const issues = content.issues.inOrder.length;
    const changed = [...content.changedShards];
    // A number is used once, even by a failed checkpoint: its manifest may be on disk all the same.
    this.#checkpoint += 1;
    content.segments.hold(sealed.segments);
    try {
      await content.segments.writeUpTo(sealed.segments);
      await this.#writeHeaders(before.issues, issues);
      const states = [...before.states];
      for (const shard of changed) {
        await this.#writeStates(shard, issues, sealed.segments);
        states[shard] = this.#checkpoint;
      }
      const manifest: Manifest = {
        ...sealed,
        generation: before.generation,
        grouping: before.grouping,
        checkpoint: this.#checkpoint,
        issues,
        openCards: issues === before.issues ? before.openCards : this.#checkpoint,
        states,
        actions: this.#knownActions,
      };
      await beforeManifest?.();
      await writeManifest(files, this.#manifestPath, manifest);
      this.manifest = manifest;
    } catch (error) {
      for (const shard of changed) content.changedShards.add(shard);
      throw error;
    } finally {
      content.segments.release();
    }
    this.#eventsAtLast = arrived;
    await this.#removeReplaced(before);
  }

  async #writeHeaders(from: number, end: number): Promise<void> {
    const { inOrder } = this.#content.issues;
    if (from === end) return;
    for (let block = Math.floor(from / HEADERS_PER_BLOCK); block * HEADERS_PER_BLOCK < end; block += 1) {
      const first = block * HEADERS_PER_BLOCK;
      const last = Math.min(first + HEADERS_PER_BLOCK, end);
      const path = headersPath(this.#folder, block, { issues: end, openCards: this.#checkpoint });
      await this.#writeDocument(path, 'cards', () => encodeIssueHeaders(inOrder.slice(first, last)));
    }
  }

  async #writeStates(shard: number, issues: number, segments: number): Promise<void> {
    const content = this.#content;
    const first = shard * ISSUES_PER_SHARD;
    const end = Math.min(first + ISSUES_PER_SHARD, issues);
    const path = statesPath(this.#folder, shard, this.#checkpoint);
    await this.#writeDocument(path, 'states', () => {
      // Later events mark the shard again. Issues newer than this checkpoint wait for the next one.
      const isWhole = end === first + ISSUES_PER_SHARD || end === content.issues.inOrder.length;
      if (isWhole) content.changedShards.delete(shard);
      return encodeStates(content.issues.inOrder.slice(first, end), content.countedThrough(shard), (issue) =>
        content.segments.chain(issue.ordinal, issue.lastSegment, segments),
      );
    });
    this.#stateBytes[shard] = (await this.#options.files.stat(path))?.bytes ?? 0;
  }

  /** Encodes in a separate macrotask, so that a checkpoint blocks for one document at most. */
  async #writeDocument(path: string, kind: DocumentKind, encode: () => object): Promise<void> {
    await makeFolderDurably(this.#options.files, dirname(path));
    await nextMacrotask();
    await writeDocument(this.#options.files, path, kind, encode());
  }

  async #removeReplaced(before: Manifest): Promise<void> {
    const now = this.manifest;
    const replaced = before.states.flatMap((checkpoint, shard) =>
      checkpoint === now.states[shard] ? [] : [statesPath(this.#folder, shard, checkpoint)],
    );
    if (before.openCards !== now.openCards && before.issues % HEADERS_PER_BLOCK > 0) {
      replaced.push(headersPath(this.#folder, Math.floor(before.issues / HEADERS_PER_BLOCK), before));
    }
    for (const path of replaced) await unlinkIfExists(this.#options.files, path);
    await this.#content.segments.dropBelow(now.firstSegment);
  }
}
